"""Which protocol the paper's numbers fit: told from runs that repeat the paper's cells under one of two protocols."""

import pytest

from evaluation.repeats_file import LINK_PREDICTION_COLUMNS
from evaluation.report.paper.numbers import BASELINES, our_name, paper_cells
from evaluation.report.tables.all_tables import write_tables
from tests.synthetic_run import METRICS, rows_of, write_rows, write_run

METHODS = [{"name": our_name(name), "label": name, "role": "baseline"} for name in BASELINES[:2]]


def write_papers_numbers(folder, dataset, apart):
    """The paper's cells of DBLP as ours, off by so much under each protocol."""
    cells = {
        (our_name(cell.method), our_name(cell.operator), our_name(cell.metric)): cell.value
        for cell in paper_cells()
        if (cell.table, cell.dataset) == ("link_prediction", "DBLP")
    }
    for method in METHODS:
        rows = [
            [dataset, name, 1, 1, protocol, split, operator, "all", metric, value + by, "ok", "", "", "c0de-e0"]
            for protocol, by in apart.items()
            for split in (1, 2)
            for (name, operator, metric), value in cells.items()
            if name == method["name"] and metric in METRICS
        ]
        write_rows(folder / "link_prediction" / dataset / method["name"] / "seed-1.csv", LINK_PREDICTION_COLUMNS, rows)


@pytest.mark.parametrize(("dataset", "called"), [("dblp", "DBLP"), ("dblp_htne", "Dblp_htne (stands in for DBLP)")])
def test_the_protocol_with_the_least_difference_is_named(tmp_path, dataset, called):
    protocols = {"paper": 0.1, "degree_matched": -0.02}
    folder = write_run(tmp_path, datasets=[dataset], methods=METHODS, protocols=list(protocols), seeds=[1])
    write_papers_numbers(folder, dataset, protocols)
    write_tables(folder)
    # Two methods, four operators, four metrics.
    assert [list(row.values()) for row in rows_of(folder, "paper_protocols.csv")] == [
        [called, "the paper's protocol", "0.1000", "32"],
        [called, "degree-matched", "0.0200", "32"],
        ["All of these", "the paper's protocol", "0.1000", "32"],
        ["All of these", "degree-matched", "0.0200", "32"],
    ]
    assert (folder / "tables" / "paper_fit.txt").read_text() == (
        "The published numbers fit degree-matched best: they differ from ours by 0.020 on average, against 0.100 under "
        "the paper's protocol.\n"
    )


def test_other_networks_say_nothing_about_the_paper(tmp_path):
    folder = write_run(tmp_path, datasets=["toy"])
    write_tables(folder)
    assert not list((folder / "tables").glob("paper_[fp]*"))
