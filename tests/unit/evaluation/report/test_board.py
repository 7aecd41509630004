"""The board: ranks, ties with the best, the verdict, and what never wins."""

import pytest

from evaluation.report.page.board import board_data, warnings
from evaluation.report.tables.all_tables import write_tables
from harness.files import read_json, write_json
from tests import synthetic_run
from tests.synthetic_run import METHODS, cell, rows_of, set_level, write_link_prediction, write_run

CLOSE = {"dataset": "digg", "protocol": "paper", "operator": "summary", "metric": "auc"}


@pytest.fixture
def run_folder(tmp_path):
    return write_run(tmp_path)


def verdict(folder):
    return (folder / "tables" / "verdict.txt").read_text().strip()


def test_the_summary_is_the_mean_over_three_operators(run_folder):
    write_tables(run_folder)
    rows = rows_of(run_folder, "link_prediction.csv")
    numbers = [
        float(cell(rows, **CLOSE | {"operator": operator}, method="line")["mean"])
        for operator in ("hadamard", "weighted_l1", "weighted_l2", "summary")
    ]
    assert numbers[3] == pytest.approx(sum(numbers[:3]) / 3, abs=1e-6)


def test_the_verdict_names_leaders_ties_networks_and_seeds(run_folder):
    write_tables(run_folder)
    # Ranks 1, 2, 3 on both networks, and the critical difference of two networks is 2.34.
    assert verdict(run_folder) == (
        "EHNA leads under the paper's protocol, not separable from any other; "
        "EHNA leads under pair-grouped, not separable from any other (2 networks, 3 seeds)."
    )


def test_on_one_network_the_paired_tests_decide(tmp_path):
    folder = write_run(tmp_path, datasets=["toy"], protocols=["paper"])
    write_tables(folder)
    assert verdict(folder) == "EHNA leads under the paper's protocol, ahead of all others (1 network, 3 seeds)."


def test_methods_that_a_test_does_not_tell_from_the_best_tie_with_it(run_folder, monkeypatch):
    set_level(monkeypatch, run_folder, "node2vec", 0.799)
    write_tables(run_folder)
    rows = rows_of(run_folder, "link_prediction.csv")
    ties = {row["method"]: row["ties_with_best"] for row in rows if CLOSE.items() <= row.items()}
    assert (ties["ehna"], ties["node2vec"], ties["line"]) == ("yes", "yes", "no")


@pytest.mark.parametrize("name", ["degree", "edgebank", "ehna_na"])
def test_controls_and_variants_never_win_whatever_they_reach(run_folder, monkeypatch, name):
    set_level(monkeypatch, run_folder, name, 0.95, datasets=("digg", "toy"))
    write_tables(run_folder)
    assert verdict(run_folder).startswith("EHNA leads")
    assert {row["ties_with_best"] for row in rows_of(run_folder, "link_prediction.csv") if row["method"] == name} == {
        "no"
    }
    assert name not in {row["method"] for row in rows_of(run_folder, "ranks.csv")}
    labels = {method["name"]: method["label"] for method in METHODS}
    board = (run_folder / "tables" / "board.md").read_text()
    assert not [line for line in board.splitlines() if line.startswith(f"| {labels[name]} ") and "**" in line]


def test_the_board_has_both_protocols_side_by_side_sorted_by_rank(run_folder):
    write_tables(run_folder)
    rows = rows_of(run_folder, "board.csv")
    assert list(rows[0]) == [
        "Method",
        *("Mean rank, the paper's protocol", "Mean rank, pair-grouped"),
        *("Digg, the paper's protocol", "Digg, pair-grouped", "Toy, the paper's protocol", "Toy, pair-grouped"),
    ]
    assert [row["Method"] for row in rows] == ["EHNA", "Node2Vec", "LINE", "Degree †", "EdgeBank †"]
    assert board_data(run_folder)["shown"] == ["paper", "pair_grouped"]


def test_a_method_without_a_number_on_a_network_is_named_and_not_ranked(run_folder):
    for seed in (1, 2, 3):
        write_link_prediction(run_folder, "digg", "line", seed, status="oom", reason="needed 20 GB")
    write_tables(run_folder)
    assert "Not ranked, because a network has no number for it: LINE." in warnings(run_folder)


def test_a_run_warns_of_reduced_settings_one_seed_and_leakage(tmp_path, monkeypatch):
    random = {"name": "random", "label": "Random", "role": "control"}
    monkeypatch.setitem(synthetic_run.LEVELS, "random", 0.5)
    folder = write_run(tmp_path, methods=[*METHODS, random], seeds=[1])
    run = read_json(folder / "run.json")
    run["config"]["note"] = "Reduced settings: toy sizes."
    write_json(folder / "run.json", run)
    for name, share in (("digg", 0.83), ("toy", 0.1)):
        write_json(folder / "leakage" / f"{name}.json", {"classifier_split": {"paper": share, "pair_grouped": 0.0}})
    write_tables(folder)
    reduced, seeds, leak = warnings(folder)
    assert reduced == "Reduced settings: toy sizes."
    assert seeds.startswith("One training seed")
    assert leak == (
        "Leakage: under the paper's protocol, 83% of the tested pairs of Digg also trained the classifier; random "
        "vectors reach 0.50 under the paper's protocol and 0.50 under pair-grouped there."
    )


@pytest.mark.parametrize(
    ("evaluation", "words"),
    [
        ("0ther-e0", "several versions of the evaluation: 0ther (1 files), c0de (35 files)"),
        ("c0de-e1", "Mixed results. link prediction on Digg: draw 1 was made from several example sets; run it again."),
    ],
)
def test_results_of_two_versions_or_on_other_examples_are_marked_on_the_page(run_folder, evaluation, words):
    write_link_prediction(run_folder, "digg", "line", 2, evaluation=evaluation)
    write_tables(run_folder)
    assert any(words in told for told in warnings(run_folder))
