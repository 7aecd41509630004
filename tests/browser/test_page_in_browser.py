"""The page in a real browser: verdict, board, addresses, both widths, light and dark, and every image.

Run by `make test-browser`, which installs Debian's chromium and axe-core, and runs the test configuration first.
"""

import base64
import io
from contextlib import contextmanager, nullcontext
from pathlib import Path

import matplotlib.image
import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

PAGE = Path(__file__).parents[2] / "results" / "test" / "index.html"
AXE = Path(__file__).parents[2] / ".axe" / "node_modules" / "axe-core" / "axe.min.js"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for argument in (
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
        "--no-first-run",
        "--window-size=1200,900",
        f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService("/usr/bin/chromedriver"))
    yield driver
    driver.quit()


@pytest.fixture
def page(browser):
    browser.get(PAGE.as_uri())
    return browser


def names(page):
    """The methods of the board, top down, without the role that stands behind a name."""
    return page.execute_script(
        "return [...document.querySelectorAll('#board tbody th')].map(cell => cell.firstChild.textContent)"
    )


def compared(page):
    """The methods above the line."""
    return page.execute_script(
        "return [...document.querySelectorAll('#board tbody tr:not(.control) th')].map(cell => cell.textContent)"
    )


def values(page, key):
    """The numbers of a column above the line."""
    return page.execute_script(
        "const heads = [...document.querySelectorAll('#board thead tr:nth-child(2) button')];"
        "const keys = heads.map(head => head.dataset.key);"
        "return [...document.querySelectorAll('#board tbody tr:not(.control)')]"
        ".map(row => parseFloat(row.querySelectorAll('td')[keys.indexOf(arguments[0])].firstChild.textContent))",
        key,
    )


def click_head(page, key):
    page.find_element(By.CSS_SELECTOR, f"#board button[data-key='{key}']").click()


def open_view(page, view):
    """The page as a reader finds it who was sent this address."""
    page.get("about:blank")
    page.get(PAGE.as_uri() + view)


@contextmanager
def window(page, width):
    page.set_window_size(width, 900)
    # A window has a least width; a device that is emulated has none.
    page.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride", {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    )
    try:
        yield
    finally:
        page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        page.set_window_size(1200, 900)


@contextmanager
def dark(page):
    wish = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", wish)
    try:
        yield
    finally:
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_the_page_loads_without_an_error_or_a_request(page):
    assert page.get_log("browser") == []
    requested = page.execute_script("return performance.getEntriesByType('resource').map(entry => entry.name)")
    assert [address for address in requested if not address.startswith("data:")] == []


def test_every_image_shows(page):
    sizes = page.execute_script("return [...document.images].map(image => [image.complete, image.naturalWidth])")
    assert sizes
    assert all(complete and width > 0 for complete, width in sizes)


def test_every_image_and_control_has_a_name(page):
    assert all(image.get_attribute("alt") for image in page.find_elements(By.TAG_NAME, "img"))
    controls = page.find_elements(By.CSS_SELECTOR, "select, button, summary, [role=region]")
    shown = [control for control in controls if control.is_displayed()]  # the dialog's are not
    assert shown
    assert all(control.accessible_name for control in shown)


def test_the_first_lines_are_the_verdict_and_the_warnings_of_this_run(page):
    verdict = page.find_element(By.ID, "verdict")
    assert "(1 network, 1 seed)" in verdict.text
    assert compared(page)[0] in verdict.text.split(" lead")[0]
    told = page.find_element(By.CSS_SELECTOR, ".warnings").text
    assert "Toy settings" in told
    assert "One training seed" in told
    assert "of the tested pairs" in told
    assert verdict.location["y"] < 200


@pytest.mark.parametrize("width", [390, 1400])
def test_the_board_begins_on_the_first_screen(page, width):
    with window(page, width):
        assert page.find_element(By.ID, "board").location["y"] < 800


def test_the_board_is_sorted_by_rank_and_what_is_not_compared_stands_below(page):
    ranks = values(page, "rank:paper")
    assert ranks == sorted(ranks)
    assert names(page)[: len(ranks)] == compared(page)
    controls = page.find_elements(By.CSS_SELECTOR, "#board tbody tr.control")
    assert controls
    assert not [row for row in controls if row.find_elements(By.CSS_SELECTOR, ".tie")]
    assert page.find_elements(By.CSS_SELECTOR, "#board tbody tr:first-child td.tie")


def test_both_protocols_stand_side_by_side_with_the_leak_at_the_column_it_spoils(page):
    heads = page.find_elements(By.CSS_SELECTOR, "#board thead tr:nth-child(2) th.wide")
    assert [head.text.split()[0] for head in heads] == ["paper", "strict"]
    leaks = [int(head.find_element(By.CLASS_NAME, "leak").text.split("%")[0]) for head in heads]
    assert leaks[0] > leaks[1] == 0


def test_a_click_on_a_column_sorts_by_it_and_a_second_click_turns_the_order(page):
    key = "tiny_communities:degree_matched_pairs"
    click_head(page, key)
    assert values(page, key) == sorted(values(page, key), reverse=True)
    head = page.find_element(By.CSS_SELECTOR, "#board th[aria-sort]")
    assert (head.text.split()[0], head.get_attribute("aria-sort")) == ("strict", "descending")
    click_head(page, key)
    assert values(page, key) == sorted(values(page, key))
    assert page.switch_to.active_element.get_attribute("data-key") == key


def test_a_click_on_method_sorts_by_name(page):
    click_head(page, "method")
    assert compared(page) == sorted(compared(page), key=str.casefold)
    click_head(page, "method")
    assert compared(page) == sorted(compared(page), key=str.casefold, reverse=True)


def test_choosing_another_metric_changes_the_numbers(page):
    before = values(page, "tiny_communities:paper")
    Select(page.find_element(By.ID, "metric")).select_by_value("recall")
    assert values(page, "tiny_communities:paper") != before
    assert "Recall" in page.find_element(By.ID, "board-note").text


def test_choosing_a_network_leaves_its_columns_only(page):
    Select(page.find_element(By.ID, "dataset")).select_by_index(1)
    heads = page.find_elements(By.CSS_SELECTOR, "#board thead tr:nth-child(2) button")
    assert [head.get_attribute("data-key").split(":")[0] for head in heads] == ["tiny_communities"] * 2


def test_a_view_is_in_the_address_and_opens_again_from_it(page):
    Select(page.find_element(By.ID, "metric")).select_by_value("f1")
    Select(page.find_element(By.ID, "operator")).select_by_value("hadamard")
    click_head(page, "method")
    view, seen = "#" + page.current_url.partition("#")[2], names(page)
    assert view == "#view&operator=hadamard&metric=f1&sort=method"
    open_view(page, view)
    assert page.find_element(By.ID, "metric").get_property("value") == "f1"
    assert page.find_element(By.ID, "operator").get_property("value") == "hadamard"
    assert names(page) == seen
    for select in ("metric", "operator"):
        Select(page.find_element(By.ID, select)).select_by_index(0)
    assert "#" not in page.current_url


def test_an_address_with_a_name_that_is_not_there_opens_the_usual_view(page):
    usual = names(page)
    open_view(page, "#view&metric=nonsense&protocol=none&sort=nothing:at-all")
    assert names(page) == usual
    assert page.find_element(By.ID, "metric").get_property("value") == "auc"
    assert page.get_log("browser") == []


def test_a_figure_opens_large_grows_and_closes_with_escape(page):
    button = page.find_element(By.CSS_SELECTOR, "figure button")
    small = button.size["width"]
    button.send_keys(Keys.ENTER)
    large = page.find_element(By.CSS_SELECTOR, "#zoom img")
    assert page.find_element(By.ID, "zoom").get_property("open")
    before = large.size["width"]
    assert before > small
    page.find_element(By.XPATH, "//dialog//button[text()='Larger']").click()
    assert large.size["width"] > before
    page.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert not page.find_element(By.ID, "zoom").get_property("open")


def brightness(page, selector, side):
    color = page.execute_script(
        "return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]].match(/\\d+/g)", selector, side
    )
    return sum(map(int, color[:3])) / 3


def test_ink_and_paper_change_places_for_readers_who_like_it_dark(page):
    assert brightness(page, "body", "color") < 100 < brightness(page, "body", "backgroundColor")
    with dark(page):
        assert brightness(page, "body", "backgroundColor") < 100 < brightness(page, "body", "color")
        assert brightness(page, "tbody th", "backgroundColor") < 100


def test_figures_are_dark_where_the_page_is(page):
    """The picture itself is asked: the corner of a figure is paper, whatever the styles say."""
    figure = page.find_element(By.CSS_SELECTOR, "figure img")

    def corner():
        png = base64.b64decode(figure.screenshot_as_base64)
        return matplotlib.image.imread(io.BytesIO(png))[2, 2, :3].mean()

    assert corner() > 0.95
    with dark(page):
        assert corner() < 0.2


WIDER = """
const wide = [];
document.querySelectorAll("details").forEach(one => { one.open = true; });
document.querySelectorAll(".scroll").forEach(box => {
  const name = box.getAttribute("aria-label") || box.getAttribute("aria-labelledby");
  if (!box.closest("dialog") && box.scrollWidth > box.clientWidth + 1) wide.push(name);
});
return wide;
"""


@pytest.mark.parametrize("width", [390, 1400])
def test_no_table_is_wider_than_its_box_and_nothing_than_the_screen(page, width):
    with window(page, width):
        assert page.execute_script(WIDER) == []
        size = page.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
        assert size[0] <= size[1] == width


def test_cards_name_every_number(page):
    with window(page, 390):
        cell = page.find_element(By.CSS_SELECTOR, ".cards tbody td")
        label = page.execute_script("return getComputedStyle(arguments[0], '::before').content", cell)
    assert label.strip('"') not in ("", "none")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(page, scheme):
    """Deque's axe-core, which the target `make test-browser` installs: without it this fails, it is never skipped."""
    page.execute_script(AXE.read_text(encoding="utf-8"))
    with dark(page) if scheme == "dark" else nullcontext():
        found = page.execute_async_script("axe.run(document).then(arguments[arguments.length - 1])")
    faults = {
        fault["id"]: [node["target"] for node in fault["nodes"]][:3]
        for fault in found["violations"]
        if fault["impact"] in ("serious", "critical")
    }
    assert faults == {}


def test_the_page_is_small():
    assert PAGE.stat().st_size < 2_000_000


def test_links_inside_the_page_lead_somewhere(page):
    targets = page.execute_script(
        "return [...document.querySelectorAll('a[href^=\"#\"]')].map(link => link.getAttribute('href').slice(1))"
    )
    assert targets
    assert all(page.find_elements(By.ID, target) for target in targets)


def test_files_that_the_page_names_are_there(page):
    names = page.execute_script(
        "return [...document.querySelectorAll('a[href]')].map(link => link.getAttribute('href'))"
        ".filter(name => !name.startsWith('#') && !name.startsWith('data:'))"
    )
    assert names
    assert [name for name in names if not (PAGE.parent / name).exists()] == []
