"""The table of ranking: MRR by network and operator, scores of pairs beside vectors, everything in long form."""

import pytest

from evaluation.link_prediction.operators import OPERATORS
from evaluation.ranking.ranks import METRICS, SUBSETS
from evaluation.repeats_file import LINK_PREDICTION_COLUMNS, write_repeats
from evaluation.report.tables.all_tables import write_tables
from harness.files import read_json
from tests.synthetic_run import cell, rows_of, write_json, write_run

LEVELS = {"line": 0.4, "ehna": 0.6, "edgebank": 0.9}


@pytest.fixture
def run_folder(tmp_path):
    folder = write_run(tmp_path / "results" / "synthetic", datasets=("toy",))
    run = read_json(folder / "run.json")
    run["config"]["ranking"] = {"queries": 2000, "negatives": 100}
    write_json(folder / "run.json", run)
    for method, level in LEVELS.items():
        for seed in (1, 2, 3):
            rows = [
                [
                    *("toy", method, seed, 1, "ranking", 1, operator, subset, metric),
                    *(repr(level + 0.01 * (seed - 2) - 0.1 * (subset == "new")), "ok", "", "", "c0de-e0"),
                ]
                for operator in (("score",) if method == "edgebank" else OPERATORS)
                for subset in SUBSETS
                for metric in METRICS
            ]
            write_repeats(folder / "ranking" / "toy" / method / f"seed-{seed}.csv", LINK_PREDICTION_COLUMNS, rows)
    write_tables(folder)
    return folder


def test_long_table_has_every_number_over_all_seeds(run_folder):
    rows = rows_of(run_folder, "ranking.csv")
    assert len(rows) == (4 + 4 + 1) * len(SUBSETS) * len(METRICS)
    found = cell(rows, method="line", operator="hadamard", queries="new", metric="mrr")
    assert (found["mean"], found["n"], found["status"]) == ("0.300000", "3", "ok")


def test_readable_table_has_the_mrr_under_each_operator_and_a_score_in_every_row(run_folder):
    text = (run_folder / "tables" / "ranking.md").read_text()
    assert "| Network | Operator | LINE | EHNA | EdgeBank † |" in text
    for operator in ("Mean", "Hadamard", "Weighted-L1", "Weighted-L2"):
        assert f"| Toy | {operator} | 0.4000 | **0.6000** | 0.9000 |" in text
    assert "up to 100 stored negatives" in text and "3 training seeds x 1 draw" in text


def test_files_of_a_section_that_the_run_no_longer_has_are_not_read(run_folder):
    run = read_json(run_folder / "run.json")
    del run["config"]["ranking"]
    write_json(run_folder / "run.json", run)
    write_tables(run_folder, run_folder / "again")
    assert (run_folder / "tables" / "ranking.csv").exists() and not (run_folder / "again" / "ranking.csv").exists()
