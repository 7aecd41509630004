"""Static walks: the merged graph, and walk frequencies against the exact transition matrix of node2vec."""

import numba
import numpy as np
import pytest
from scipy.stats import binomtest, chisquare

from methods.kernels.static_graph import is_listed, merged_graph, pairs_once, shorter_list, walk_graph
from methods.kernels.static_walks import static_walks
from networks.synthetic import generate
from tests.conftest import network_of

# Triangle 0-1-2, tail 2-3-4, chord 1-3; pairs meet 1 to 4 times, some named in reverse.
CONTACTS = [
    (0, 1, 1), (1, 0, 2), (0, 1, 3), (1, 2, 4), (2, 0, 5), (0, 2, 6), (2, 3, 7),
    (3, 4, 8), (4, 3, 9), (3, 4, 10), (3, 4, 11), (1, 3, 12),
]  # fmt: skip


def walkable(network):
    return walk_graph(merged_graph(network))


def have_met(graph, u, v):
    return is_listed(graph.neighbors, *shorter_list(graph.offsets, u, v))


def weight_matrix(network):
    weights = np.zeros((network.n_nodes, network.n_nodes))
    np.add.at(weights, (network.source, network.target), 1)
    return weights + weights.T


def exact_step(weights, previous, node, p, q):
    """Probabilities of the next node, straight from the definition."""
    factor = np.where(weights[previous] > 0, 1.0, 1.0 / q)
    factor[previous] = 1.0 / p
    mass = weights[node] * factor
    return mass / mass.sum()


def chi_square_p_value(observed, expected):
    """p-value of counts against probabilities; impossible outcomes must not have been seen."""
    assert not observed[expected == 0].any()
    possible = expected > 0
    return chisquare(observed[possible], expected[possible] * observed.sum()).pvalue


def test_contacts_of_a_pair_in_either_direction_become_one_edge_with_their_number_as_weight(repeated):
    graph = merged_graph(repeated)
    assert graph.offsets.tolist() == [0, 1, 3, 4]
    assert graph.neighbors.tolist() == [1, 0, 2, 1]
    assert graph.weights.tolist() == [3, 3, 2, 2]


def test_every_pair_is_listed_once_with_its_weight(repeated):
    pairs, weights = pairs_once(merged_graph(repeated))
    assert pairs.tolist() == [[0, 1], [1, 2]]
    assert weights.tolist() == [3, 2]


def test_every_contact_is_a_crossing_and_back_leads_over_the_same_pair():
    network = generate(50, 400, seed=1)
    weights, graph = weight_matrix(network), walkable(network)
    for node in range(50):
        crossings = graph.crossings[graph.first_crossing[node] : graph.first_crossing[node + 1]]
        assert np.array_equal(crossings["neighbor"], np.repeat(np.arange(50), weights[node].astype(int)))
        for crossing, times_met in zip(crossings, graph.times_met[graph.first_crossing[node] :], strict=False):
            assert crossing["first_next"] == graph.first_crossing[crossing["neighbor"]]
            following = graph.crossings[crossing["first_next"] : crossing["first_next"] + crossing["n_next"]]
            ways_back = range(crossing["back"], crossing["back"] + times_met)
            assert np.array_equal(np.flatnonzero(following["neighbor"] == node), ways_back)


def test_neighbor_search_does_not_read_the_neighbors_of_the_next_node():
    # Node 0 lists [1]; the list of node 1, right behind it in memory, starts with 0 and goes on with 5.
    graph = merged_graph(network_of([(0, 1, 1), (1, 5, 2), (2, 5, 3)]))
    for node, other in [(0, 5), (0, 0), (3, 1), (5, 9)]:
        first, length = graph.offsets[node], graph.offsets[node + 1] - graph.offsets[node]
        assert not is_listed(graph.neighbors, first, length, other)


def test_neighbor_search_agrees_with_the_matrix_for_every_pair():
    network = generate(60, 500, seed=3)
    graph = merged_graph(network.first(200))
    linked = weight_matrix(network.first(200)) > 0
    found = [[have_met(graph, u, v) for v in range(60)] for u in range(60)]
    assert np.array_equal(found, linked)


def test_first_steps_follow_the_weights():
    network = network_of(CONTACTS)
    weights = weight_matrix(network)
    graph = walkable(network)
    for start in range(4):
        walks = static_walks(graph, np.full(20_000, start, dtype=np.int32), 2, 0.25, 4, seed=start)
        counts = np.bincount(walks[:, 1], minlength=5)
        assert chi_square_p_value(counts, weights[start] / weights[start].sum()) > 1e-3


@pytest.mark.parametrize(("p", "q"), [(1, 1), (0.25, 4), (4, 0.25), (0.5, 2), (2, 0.5), (0.25, 1), (1, 4), (4, 4)])
def test_walk_frequencies_match_the_second_order_transition_matrix(p, q):
    network = network_of(CONTACTS)
    weights = weight_matrix(network)
    starts = np.tile(np.arange(5, dtype=np.int32), 2000)
    walks = static_walks(walkable(network), starts, 30, p, q, seed=11)
    counts = np.zeros((5, 5, 5))
    np.add.at(counts, (walks[:, :-2], walks[:, 1:-1], walks[:, 2:]), 1)
    p_values = [
        chi_square_p_value(counts[u, v], exact_step(weights, u, v, p, q))
        for u in range(5)
        for v in np.flatnonzero(weights[u])
        if np.count_nonzero(weights[v]) > 1
    ]
    assert len(p_values) == 11
    assert min(p_values) > 1e-3


@pytest.mark.parametrize("p", [1e-5, 0.25, 4])
@pytest.mark.parametrize("q", [0.25, 4])
def test_the_way_back_from_a_hub_of_100_000_neighbors_has_its_exact_probability(p, q):
    # With p = 1e-5 rejection alone would need some 100,000 proposals for each step.
    leaves = 100_000
    star = network_of([(0, leaf, leaf) for leaf in range(1, leaves + 1)])
    starts = np.arange(1, 20_001, dtype=np.int32)
    walks = static_walks(walkable(star), starts, 3, p, q, seed=5)
    returned = int(np.count_nonzero(walks[:, 2] == walks[:, 0]))
    exact = (1 / p) / (1 / p + (leaves - 1) / q)
    assert binomtest(returned, len(starts), exact).pvalue > 1e-3


@pytest.mark.parametrize("walk_length", [1, 2, 3, 80])
@pytest.mark.parametrize("p", [1, 0.5])
def test_walk_length_counts_nodes_and_the_start_is_one_of_them(triangle, walk_length, p):
    walks = static_walks(walkable(triangle), np.array([2, 0, 1], dtype=np.int32), walk_length, p, 2, seed=1)
    assert walks.shape == (3, walk_length)
    assert walks[:, 0].tolist() == [2, 0, 1]


def test_a_walk_turns_back_at_a_dead_end(path):
    walks = static_walks(walkable(path), np.zeros(200, dtype=np.int32), 40, 4, 0.25, seed=1)
    before_and_after = np.stack([walks[:, :-2], walks[:, 2:]], axis=-1)[np.isin(walks[:, 1:-1], [0, 3])]
    assert len(before_and_after) > 0
    assert np.all(before_and_after[:, 0] == before_and_after[:, 1])


@pytest.mark.parametrize(("p", "q"), [(1, 1), (0.5, 2)])
def test_number_of_threads_does_not_change_the_walks(p, q):
    network = generate(300, 2000, seed=1)
    graph, starts = walkable(network), np.arange(300, dtype=np.int32)
    threads = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        alone = static_walks(graph, starts, 20, p, q, seed=7)
    finally:
        numba.set_num_threads(threads)
    assert np.array_equal(alone, static_walks(graph, starts, 20, p, q, seed=7))


@pytest.mark.parametrize(("p", "q"), [(1, 1), (0.5, 2)])
def test_blocks_of_walks_are_the_walks_of_one_call(p, q):
    graph, starts = walkable(generate(300, 2000, seed=1)), np.arange(300, dtype=np.int32)
    whole = static_walks(graph, starts, 20, p, q, seed=7)
    blocks = [static_walks(graph, starts[i : i + 70], 20, p, q, seed=7, first_walk=i) for i in range(0, 300, 70)]
    assert np.array_equal(whole, np.concatenate(blocks))


def test_another_seed_gives_other_walks(triangle):
    graph, starts = walkable(triangle), np.zeros(50, dtype=np.int32)
    assert not np.array_equal(static_walks(graph, starts, 10, 1, 1, 1), static_walks(graph, starts, 10, 1, 1, 2))
