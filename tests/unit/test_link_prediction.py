"""Link prediction end to end on examples small enough to check."""

from dataclasses import replace

import numpy as np
import pytest
from liblinear.liblinearutil import predict, train
from sklearn.metrics import roc_auc_score

from evaluation.classifier import OPTIONS
from evaluation.embeddings import apply_unseen_policy, to_common_unit
from evaluation.examples import make_examples
from evaluation.link_prediction import (
    SUBSETS,
    cells_without_value,
    evaluate_embeddings,
    evaluate_scores,
    select,
)
from evaluation.metrics import METRICS
from evaluation.operators import OPERATORS
from evaluation.protocols import PROTOCOLS, classifier_split
from tests.conftest import network_of

PAPER = [PROTOCOLS["paper"]]


def communities(n_nodes=40, n_edges=400, seed=0):
    """Contacts inside two halves of the nodes; the last two nodes meet nobody before the newest contacts."""
    generator = np.random.default_rng(seed)
    contacts = []
    while len(contacts) < n_edges:
        known = n_nodes if len(contacts) > 0.9 * n_edges else n_nodes - 2
        u, v = generator.integers(0, known, size=2)
        if u != v and u % 2 == v % 2:
            contacts.append((int(u), int(v), len(contacts)))
    return network_of(contacts, n_nodes)


@pytest.fixture(scope="module")
def network():
    return communities()


@pytest.fixture(scope="module")
def examples(network):
    return make_examples(network, 320, 400, ["uniform", "historical", "type_respecting"], seed=1, draw=1)


@pytest.fixture(scope="module")
def unseen(network):
    return network.first(320).degrees == 0


def vectors(n_nodes=40, dimensions=6, seed=0):
    return np.random.default_rng(seed).normal(size=(n_nodes, dimensions)).astype(np.float32)


def values(cells, **wanted):
    return [cell.value for cell in cells if all(getattr(cell, key) == value for key, value in wanted.items())]


def test_every_operator_split_subset_and_metric_has_one_cell(examples, unseen):
    cells = evaluate_embeddings(vectors(), unseen, examples, PAPER, splits=3)
    keys = {(cell.split, cell.operator, cell.subset, cell.metric) for cell in cells}
    assert len(keys) == len(cells) == 3 * len(OPERATORS) * len(SUBSETS) * len(METRICS)


def test_vectors_that_tell_the_communities_apart_predict_nearly_all(network, examples, unseen):
    side = np.where(np.arange(40) % 2 == 0, 1.0, -1.0)[:, None]
    cells = evaluate_embeddings(side, unseen, examples, PAPER, splits=4, unseen_policy="drop")
    assert min(values(cells, operator="hadamard", subset="all", metric="recall")) == 1
    across = examples.source[examples.rows["uniform"]] % 2 != examples.target[examples.rows["uniform"]] % 2
    assert across.mean() > 0.5, "or the negatives would be as close as the positives"
    assert min(values(cells, operator="hadamard", subset="all", metric="auc")) > 0.7


@pytest.mark.parametrize("policy", ["zero", "mean", "drop"])
def test_scores_equal_those_of_the_plain_way(examples, unseen, policy):
    """The list-of-dicts interface of LIBLINEAR and scikit-learn's AUC, on features computed at once."""
    cells = evaluate_embeddings(vectors(), unseen, examples, PAPER, splits=2, unseen_policy=policy)
    table = to_common_unit(apply_unseen_policy(vectors(), unseen, policy), unseen)
    selection, _ = select(examples, "uniform", unseen, policy == "drop")
    for operator, combine in OPERATORS.items():
        features = combine(table[selection.pairs.source], table[selection.pairs.target])
        rows = [{j + 1: value for j, value in enumerate(row)} for row in features.tolist()]
        classes = np.where(selection.positive, 1, -1)
        for split in (1, 2):
            training, test = classifier_split(PROTOCOLS["paper"], selection.pairs, 1, 1, split)
            model = train(classes[training].tolist(), [rows[i] for i in training], OPTIONS)
            decisions = np.array(predict([], [rows[i] for i in test], model, "-q")[2])[:, 0]
            expected = roc_auc_score(selection.positive[test], decisions)
            wanted = {"operator": operator, "split": split, "subset": "all", "metric": "auc"}
            assert values(cells, **wanted) == pytest.approx([expected], abs=1e-12)


@pytest.mark.parametrize("policy", ["zero", "mean", "drop"])
@pytest.mark.parametrize("unit", [1e-3, 1e6, 1e200])
def test_the_unit_of_vectors_changes_no_cell(examples, unseen, unit, policy):
    given, scaled = (
        evaluate_embeddings(table, unseen, examples, PAPER, splits=2, unseen_policy=policy)
        for table in (vectors().astype(np.float64), vectors().astype(np.float64) * unit)
    )
    assert [replace(cell, value=None) for cell in scaled] == [replace(cell, value=None) for cell in given]
    assert values(scaled) == [pytest.approx(value, abs=1e-9) for value in values(given)]


def test_results_do_not_depend_on_the_number_of_threads(examples, unseen):
    protocols = [PROTOCOLS["paper"], PROTOCOLS["pair_grouped"], PROTOCOLS["historical"]]
    one = evaluate_embeddings(vectors(), unseen, examples, protocols, splits=4, threads=1)
    four = evaluate_embeddings(vectors(), unseen, examples, protocols, splits=4, threads=4)
    assert one == four


def test_a_protocol_alone_gives_the_same_cells_as_beside_others(examples, unseen):
    protocols = [PROTOCOLS["paper"], PROTOCOLS["historical"]]
    together = evaluate_embeddings(vectors(), unseen, examples, protocols, splits=2, unseen_policy="drop")
    alone = evaluate_embeddings(vectors(), unseen, examples, protocols[1:], splits=2, unseen_policy="drop")
    assert [cell for cell in together if cell.protocol == "historical"] == alone


def test_what_a_method_leaves_at_unseen_nodes_does_not_matter(examples, unseen):
    changed = vectors()
    changed[unseen] = 100.0
    for policy in ("zero", "mean", "drop"):
        given = evaluate_embeddings(vectors(), unseen, examples, PAPER, splits=1, unseen_policy=policy)
        assert given == evaluate_embeddings(changed, unseen, examples, PAPER, splits=1, unseen_policy=policy)


def test_dropped_examples_leave_no_number_for_unseen_nodes(examples, unseen):
    cells = evaluate_embeddings(vectors(), unseen, examples, PAPER, splits=1, unseen_policy="drop")
    assert set(values(cells, subset="unseen_nodes")) == {None}
    assert values(cells, subset="all") == values(cells, subset="seen_nodes")
    reasons = {cell.reason for cell in cells if cell.subset == "unseen_nodes"}
    assert reasons == {"the subset has no positive example in this test half"}


def test_dropped_examples_leave_as_many_negatives_as_positives(examples, unseen):
    selection, rows = select(examples, "uniform", unseen, drop_unseen=True)
    dropped = examples.unseen[: examples.n_positive].sum(), examples.unseen[examples.rows["uniform"]].sum()
    assert dropped[0] != dropped[1], "or there would be nothing to balance"
    assert np.count_nonzero(selection.positive) == examples.n_positive - max(dropped)
    assert np.count_nonzero(~selection.positive) == examples.n_positive - max(dropped)
    assert not selection.unseen.any()
    assert len(set(rows)) == len(rows)


def test_subsets_part_the_positives_by_training_and_the_examples_by_their_nodes(examples, unseen):
    selection, rows = select(examples, "uniform", unseen, drop_unseen=False)
    subsets = selection.subsets(np.arange(len(rows)))
    positive = selection.positive
    assert subsets["all"].all()
    assert np.array_equal(subsets["repeated"] & positive, examples.repeated[rows] & positive)
    assert np.array_equal(subsets["new"] & positive, ~examples.repeated[rows] & positive)
    assert subsets["repeated"][~positive].all()
    assert subsets["new"][~positive].all()
    assert np.array_equal(subsets["unseen_nodes"], examples.unseen[rows])
    assert np.array_equal(subsets["seen_nodes"], ~examples.unseen[rows])


def test_negatives_that_are_not_available_give_cells_with_the_reason(examples, unseen):
    cells = evaluate_embeddings(vectors(), unseen, examples, [PROTOCOLS["type_respecting"]], splits=2)
    assert {(cell.value, cell.status, cell.split) for cell in cells} == {(None, "undefined", 0)}
    assert {cell.reason for cell in cells} == {
        "type-respecting negatives need a bipartite network, and this one is not"
    }
    assert len(cells) == len(OPERATORS) * len(SUBSETS) * len(METRICS)


def test_a_split_without_both_classes_gives_cells_with_the_reason(network, unseen):
    two = make_examples(network, 399, 400, ["uniform"], seed=1, draw=1)
    cells = evaluate_embeddings(vectors(), unseen, two, PAPER, splits=1, unseen_policy="zero")
    assert {(cell.value, cell.status) for cell in cells} == {(None, "undefined")}
    assert all("one class only" in cell.reason for cell in cells)


def test_the_split_by_time_is_run_once(examples, unseen):
    cells = evaluate_embeddings(vectors(), unseen, examples, [PROTOCOLS["older_newer"]], splits=5)
    assert {cell.split for cell in cells} == {1}


def test_scores_rank_as_they_are_whatever_their_unit(examples, unseen):
    scores = np.random.default_rng(1).normal(size=len(examples.source)) + (np.arange(len(examples.source)) < 80)
    cells = evaluate_scores(scores, unseen, examples, PAPER, splits=2)
    assert {cell.operator for cell in cells} == {"score"}
    huge = evaluate_scores(scores * 2.0**40, unseen, examples, PAPER, splits=2)
    assert values(huge) == values(cells)


def test_scores_that_are_upside_down_are_not_turned_around(examples, unseen):
    perfect = (np.arange(len(examples.source)) < 80).astype(np.float64)
    right = evaluate_scores(perfect, unseen, examples, PAPER, splits=2)
    wrong = evaluate_scores(-perfect, unseen, examples, PAPER, splits=2)
    assert set(values(right, subset="all", metric="auc")) == {1.0}
    assert set(values(wrong, subset="all", metric="auc")) == {0.0}


def test_constant_scores_give_an_auc_of_one_half(examples, unseen):
    cells = evaluate_scores(np.full(len(examples.source), 3.0), unseen, examples, PAPER, splits=2)
    assert set(values(cells, subset="all", metric="auc")) == {0.5}


def test_another_draw_has_other_splits(examples, unseen):
    other = replace(examples, facts=examples.facts | {"draw": 2})
    first = evaluate_embeddings(vectors(), unseen, examples, PAPER, splits=1)
    assert values(first) != values(evaluate_embeddings(vectors(), unseen, other, PAPER, splits=1))


def test_a_failure_has_one_cell_per_number_with_its_status():
    cells = cells_without_value(2, PAPER, ("score",), "oom", "needed 20 GB")
    assert len(cells) == len(SUBSETS) * len(METRICS)
    assert {(cell.draw, cell.status, cell.reason, cell.value) for cell in cells} == {(2, "oom", "needed 20 GB", None)}
