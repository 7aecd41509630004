"""The page in a real browser: it loads from disk without errors, sorts, filters, and shows every image.

Run by `make test-browser`, which installs Debian's chromium and runs the test configuration first.
"""

from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

PAGE = Path(__file__).parents[2] / "results" / "test" / "index.html"


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


def values(page, column):
    cells = page.find_elements(By.CSS_SELECTOR, f"#board tbody td:nth-child({column + 1})")
    return [float(cell.text.split()[0].split("[")[0]) for cell in cells]


def click_head(page, column):
    page.find_elements(By.CSS_SELECTOR, "#board thead button")[column].click()


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


def test_a_click_on_a_network_sorts_by_it_and_a_second_click_turns_the_order(page):
    click_head(page, 1)
    assert values(page, 1) == sorted(values(page, 1), reverse=True)
    head = page.find_elements(By.CSS_SELECTOR, "#board thead th")[1]
    assert head.get_attribute("aria-sort") == "descending"
    click_head(page, 1)
    assert values(page, 1) == sorted(values(page, 1))
    assert page.switch_to.active_element == page.find_elements(By.CSS_SELECTOR, "#board thead button")[1]


def test_a_click_on_method_sorts_by_name(page):
    click_head(page, 0)
    assert names(page) == sorted(names(page), key=str.casefold)


def test_choosing_another_metric_changes_the_numbers(page):
    before = values(page, 1)
    Select(page.find_element(By.ID, "metric")).select_by_value("recall")
    assert values(page, 1) != before
    assert "Recall" in page.find_element(By.ID, "board-note").text


def test_choosing_a_network_leaves_its_column_only(page):
    Select(page.find_element(By.ID, "dataset")).select_by_index(1)
    assert len(page.find_elements(By.CSS_SELECTOR, "#board thead th")) == 2


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
    wish = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", wish)
    try:
        assert brightness(page, "body", "backgroundColor") < 100 < brightness(page, "body", "color")
        assert brightness(page, "tbody th", "backgroundColor") < 100
    finally:
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_the_name_of_a_row_stays_in_sight_when_numbers_are_scrolled(page):
    page.set_window_size(400, 800)
    try:
        place = page.execute_script(
            "const boxes = [...document.querySelectorAll('.scroll')];"
            "const box = boxes.find(one => one.scrollWidth > one.clientWidth + 100);"
            "box.scrollLeft = 100; const name = box.querySelector('tbody th');"
            "return [box.getBoundingClientRect().left, name.getBoundingClientRect().left]"
        )
    finally:
        page.set_window_size(1200, 900)
    assert abs(place[0] - place[1]) < 3


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


def test_on_a_phone_nothing_but_tables_is_wider_than_the_screen(page):
    page.set_window_size(400, 800)
    width = page.execute_script("return [document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    page.set_window_size(1200, 900)
    assert width[0] <= width[1]
