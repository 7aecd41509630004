"""Invariants of forward and static walks on arbitrary small networks."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.kernels.forward_walks import forward_walks, time_order
from methods.kernels.skip_gram import ENDED
from methods.kernels.static_graph import merged_graph, walk_graph
from methods.kernels.static_walks import static_walks
from tests.conftest import network_of

node = st.integers(0, 7)
contact = st.tuples(node, node, st.integers(0, 6)).filter(lambda row: row[0] != row[1])
networks = st.lists(contact, min_size=1, max_size=40).map(lambda rows: network_of(rows, n_nodes=8))


def contacts_that_fit(network, nodes, follows):
    """Rows of the network that the last step of a walk can have used; empty if no order of contacts explains it."""
    fitting = None
    for u, v in pairwise(nodes):
        joins = ((network.source == u) & (network.target == v)) | ((network.source == v) & (network.target == u))
        rows = np.flatnonzero(joins)
        if fitting is not None:
            rows = [row for row in rows if any(follows(network, row, used) for used in fitting)]
        fitting = list(rows)
    return fitting


def later(network, row, used):
    return network.time[row] > network.time[used]


def no_earlier_and_another(network, row, used):
    return network.time[row] >= network.time[used] and row != used


@settings(deadline=None)
@given(networks, st.integers(0, 2**62))
def test_times_strictly_increase_along_a_forward_walk(network, seed):
    for walk in forward_walks(time_order(network, allow_ties=False), np.arange(8), 10, seed=seed):
        nodes = walk[walk != ENDED]
        assert len(nodes) >= 2
        assert contacts_that_fit(network, nodes, later)


@settings(deadline=None)
@given(networks, st.integers(0, 2**62))
def test_with_ties_times_never_decrease_and_the_contact_just_used_is_not_crossed_back(network, seed):
    for walk in forward_walks(time_order(network, allow_ties=True), np.arange(8), 10, seed=seed):
        assert contacts_that_fit(network, walk[walk != ENDED], no_earlier_and_another)


@settings(deadline=None)
@given(networks, st.integers(0, 2**62), st.booleans())
def test_a_forward_walk_ends_early_only_where_no_contact_is_left(network, seed, allow_ties):
    follows = no_earlier_and_another if allow_ties else later
    for walk in forward_walks(time_order(network, allow_ties), np.arange(8), 6, seed=seed):
        nodes = walk[walk != ENDED]
        assert np.all(walk[len(nodes) :] == ENDED)
        if len(nodes) < 6:
            leaving = np.flatnonzero((network.source == nodes[-1]) | (network.target == nodes[-1]))
            used_last = contacts_that_fit(network, nodes, follows)
            assert any(not any(follows(network, row, used) for row in leaving) for used in used_last)


@settings(deadline=None)
@given(networks, st.integers(0, 2**62), st.sampled_from([0.25, 1.0, 4.0]), st.sampled_from([0.25, 1.0, 4.0]))
def test_every_step_of_a_static_walk_is_a_contact_and_no_walk_ends_early(network, seed, p, q):
    met = set(zip(network.source.tolist(), network.target.tolist(), strict=True))
    starts = np.flatnonzero(network.degrees).astype(np.int32)
    walks = static_walks(walk_graph(merged_graph(network)), starts, 12, p, q, seed)
    assert np.array_equal(walks[:, 0], starts)
    for walk in walks.tolist():
        assert all((u, v) in met or (v, u) in met for u, v in pairwise(walk))
