"""The page is one file; what it shows is escaped, and Markdown tables keep their meaning."""

from evaluation.report.figures.all_figures import write_figures
from evaluation.report.page.board import board_data
from evaluation.report.page.page import flatten, leakage, sections, status, table_html
from evaluation.report.sections import LINK_PREDICTION, OTHER, RANKING, SECTIONS, SENSITIVITY, STATUS, TUNING
from evaluation.report.tables.all_tables import write_tables
from harness.files import read_json, write_json
from tests.synthetic_run import write_link_prediction, write_run


def test_a_markdown_table_becomes_rows_with_heads_and_bold_stays():
    page = table_html("| Operator | EHNA |\n| :-- | --: |\n| Mean | **0.9** |\n\nA note.\n", "Results")
    assert '<th scope="col" class="text">Operator</th><th scope="col">EHNA</th>' in page
    assert '<th scope="row">Mean</th><td data-label="EHNA"><strong>0.9</strong></td>' in page
    assert page.endswith(">A note.</p>")
    assert "<strong>0.9*</strong>" in table_html("| x |\n| -- |\n| **0.9*** |\n", "Partly")


def test_names_cannot_smuggle_markup_into_the_page():
    page = table_html("| a |\n| -- |\n| <script>alert(1)</script> |\n", "<b>")
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "<b>" not in page


def test_an_escaped_pipe_does_not_end_a_cell():
    assert '<td data-label="y">a|b</td>' in table_html("| x | y |\n| -- | -- |\n| 1 | a\\|b |\n", "t")


def test_nested_facts_are_flattened_to_lines():
    facts = {"seen_pairs": {"share": 0.51234}, "nodes": 3, "side": None, "ties": True}
    assert flatten(facts) == [("seen pairs: share", "0.5123"), ("nodes", "3"), ("side", "—"), ("ties", "yes")]


def test_every_table_and_figure_has_its_place_and_a_table_of_ones_own_is_not_lost(tmp_path):
    folder = write_run(tmp_path)
    write_tables(folder)
    write_figures(folder)
    shown = {section["title"]: section for section in sections(folder, {"digg": "Digg", "toy": "Toy"})}
    assert list(shown) == [name for name in SECTIONS if name not in (RANKING, SENSITIVITY, TUNING, OTHER)]
    titles = [table["title"] for table in shown[LINK_PREDICTION]["tables"]]
    assert titles == ["Link prediction on Digg", "Link prediction on Toy"]
    assert [file["name"] for file in shown[STATUS]["files"]] == ["status.csv"]
    (folder / "tables" / "my_own.md").write_text("| a |\n| :-- |\n| b |\n")
    assert sections(folder, {"digg": "Digg", "toy": "Toy"})[-2]["tables"][0]["title"] == "my own"


def test_a_failed_method_is_named_with_its_reason_as_the_tables_call_it(tmp_path):
    folder = write_run(tmp_path)
    write_link_prediction(folder, "digg", "line", 1, protocols=["pair_grouped"], status="oom", reason="needed 20 GB")
    write_tables(folder)
    (row, *_) = status(folder, read_json(folder / "run.json"))
    assert list(row.values())[:-2] == ["link prediction", "Digg", "LINE", "1", "pair grouped", "oom"]
    assert row["Reason"] == "needed 20 GB"


def test_leakage_reports_stand_side_by_side(tmp_path):
    folder = write_run(tmp_path)
    write_json(folder / "leakage" / "digg.json", {"dataset": "digg", "seen": {"share": 0.25}})
    write_json(folder / "leakage" / "toy.json", {"dataset": "toy", "seen": {"share": 0.5}, "ties": False})
    shown = leakage(folder)
    assert shown["networks"] == [{"name": "digg", "label": "Digg"}, {"name": "toy", "label": "Toy"}]
    assert shown["rows"] == [["seen: share", "0.25", "0.5"], ["ties", "—", "no"]]


def test_methods_that_were_only_timed_are_not_on_the_leaderboard(tmp_path):
    timed = {"name": "line_10", "label": "LINE_10", "role": "baseline", "variant_of": "line", "purpose": "timing"}
    folder = write_run(tmp_path)
    run = read_json(folder / "run.json")
    write_json(folder / "run.json", run | {"methods": [*run["methods"], timed]})
    write_tables(folder)
    names = [(name, group) for name, _, group in board_data(folder)["methods"]]
    assert names == [*(("line", ""), ("node2vec", ""), ("ehna", "")), *(("degree", "control"), ("edgebank", "control"))]
