"""Batches, negatives and validation block: every edge once, the noise distribution, nothing from the future."""

import numpy as np
import pytest
from scipy.stats import chisquare

from methods.ehna.batches import Sampling, Source, make_batch, prepared_ahead, windowed_batches
from methods.ehna.negatives import batch_noise, draw_negatives, node_noise
from methods.ehna.validation import validation_block
from methods.walks.backward import build_history
from tests.conftest import network_of


def sampling(**changes):
    settings = {
        "walks": 2,
        "walk_length": 2,
        "p": 1.0,
        "q": 1.0,
        "time_scale": 1.0,
        "walk_kind": "temporal",
        "negatives": 3,
        "negative_context": "in_batch",
        "batch_size": 4,
        "window_batches": 2,
    }
    return Sampling(**settings | changes)


def ring(n):
    return network_of([(node, (node + 1) % n, node) for node in range(n)])


def test_batches_hold_every_edge_once_and_stay_inside_their_window():
    batches = windowed_batches(np.arange(100), 8, 3, np.random.default_rng(1))
    assert sorted(np.concatenate(batches).tolist()) == list(range(100))
    for number, batch in enumerate(batches):
        assert (batch // 24 == number // 3).all()
        assert len(batch) <= 8


def test_a_last_batch_of_one_joins_the_one_before():
    assert [len(batch) for batch in windowed_batches(np.arange(9), 4, 64, np.random.default_rng(1))] == [4, 5]
    assert [len(batch) for batch in windowed_batches(np.arange(1), 4, 64, np.random.default_rng(1))] == [1]


def test_negatives_follow_degree_to_the_three_quarters():
    # A star of 0..3 joined to nobody else: nodes 4.. are the candidates for the edge (8, 9), which knows none of them.
    contacts = [(0, 1, 1)] * 1 + [(2, 3, 1)] * 4 + [(4, 5, 1)] * 9 + [(6, 7, 1)] * 25 + [(8, 9, 2)]
    network = network_of(contacts)
    everyone = np.arange(network.n_nodes, dtype=np.int32)
    drawn = draw_negatives(
        build_history(network),
        np.array([8], dtype=np.int32),
        np.array([9], dtype=np.int32),
        everyone,
        node_noise(network.degrees),
        20_000,
        seed=1,
    )
    weights = network.degrees[:8] ** 0.75
    for side in drawn:
        observed = np.bincount(side[0], minlength=10)
        assert observed[8:].tolist() == [0, 0]
        assert chisquare(observed[:8], weights / weights.sum() * 20_000).pvalue > 1e-4


def test_in_batch_negatives_follow_the_same_law():
    # Each node stands in the batch as often as its degree, and is drawn degree^0.75 times.
    contacts = [(0, 1, 1)] * 1 + [(2, 3, 1)] * 4 + [(4, 5, 1)] * 16 + [(8, 9, 2)]
    network = network_of(contacts)
    candidates = np.concatenate((network.source, network.target))
    drawn = draw_negatives(
        build_history(network),
        np.array([8], dtype=np.int32),
        np.array([9], dtype=np.int32),
        candidates,
        batch_noise(candidates, network.degrees),
        20_000,
        seed=1,
    )
    observed = np.bincount(candidates[drawn[0, 0]], minlength=6)[:6]
    weights = network.degrees[:6] ** 0.75
    assert chisquare(observed, weights / weights.sum() * 20_000).pvalue > 1e-4


def test_negatives_are_neither_ends_nor_neighbors_of_the_end_they_are_drawn_for():
    network = network_of([(0, 1, 1), (1, 2, 2), (2, 3, 3), (3, 4, 4), (4, 5, 5)])
    drawn = draw_negatives(
        build_history(network),
        network.source,
        network.target,
        np.arange(6, dtype=np.int32),
        node_noise(network.degrees),
        50,
        seed=2,
    )
    for edge, ends in enumerate(zip(network.source.tolist(), network.target.tolist(), strict=True)):
        for side, anchor in enumerate(ends):
            forbidden = {*ends, anchor - 1, anchor + 1}
            assert set(drawn[side, edge].tolist()) <= (set(range(6)) - forbidden) | {-1}


def test_a_batch_of_one_edge_finds_no_negative_in_itself():
    network = ring(6)
    batch = make_batch(Source.of(network, sampling()), sampling(), np.array([3]), (1,))
    assert (batch.negatives == -1).all()


@pytest.mark.parametrize("context", ["in_batch", "temporal", "two_hop"])
def test_negatives_are_rows_of_nodes_that_are_not_the_edge(context):
    network, settings = ring(12), sampling(negative_context=context)
    batch = make_batch(Source.of(network, settings), settings, np.arange(12), (1, 2))
    nodes = batch.neighborhoods.nodes[batch.neighborhoods.targets]
    assert nodes[batch.source].tolist() == network.source.tolist()
    assert nodes[batch.target].tolist() == network.target.tolist()
    assert batch.negatives.shape == (2, 12, 3)
    for side in batch.negatives:
        for edge, row in enumerate(side):
            ends = {network.source[edge], network.target[edge]}
            assert not ends & set(nodes[row[row >= 0]].tolist())
    n_targets = 24 if context == "in_batch" else 24 + (batch.negatives >= 0).sum()
    assert len(nodes) == n_targets


def test_walks_of_temporal_negatives_end_before_the_edge_they_are_drawn_for():
    network, settings = ring(12), sampling(negative_context="temporal")
    batch = make_batch(Source.of(network, settings), settings, np.array([5]), (1, 2))
    for group in batch.neighborhoods.groups:
        # Edge 5 happens at time 5 of 0..11.
        assert group.times.max() < (5 - 0.5) / 11 + 1e-3


def test_two_hop_negatives_have_two_steps_and_no_attention():
    network, settings = ring(12), sampling(negative_context="two_hop", walk_length=4)
    batch = make_batch(Source.of(network, settings), settings, np.arange(6, 12), (1, 2))
    temporal, two_hop = batch.neighborhoods.groups
    assert (temporal.nodes.shape[1], temporal.attention) == (5, True)
    assert (two_hop.nodes.shape[1], two_hop.attention) == (3, False)


def test_batches_prepared_ahead_come_in_order_and_errors_come_through():
    assert list(prepared_ahead(lambda item: item * item, range(5), 1)) == [0, 1, 4, 9, 16]
    with pytest.raises(ZeroDivisionError):
        list(prepared_ahead(lambda item: 1 // item, [1, 0], 1))


def test_validation_block_never_cuts_a_tie_and_needs_enough_pairs():
    # Three times, a hundred contacts each: a tenth of the network is less than the newest time holds.
    network = network_of([(node, (node + step) % 100, step * 10) for step in (1, 2, 3) for node in range(100)])
    block = validation_block(network, 0.1, seed=(1,))
    assert block is not None
    assert block.train_rows == 200
    assert validation_block(network, 0.0, seed=(1,)) is None
    assert validation_block(network_of([(0, 1, 5)]), 0.1, seed=(1,)) is None
    assert validation_block(network_of([(0, node, 5) for node in range(1, 90)]), 0.1, seed=(1,)) is None


def test_validation_pairs_meet_later_or_never():
    network = network_of([(node, (node + step) % 100, step * 10) for step in (1, 2, 3) for node in range(100)])
    block = validation_block(network, 0.1, seed=(1,))
    assert block is not None
    pairs = {frozenset(pair) for pair in zip(network.source.tolist(), network.target.tolist(), strict=True)}
    for u, v, meets in zip(block.source.tolist(), block.target.tolist(), block.meets.tolist(), strict=True):
        assert (frozenset((u, v)) in pairs) == meets
    nodes = block.nodes
    # On a circle those who meet (three apart) are nearer than nearly all others.
    angle = 2 * np.pi * nodes / 100
    circle = np.stack((np.cos(angle), np.sin(angle)), axis=1).astype(np.float32)
    assert block.auc(nodes, circle) > 0.9
    assert block.auc(nodes, np.zeros_like(circle)) == 0.5
