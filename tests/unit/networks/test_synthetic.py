"""The generator of temporal networks: exact size, repeatable, and the structure that was asked for is there."""

import numpy as np
import pytest

from networks.errors import NetworkError
from networks.synthetic import generate, plant


def same_community(planted):
    """For every contact: were both ends members of one community at its time?"""
    network = planted.network
    periods = network.time * len(planted.membership) // planted.n_times
    return planted.membership[periods, network.source] == planted.membership[periods, network.target]


def unordered_pairs(network):
    return list(
        zip(
            np.minimum(network.source, network.target).tolist(),
            np.maximum(network.source, network.target).tolist(),
            strict=True,
        )
    )


def test_size_is_exactly_what_was_asked_for():
    network = generate(200, 1500, seed=3)
    assert (network.n_nodes, network.n_edges) == (200, 1500)
    assert network.labels[7].as_py() == "7"


@pytest.mark.parametrize("bipartite", [False, True])
def test_same_seed_gives_the_same_network_and_another_seed_another(bipartite):
    first, again, other = (generate(100, 800, seed=seed, bipartite=bipartite) for seed in (5, 5, 6))
    assert np.array_equal(first.source, again.source)
    assert np.array_equal(first.target, again.target)
    assert not np.array_equal(first.source, other.source)


@pytest.mark.parametrize("bipartite", [False, True])
def test_there_are_no_self_loops_and_times_are_sorted(bipartite):
    network = generate(40, 3000, seed=1, bipartite=bipartite, n_times=100)
    assert not np.any(network.source == network.target)
    assert np.all(np.diff(network.time) >= 0)


@pytest.mark.parametrize(
    ("n_edges", "bipartite"), [*((n_edges, False) for n_edges in (50, 51, 75, 99, 100, 101, 500)), (100, True)]
)
def test_every_node_has_a_contact_when_there_are_enough(n_edges, bipartite):
    assert generate(100, n_edges, seed=2, bipartite=bipartite).degrees.min() >= 1


def test_bipartite_contacts_join_a_left_node_to_a_right_node():
    network = generate(101, 2000, seed=4, bipartite=True)
    assert network.source.max() < 50 <= network.target.min()


def test_times_are_spread_evenly_over_the_distinct_times_asked_for():
    times, counts = np.unique(generate(50, 1000, seed=1, n_times=8).time, return_counts=True)
    assert times.tolist() == list(range(8))
    assert counts.tolist() == [125] * 8


def test_every_contact_has_its_own_time_by_default():
    assert generate(50, 300, seed=1).time.tolist() == list(range(300))


def test_contacts_stay_in_the_community_of_their_time():
    planted = plant(400, 8000, seed=1, communities=8, drift=3, triadic_closure=0, repeat=0)
    # 5% strangers, of whom an eighth are of the same community by chance.
    assert same_community(planted).mean() == pytest.approx(1 - 0.05 * 7 / 8, abs=0.02)


def test_old_membership_predicts_less_than_membership_at_the_time():
    planted = plant(400, 8000, seed=1, communities=8, drift=6, triadic_closure=0, repeat=0)
    late = planted.network.time > 0.8 * planted.n_times
    source, target = planted.network.source[late], planted.network.target[late]
    at_start = planted.membership[0]
    assert (at_start[source] == at_start[target]).mean() < 0.25
    assert same_community(planted)[late].mean() > 0.9


def test_a_node_moves_as_often_as_drift_says():
    membership = plant(2000, 4000, seed=1, communities=10, drift=3).membership
    assert (np.diff(membership, axis=0) != 0).sum(axis=0).mean() == pytest.approx(3, abs=0.15)


def test_without_drift_nobody_moves():
    membership = plant(100, 500, seed=1, drift=0).membership
    assert np.all(membership == membership[0])


def test_repeats_make_pairs_meet_again():
    often = generate(1000, 5000, seed=1, repeat=0.6, triadic_closure=0, drift=0)
    never = generate(1000, 5000, seed=1, repeat=0.0, triadic_closure=0, drift=0)
    assert len(set(unordered_pairs(often))) < 0.65 * len(set(unordered_pairs(never)))


def test_triadic_closure_makes_triangles():
    def closed_contacts(network):
        neighbors = [set() for _ in range(network.n_nodes)]
        closed = 0
        for u, v in unordered_pairs(network):
            closed += bool(neighbors[u] & neighbors[v]) and v not in neighbors[u]
            neighbors[u].add(v)
            neighbors[v].add(u)
        return closed

    settings = {"communities": 1, "repeat": 0.0, "drift": 0}
    with_closure = closed_contacts(generate(3000, 6000, seed=1, triadic_closure=0.5, **settings))
    without = closed_contacts(generate(3000, 6000, seed=1, triadic_closure=0.0, **settings))
    assert with_closure > 2 * without


def test_activity_has_a_heavy_tail():
    degrees = generate(5000, 50000, seed=1).degrees
    assert degrees.max() > 20 * np.median(degrees)


def test_two_nodes_and_one_contact_are_enough():
    network = generate(2, 1, seed=0)
    assert sorted([network.source[0], network.target[0]]) == [0, 1]
    assert generate(2, 1, seed=0, bipartite=True).target.tolist() == [1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_nodes": 1}, "a contact needs two nodes"),
        ({"n_edges": 0}, "n_edges is 0"),
        ({"seed": -1}, "seed is -1"),
        ({"n_nodes": 2**31}, "32 bits"),
        ({"communities": 0}, "communities is 0"),
        ({"communities": 11}, "from 1 to n_nodes"),
        ({"n_times": 21}, "n_times is 21"),
        ({"n_times": 0}, "n_times is 0"),
        ({"drift": -1}, "drift is -1"),
        ({"drift": 50}, "0 to 49 times"),
        ({"repeat": 1.1}, "repeat is 1.1"),
        ({"triadic_closure": -0.1}, "triadic_closure is -0.1"),
        ({"repeat": 0.6, "triadic_closure": 0.6}, "must not exceed 1"),
    ],
)
def test_impossible_arguments_are_named(arguments, message):
    with pytest.raises(NetworkError, match=message):
        generate(**({"n_nodes": 10, "n_edges": 20, "seed": 1} | arguments))
