"""Link prediction end to end on examples small enough to check."""

from dataclasses import replace

import numpy as np
import pytest
from liblinear.liblinearutil import predict, train
from sklearn.metrics import roc_auc_score

from evaluation.embeddings import to_common_unit
from evaluation.examples.example_set import make_examples
from evaluation.examples.protocols import PROTOCOLS, classifier_split
from evaluation.link_prediction.classifier import CLASSIFIERS
from evaluation.link_prediction.evaluate import (
    SUBSETS,
    cells_without_value,
    evaluate_embeddings,
    evaluate_scores,
    select,
)
from evaluation.link_prediction.liblinear_fit import OPTIONS
from evaluation.link_prediction.metrics import METRICS
from evaluation.link_prediction.operators import OPERATORS
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
    cells = evaluate_embeddings(side, unseen, examples, PAPER, splits=4)
    assert min(values(cells, operator="hadamard", subset="all", metric="recall")) == 1
    across = examples.source[examples.rows["uniform"]] % 2 != examples.target[examples.rows["uniform"]] % 2
    assert across.mean() > 0.5, "or the negatives would be as close as the positives"
    assert min(values(cells, operator="hadamard", subset="all", metric="auc")) > 0.7


def test_scores_equal_those_of_the_plain_way(examples, unseen):
    """The list-of-dicts interface of LIBLINEAR and scikit-learn's AUC, on features computed at once."""
    cells = evaluate_embeddings(vectors(), unseen, examples, PAPER, splits=2, classifier="liblinear")
    table = to_common_unit(vectors(), unseen)
    selection, _ = select(examples, "uniform", unseen)
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


@pytest.mark.parametrize("unit", [1e-3, 1e6, 1e200])
def test_the_unit_of_vectors_changes_no_cell(examples, unseen, unit):
    given, scaled = (
        evaluate_embeddings(table, unseen, examples, PAPER, splits=2)
        for table in (vectors().astype(np.float64), vectors().astype(np.float64) * unit)
    )
    assert [replace(cell, value=None) for cell in scaled] == [replace(cell, value=None) for cell in given]
    assert values(scaled) == [pytest.approx(value, abs=1e-9) for value in values(given)]


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_results_do_not_depend_on_the_number_of_threads(examples, unseen, classifier):
    protocols = [PROTOCOLS["paper"], PROTOCOLS["pair_grouped"], PROTOCOLS["historical"]]
    one, four = (
        evaluate_embeddings(vectors(), unseen, examples, protocols, splits=4, threads=threads, classifier=classifier)
        for threads in (1, 4)
    )
    assert one == four


def test_the_first_split_of_the_first_draw_is_checked_against_liblinear(examples, unseen):
    def run(examples, classifier):
        return evaluate_embeddings(vectors(), unseen, examples, PAPER, splits=2, classifier=classifier)

    checked, newton, liblinear = (run(examples, classifier) for classifier in CLASSIFIERS)
    assert [replace(cell, by_liblinear=None) for cell in checked] == newton
    assert {cell.by_liblinear for cell in [*newton, *liblinear]} == {None}
    paired = [(cell.by_liblinear, other.value) for cell, other in zip(checked, liblinear, strict=True)]
    in_first = [cell.split == 1 for cell in checked]
    assert all(found == expected for (found, expected), first in zip(paired, in_first, strict=True) if first)
    assert {found for (found, _), first in zip(paired, in_first, strict=True) if not first} == {None}
    assert values(checked, metric="auc", subset="all") == pytest.approx(
        values(liblinear, metric="auc", subset="all"), abs=0.02
    )
    second_draw = replace(examples, facts=examples.facts | {"draw": 2})
    assert {cell.by_liblinear for cell in run(second_draw, "newton_checked")} == {None}


def test_a_protocol_alone_gives_the_same_cells_as_beside_others(examples, unseen):
    protocols = [PROTOCOLS["paper"], PROTOCOLS["historical"]]
    together = evaluate_embeddings(vectors(), unseen, examples, protocols, splits=2)
    alone = evaluate_embeddings(vectors(), unseen, examples, protocols[1:], splits=2)
    assert [cell for cell in together if cell.protocol == "historical"] == alone


def test_what_a_method_leaves_at_unseen_nodes_does_not_matter(examples, unseen):
    changed = vectors()
    changed[unseen] = 100.0
    given = evaluate_embeddings(vectors(), unseen, examples, PAPER, splits=1)
    assert given == evaluate_embeddings(changed, unseen, examples, PAPER, splits=1)


def test_pairs_of_unseen_nodes_are_left_out_and_the_classes_stay_equal(examples, unseen):
    selection, rows = select(examples, "uniform", unseen)
    dropped = examples.unseen[: examples.n_positive].sum(), examples.unseen[examples.rows["uniform"]].sum()
    assert dropped[0] != dropped[1], "or there would be nothing to balance"
    assert np.count_nonzero(selection.positive) == examples.n_positive - max(dropped)
    assert np.count_nonzero(~selection.positive) == examples.n_positive - max(dropped)
    assert not examples.unseen[rows].any()
    assert len(set(rows)) == len(rows)


def test_subsets_part_the_positives_by_training(examples, unseen):
    selection, rows = select(examples, "uniform", unseen)
    subsets = selection.subsets(np.arange(len(rows)))
    positive = selection.positive
    assert subsets["all"].all()
    assert np.array_equal(subsets["repeated"] & positive, examples.repeated[rows] & positive)
    assert np.array_equal(subsets["new"] & positive, ~examples.repeated[rows] & positive)
    assert subsets["repeated"][~positive].all()
    assert subsets["new"][~positive].all()


def test_negatives_that_are_not_available_give_cells_with_the_reason(examples, unseen):
    cells = evaluate_embeddings(vectors(), unseen, examples, [PROTOCOLS["type_respecting"]], splits=2)
    assert {(cell.value, cell.status, cell.split) for cell in cells} == {(None, "undefined", 0)}
    assert {cell.reason for cell in cells} == {
        "type-respecting negatives need a bipartite network, and this one is not"
    }
    assert len(cells) == len(OPERATORS) * len(SUBSETS) * len(METRICS)


def test_a_split_without_both_classes_gives_cells_with_the_reason(network, unseen):
    two = make_examples(network, 399, 400, ["uniform"], seed=1, draw=1)
    cells = evaluate_embeddings(vectors(), unseen, two, PAPER, splits=1)
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


def test_another_draw_has_other_splits(examples, unseen):
    other = replace(examples, facts=examples.facts | {"draw": 2})
    first = evaluate_embeddings(vectors(), unseen, examples, PAPER, splits=1)
    assert values(first) != values(evaluate_embeddings(vectors(), unseen, other, PAPER, splits=1))


def test_a_failure_has_one_cell_per_number_with_its_status():
    cells = cells_without_value(2, PAPER, ("score",), "oom", "needed 20 GB")
    assert len(cells) == len(SUBSETS) * len(METRICS)
    assert {(cell.draw, cell.status, cell.reason, cell.value) for cell in cells} == {(2, "oom", "needed 20 GB", None)}


@pytest.fixture(scope="module")
def meeting_often():
    """Contacts of which most pairs meet several times, and examples under a lax and a strict protocol."""
    generator = np.random.default_rng(5)
    pairs = [(int(u), 150 + int(v)) for u, v in generator.integers(0, 150, size=(250, 2))]
    network = network_of([(*pairs[i], t) for t, i in enumerate(generator.integers(0, 250, size=3000))], 300)
    examples = make_examples(network, 1500, 3000, ["uniform", "degree_matched_pairs"], seed=1, draw=1)
    return examples, network.first(1500).degrees == 0


BOTH = [PROTOCOLS["paper"], PROTOCOLS["degree_matched_pairs"]]


def test_equal_vectors_tie_all_examples_at_one_half(meeting_often):
    examples, unseen = meeting_often
    cells = evaluate_embeddings(np.ones((300, 8), dtype=np.float32), unseen, examples, BOTH, splits=2)
    assert set(values(cells, subset="all", metric="auc")) == {0.5}
    # All negatives share one rank with the positives: 1 + n/2.
    assert max(values(cells, subset="all", metric="mrr")) < 0.02


def test_equal_scores_tie_all_examples_at_one_half(meeting_often):
    examples, unseen = meeting_often
    cells = evaluate_scores(np.full(len(examples.source), 7.0), unseen, examples, BOTH, splits=2)
    assert set(values(cells, subset="all", metric="auc")) == {0.5}
    assert set(values(cells, subset="all", metric="hits_at_10")) == {0.0}


def test_random_vectors_of_the_common_width_remember_pairs_under_the_papers_protocol_and_know_nothing_under_the_strict(
    meeting_often,
):
    examples, unseen = meeting_often
    random = np.random.default_rng(3).normal(size=(300, 64)).astype(np.float32)
    cells = evaluate_embeddings(random, unseen, examples, BOTH, splits=10)
    auc = {name: np.mean(values(cells, protocol=name, subset="all", metric="auc", operator="hadamard"))
           for name in ("paper", "degree_matched_pairs")}  # fmt: skip
    assert auc["paper"] > 0.6
    assert auc["degree_matched_pairs"] == pytest.approx(0.5, abs=0.08)


def test_a_pair_that_meets_often_counts_once_in_the_subset_of_distinct_pairs():
    """Tested are 0-1 three times, which the score finds, and 0-2 and 0-3 once, which it does not."""
    contacts = [(4, 5, 0), (0, 1, 1), (1, 0, 2), (0, 1, 3), (0, 2, 4), (0, 3, 5)]
    examples = make_examples(network_of(contacts), 1, 6, ["uniform"], seed=1, draw=1)
    selection, _ = select(examples, "uniform", np.zeros(6, dtype=np.bool_))
    chosen = selection.subsets(np.arange(10))["distinct_pairs"]
    assert chosen.tolist() == [True, False, False, True, True, *[True] * 5]
