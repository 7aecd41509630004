"""Comparisons of methods in a run: who is tested against whom, what a test covers, and ranks over networks."""

import pytest

from evaluation.report.tables.all_tables import write_tables
from tests.synthetic_run import METHODS, cell, only, rows_of, write_link_prediction, write_run


@pytest.fixture
def run_folder(tmp_path):
    return write_run(tmp_path / "results" / "synthetic")


def test_proposed_method_is_tested_against_every_other_with_holms_correction(run_folder):
    write_tables(run_folder)
    rows = rows_of(run_folder, "significance.csv")
    family = [
        row
        for row in rows
        if (row["dataset"], row["protocol"], row["operator"], row["metric"]) == ("digg", "paper", "mean", "auc")
    ]
    assert [(row["first"], row["second"]) for row in family] == [
        ("ehna", other) for other in ("line", "node2vec", "degree", "edgebank")
    ]
    assert family[0]["difference"] == "0.200000"
    smallest = min(float(row["p_value"]) for row in family)
    assert min(float(row["p_holm"]) for row in family) == pytest.approx(4 * smallest, rel=0.05)


def test_all_pairs_are_tested_without_a_proposed_method(run_folder):
    only(run_folder, "line", "node2vec", "degree")
    write_tables(run_folder)
    pairs = {(row["first"], row["second"]) for row in rows_of(run_folder, "significance.csv")}
    assert pairs == {("line", "node2vec"), ("line", "degree"), ("node2vec", "degree")}


def test_test_with_one_seed_says_that_it_knows_nothing_of_training(tmp_path):
    folder = write_run(tmp_path, seeds=[1])
    write_tables(folder)
    assert {row["covers"] for row in rows_of(folder, "significance.csv")} == {
        "draws and splits of one fit, not what another training seed would give"
    }


def test_seeds_that_are_left_are_compared_whatever_their_numbers(run_folder):
    for method, failed in (("ehna", 1), ("line", 3)):
        write_link_prediction(run_folder, "digg", method, failed, status="failed", reason="no memory")
    write_tables(run_folder)
    compared = {"protocol": "paper", "operator": "mean", "metric": "auc", "first": "ehna", "second": "line"}
    assert cell(rows_of(run_folder, "significance.csv"), dataset="digg", **compared)["seeds"] == "2"


def test_seeds_without_repeated_draws_or_splits_give_no_p_value(run_folder):
    for path in (run_folder / "link_prediction").glob("*/*/*.csv"):
        header, *lines = path.read_text().splitlines()
        kept = [line for line in lines if line.split(",")[3] == line.split(",")[5] == "1"]
        path.write_text("\n".join([header, *kept]) + "\n")
    write_tables(run_folder)
    rows = rows_of(run_folder, "significance.csv")
    assert {(row["seeds"], row["draws"], row["splits"]) for row in rows} == {("3", "1", "1")}
    assert {(row["p_value"], row["p_holm"], row["ci_low"], row["ci_high"]) for row in rows} == {("", "", "", "")}
    assert {row["covers"] for row in rows} == {"nothing: neither draws nor splits were repeated"}


def test_a_critical_difference_needs_two_networks(run_folder, tmp_path):
    write_tables(run_folder)
    chosen = {"protocol": "paper", "operator": "summary", "metric": "auc", "method": "ehna"}
    found = cell(rows_of(run_folder, "ranks.csv"), **chosen)
    assert (found["average_rank"], found["networks"], found["critical_difference"]) == ("1.0000", "2", "2.3437")
    alone = write_run(tmp_path / "alone", datasets=["toy"])
    write_tables(alone)
    found = cell(rows_of(alone, "ranks.csv"), **chosen)
    assert (found["average_rank"], found["networks"], found["critical_difference"]) == ("1.0000", "1", "")


def test_network_without_any_number_is_left_out_of_the_ranks(tmp_path):
    folder = write_run(tmp_path, datasets=["digg", "toy", "empty"])
    for method in METHODS:
        for seed in (1, 2, 3):
            write_link_prediction(folder, "empty", method["name"], seed, status="undefined", reason="one class only")
    write_tables(folder)
    assert {row["networks"] for row in rows_of(folder, "ranks.csv")} == {"2"}


def test_tables_are_made_where_every_compared_method_failed(run_folder):
    for dataset in ("digg", "toy"):
        for method in ("line", "node2vec", "ehna"):
            for seed in (1, 2, 3):
                write_link_prediction(run_folder, dataset, method, seed, status="failed", reason="no memory")
    write_tables(run_folder)
    assert {row["method"] for row in rows_of(run_folder, "status.csv")} >= {"line", "node2vec", "ehna"}
