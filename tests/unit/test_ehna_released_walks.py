"""The walks and samples of ehna_released: what each flag does to them, on networks that can be drawn on paper."""

import math
from itertools import pairwise

import numpy as np
import pytest

from methods.ehna_released.contacts import group_contacts, have_met
from methods.ehna_released.samples import neighbor_samples, static_walks
from methods.ehna_released.walks import temporal_walks
from methods.walks.backward import backward_walks, build_history
from tests.conftest import network_of
from tests.ehna_released_setting import paper, released

# 0 meets 1 twice, then 2, and 1 meets 3 in between; times 0 to 4, so unit times 0, .25, .5, .75, 1.
NETWORK = network_of([(0, 1, 0), (1, 3, 1), (0, 1, 2), (0, 2, 3), (2, 3, 4)])
CONTACTS = group_contacts(NETWORK)


def walks_from(start, cutoff, setting, contacts=CONTACTS, inclusive=False, seed=1):
    starts = np.array([[start]], dtype=np.int64)
    return temporal_walks(contacts, starts, np.array([cutoff]), setting, seed, inclusive)


def steps(walks):
    """(node, weight, time) of every first step."""
    return {
        (int(node), round(float(weight), 6), round(float(time), 6))
        for node, weight, time in zip(
            walks.nodes[0, 0, :, 1], walks.weights[0, 0, :, 1], walks.times[0, 0, :, 1], strict=True
        )
    }


def test_neighbors_stand_in_the_order_of_their_first_contact():
    contacts = group_contacts(network_of([(0, 3, 1), (0, 1, 2), (2, 0, 3), (0, 3, 4)]))
    assert contacts.neighbors[: contacts.offsets[1]].tolist() == [3, 1, 2]
    assert [contacts.ranks[a:b].tolist() for a, b in pairwise(contacts.begins[:4])] == [[0, 3], [1], [2]]
    assert have_met(contacts, np.array([0, 3, 1]), np.array([3, 0, 2])).tolist() == [True, True, False]


def test_the_first_step_takes_the_last_neighbor_or_there_is_no_history():
    setting = released(walks=50)
    assert {node for node, _, _ in steps(walks_from(0, 4, setting))} == {2}
    # Before the contact with 2, its last neighbor, node 0 has met 1 twice, and still has no history.
    assert not walks_from(0, 3, setting).has_history[0, 0]
    repaired = released(walks=50, last_neighbor_only=False)
    assert {node for node, _, _ in steps(walks_from(0, 4, repaired))} == {1, 2}
    assert {node for node, _, _ in steps(walks_from(0, 3, repaired))} == {1}


def test_a_neighbor_is_one_candidate_with_the_sum_of_its_contacts_or_every_contact_is_one():
    before_t4 = {"last_neighbor_only": False, "walks": 50}
    summed = 1.5 * (math.exp(0 - 1) + math.exp(0.5 - 1))
    assert steps(walks_from(0, 4, released(**before_t4))) == {
        (1, round(summed, 6), 0.501),
        (2, round(1.5 * math.exp(-0.25), 6), 0.751),
    }
    assert steps(walks_from(0, 4, released(**before_t4, summed_contacts=False))) == {
        (1, round(math.exp(-1), 6), 0.001),
        (1, round(math.exp(-0.5), 6), 0.501),
        (2, round(math.exp(-0.25), 6), 0.751),
    }


def test_only_contacts_before_the_target_time_count_in_a_sum():
    setting = released(last_neighbor_only=False, walks=5)
    assert steps(walks_from(0, 2, setting)) == {(1, round(1.5 * math.exp(-0.5), 6), 0.001)}
    assert not walks_from(0, 0, setting).has_history[0, 0]


@pytest.mark.parametrize("summed", [True, False])
def test_times_rise_again_as_released_and_never_on_the_papers_side(summed):
    common = {"walks": 60, "walk_length": 6, "last_neighbor_only": False, "summed_contacts": summed}
    rising = walks_from(0, 4, released(**common)).times[0, 0, :, 1:]
    assert (np.diff(rising, axis=1) > 0).any()
    assert (rising < 1.0).all()
    falling = walks_from(0, 4, released(**common, rising_times=False)).times[0, 0, :, 1:]
    assert (np.diff(falling, axis=1) <= 0).all()


def test_steps_are_uniform_as_released_and_weighted_on_the_papers_side():
    # The recent contact weighs e times the old one.
    contacts = group_contacts(network_of([(0, 1, 0), (0, 2, 10), (3, 4, 10), (5, 6, 11)]))
    common = {"walks": 20_000, "walk_length": 1, "last_neighbor_only": False, "summed_contacts": False}
    shares = [
        (walks_from(0, 2, released(**common, uniform_steps=uniform), contacts).nodes[..., 1] == 2).mean()
        for uniform in (True, False)
    ]
    weight = math.exp(10 / 11)
    np.testing.assert_allclose(shares, [0.5, weight / (1 + weight)], atol=0.015)


def test_the_bias_of_the_first_way_in_is_kept_for_all_walks_of_the_edge():
    # Two starts, 1 and 2, whose only way is to 0; from there p = 1e-6 sends a walk back to where it came from.
    contacts = group_contacts(network_of([(0, 1, 0), (0, 2, 0), (3, 4, 1)]))
    starts, cutoffs = np.array([[1, 2]], dtype=np.int64), np.array([1])

    def second_nodes(cached):
        setting = released(uniform_steps=False, cached_bias=cached, p=1e-6, walks=5, walk_length=2)
        return temporal_walks(contacts, starts, cutoffs, setting, seed=1).nodes[0, :, :, 2].tolist()

    assert second_nodes(cached=True) == [[1] * 5, [1] * 5]
    assert second_nodes(cached=False) == [[1] * 5, [2] * 5]


def test_q_weighs_nodes_that_the_last_one_had_not_met_by_the_target_time():
    # From 1 over 0: 2 knows 1 before the target's time 2, 3 only afterwards.
    contacts = group_contacts(network_of([(0, 1, 0), (0, 2, 0), (0, 3, 0), (1, 2, 1), (4, 5, 2), (1, 3, 3)]))
    setting = paper(p=1e9, q=3.0, walks=20_000, walk_length=2, rising_times=True)
    nodes = walks_from(1, 2, setting, contacts).nodes[0, 0]
    seconds = nodes[nodes[:, 1] == 0, 2]
    assert set(seconds) == {2, 3}
    np.testing.assert_allclose((seconds == 3).mean(), 0.25, atol=0.02)


def test_with_all_flags_off_the_walks_have_the_distribution_of_the_fast_walk_engine():
    setting = paper(walks=40_000, walk_length=2, p=0.5, q=2.0)
    ours = walks_from(0, 4, setting)
    theirs = backward_walks(
        build_history(NETWORK), np.array([0], np.int32), np.array([4]), n_walks=40_000, length=2, p=0.5, q=2.0
    )

    def shares(nodes, times):
        rows, counts = np.unique(
            np.column_stack((nodes, np.round(times, 4))).astype(np.float32), axis=0, return_counts=True
        )
        return {tuple(row.tolist()): count / 40_000 for row, count in zip(rows, counts, strict=True)}

    expected = shares(theirs.nodes, theirs.times)
    found = shares(ours.nodes[0, 0], ours.times[0, 0, :, 1:])
    assert found.keys() == expected.keys()
    np.testing.assert_allclose([found[row] for row in expected], list(expected.values()), atol=0.012)


def test_an_inclusive_walk_sees_the_latest_edge_itself():
    setting = released(last_neighbor_only=False, walks=50)
    assert {node for node, _, _ in steps(walks_from(2, 4, setting))} == {0}
    assert {node for node, _, _ in steps(walks_from(2, 4, setting, inclusive=True))} == {0, 3}


def test_samples_are_neighbors_first_then_their_neighbors():
    # A star: every neighbor of a leaf is 0, and from there any leaf.
    contacts = group_contacts(network_of([(0, leaf, leaf) for leaf in range(1, 5)], n_nodes=6))
    samples = neighbor_samples(contacts, np.array([1, 5]), n_walks=4, length=5, one_hop=0.6, seed=1)
    assert samples[0].reshape(-1)[:12].tolist() == [0] * 12
    assert (samples[0].reshape(-1)[12:] > 0).all()
    assert (samples[1] == -1).all()


def test_static_walks_take_every_contact_with_the_same_probability():
    contacts = group_contacts(network_of([(0, 1, 0), (0, 1, 1), (0, 1, 2), (0, 2, 3)], n_nodes=4))
    walks = static_walks(contacts, np.array([0, 3]), n_walks=20_000, seed=1)
    np.testing.assert_allclose((walks[0, :, 0] == 1).mean(), 0.75, atol=0.015)
    assert (walks[0, :, 1] == 0).all()
    assert (walks[1] == -1).all()
