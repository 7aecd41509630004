"""Ranks: ties at the middle, MRR by arithmetic, vectors and scores on the same queries."""

import numpy as np
import pytest

from evaluation.examples.example_set import POSITIVE
from evaluation.link_prediction.operators import OPERATORS
from evaluation.ranking.queries import make_queries
from evaluation.ranking.ranks import mid_ranks, rank_scores, rank_vectors, ranked_parts
from tests.conftest import network_of


@pytest.fixture(scope="module")
def network():
    generator = np.random.default_rng(0)
    source, target = generator.integers(0, 60, size=(2, 3000))
    return network_of(
        [(u, v, t) for t, (u, v) in enumerate(zip(source.tolist(), target.tolist(), strict=True)) if u != v]
    )


@pytest.fixture(scope="module")
def queries(network):
    return make_queries(network, 2400, network.n_edges, 100, 20, seed=1, draw=1)


def value(cells, metric="mrr", subset="all", operator="score"):
    (found,) = [one for one in cells if (one.metric, one.subset, one.operator) == (metric, subset, operator)]
    return found.value


def test_rank_is_one_plus_those_above_plus_half_of_those_beside():
    negatives = np.array([[3.0, 2.0, 2.0, 1.0], [5.0, 5.0, 5.0, 5.0], [1.0, 1.0, 1.0, 1.0]])
    assert mid_ranks(np.array([2.0, 4.0, 2.0]), negatives).tolist() == [3.0, 5.0, 1.0]


def test_a_constant_score_has_the_middle_rank_everywhere(queries):
    cells = rank_scores(np.zeros(len(queries.source)), queries)
    assert value(cells) == pytest.approx(1 / 11)  # of 21
    assert value(cells, "hits_at_10") == 0


def test_constant_vectors_have_the_middle_rank_under_every_operator(network, queries):
    cells = rank_vectors(np.ones((network.n_nodes, 3)), network.first(2400).degrees == 0, queries)
    assert [value(cells, operator=operator) for operator in OPERATORS] == [pytest.approx(1 / 11)] * 4


def test_a_perfect_score_is_always_first_and_its_opposite_always_last(queries):
    score = (np.arange(len(queries.source)) < queries.rows[POSITIVE].stop).astype(np.float64)
    assert value(rank_scores(score, queries)) == value(rank_scores(score, queries), "hits_at_10") == 1
    assert value(rank_scores(-score, queries)) == pytest.approx(1 / 21)


def test_queries_whose_pair_training_saw_stand_apart(queries):
    """A method that remembers pairs: of a repeated pair the rank is above the new, of a new one below the partners."""
    cells = rank_scores(queries.repeated.astype(np.float64), queries)
    positives, negatives = ranked_parts(queries)
    partners = queries.repeated[negatives].reshape(-1, 20).sum(axis=1)
    repeated = queries.repeated[positives]
    ranks = np.where(repeated, 1 + partners / 2, 1 + partners + (20 - partners) / 2)
    assert value(cells) == pytest.approx(np.mean(1 / ranks))
    assert value(cells, subset="repeated") == pytest.approx(np.mean(1 / ranks[repeated]))
    assert value(cells, subset="new") == pytest.approx(np.mean(1 / ranks[~repeated]))


def test_vectors_that_tell_the_positives_are_found_by_the_classifier():
    """Two groups that meet only inside: what tells them apart puts every positive before the random half at least."""
    generator = np.random.default_rng(1)
    contacts = []
    for t in range(4000):
        group = t % 2
        u, v = generator.choice(50, 2, replace=False) + 50 * group
        contacts.append((int(u), int(v), t))
    network = network_of(contacts)
    queries = make_queries(network, 3200, network.n_edges, 200, 20, seed=1, draw=1)
    side = np.where(np.arange(100) < 50, -1.0, 1.0)
    cells = rank_vectors(side[:, None], network.first(3200).degrees == 0, queries)
    expected = mid_ranks(*scores_by_group(side, queries))
    for operator in ("hadamard", "weighted_l1", "weighted_l2"):
        assert value(cells, operator=operator) == pytest.approx(np.mean(1 / expected))


def scores_by_group(side, queries):
    same = (side[queries.source] == side[queries.target]).astype(np.float64)
    positives, negatives = ranked_parts(queries)
    return same[positives], same[negatives].reshape(positives.stop - positives.start, -1)


def test_where_nothing_can_be_ranked_every_cell_says_why(network):
    nothing = make_queries(network_of([(0, 1, 1), (2, 3, 2), (4, 5, 3)]), 2, 3, 10, 5, seed=1, draw=1)
    cells = [
        *rank_scores(np.zeros(len(nothing.source)), nothing),
        *rank_vectors(np.ones((6, 2)), np.zeros(6, bool), nothing),
    ]
    assert {(cell.status, cell.value) for cell in cells} == {("undefined", None)}
    assert all("nothing to rank" in cell.reason for cell in cells)
