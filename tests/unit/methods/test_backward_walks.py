"""Backward temporal walks against exact transition probabilities, and at the borders of history."""

import math
from collections import Counter

import numba
import numpy as np
import pytest
from scipy.stats import chisquare

from methods.kernels.backward_walks import NO_NODE, TIME_OFFSET, backward_walks, build_history, untimed_walks
from tests.conftest import network_of

# A hub (0) with repeated contacts, ties, a triangle, and contacts on both sides of every cut-off used below.
CONTACTS = [
    (0, 1, 0),
    (0, 2, 2),
    (1, 2, 3),
    (0, 3, 4),
    (0, 1, 4),
    (3, 4, 5),
    (0, 4, 6),
    (1, 3, 6),
    (0, 2, 6),
    (0, 5, 7),
    (4, 5, 8),
    (0, 1, 9),
    (2, 3, 10),
]
SPAN = 10


def exact_steps(walk, cutoff, p, q, time_scale):
    """Eq. 1-2 in full: {(next node, time): probability} for a walk [(node, time of arrival), ...] so far."""
    known = {frozenset((a, b)) for a, b, t in CONTACTS if t < cutoff}
    v, limit = walk[-1]
    u = walk[-2][0] if len(walk) > 1 else None
    weights: Counter = Counter()
    for a, b, t in CONTACTS:
        if v not in (a, b) or t >= cutoff or (limit is not None and t > limit):
            continue
        w = b if a == v else a
        bias = 1.0
        if u is not None:
            bias = 1 / p if w == u else 1.0 if frozenset((u, w)) in known else 1 / q
        weights[w, t] += bias * math.exp(-time_scale * (cutoff - t) / SPAN)
    total = sum(weights.values())
    return {key: weight / total for key, weight in weights.items()}


def exact_walks(start, cutoff, length, p, q, time_scale):
    """The probability of every possible walk of `length` steps."""
    walks = {((start, None),): 1.0}
    for _ in range(length):
        walks = {
            (*walk, step): probability * share
            for walk, probability in walks.items()
            for step, share in exact_steps(walk, cutoff, p, q, time_scale).items()
        }
    return {walk[1:]: probability for walk, probability in walks.items()}


def walks_from(network, starts, cutoffs, walk=backward_walks, **options):
    return walk(build_history(network), np.array(starts, dtype=np.int32), np.array(cutoffs), **options)


def sampled_walks(start, cutoff, length, p, q, time_scale, n_walks):
    history, starts = build_history(network_of(CONTACTS), time_scale), np.array([start], dtype=np.int32)
    walks = backward_walks(history, starts, np.array([cutoff]), n_walks=n_walks, length=length, p=p, q=q, seed=7)
    times = np.rint((walks.times - TIME_OFFSET) * SPAN).astype(int)
    return Counter(
        tuple(zip(nodes[1:], row, strict=True)) for nodes, row in zip(walks.nodes.tolist(), times.tolist(), strict=True)
    )


@pytest.mark.parametrize("time_scale", [1.0, 10.0])
@pytest.mark.parametrize(
    ("p", "q"), [(1.0, 1.0), (0.25, 4.0), (4.0, 0.25), (0.05, 0.05), (2.0, 0.5), (0.1, 0.5), (0.5, 1.0), (1e6, 1.0)]
)
@pytest.mark.parametrize(("start", "cutoff"), [(0, 9), (4, 8), (2, 7)])
def test_walk_frequencies_follow_equations_1_and_2(start, cutoff, p, q, time_scale):
    n_walks = 40_000
    exact = exact_walks(start, cutoff, 3, p, q, time_scale)
    sampled = sampled_walks(start, cutoff, 3, p, q, time_scale, n_walks)

    impossible = set(sampled) - set(exact)
    assert impossible == set()
    common = [walk for walk, probability in exact.items() if probability * n_walks >= 5]
    rest = 1.0 - sum(exact[walk] for walk in common)
    observed = [sampled[walk] for walk in common] + [n_walks - sum(sampled[walk] for walk in common)]
    expected = [exact[walk] * n_walks for walk in common] + [rest * n_walks]
    if rest * n_walks < 5:
        observed, expected = observed[:-1], np.array(expected[:-1]) * (sum(observed[:-1]) / sum(expected[:-1]))
    assert chisquare(observed, expected).pvalue > 1e-4


def test_weights_do_not_depend_on_the_target_time():
    # Nothing happens to node 5 between 8 and 11: the same stream makes the same walks from either cut-off.
    walks = [walks_from(network_of(CONTACTS), [5], [cutoff], n_walks=50, length=1, seed=3) for cutoff in (9, 11)]
    assert np.array_equal(walks[0].nodes, walks[1].nodes)


@pytest.mark.parametrize(("inclusive", "seen"), [(False, {0}), (True, {0, 4})])
def test_first_step_is_before_the_target_time_or_inclusive_at_it(inclusive, seen):
    walks = walks_from(network_of(CONTACTS), [5], [8], n_walks=200, length=1, seed=1, inclusive=inclusive)
    assert set(walks.nodes[:, 1]) == seen


def test_a_node_without_history_stays_alone(star):
    walks = walks_from(star, [4, 0], [4, 1], n_walks=2, length=3, seed=1)
    assert walks.nodes.tolist() == [[4, NO_NODE, NO_NODE, NO_NODE]] * 2 + [[0, NO_NODE, NO_NODE, NO_NODE]] * 2
    assert not walks.times.any()


def test_an_extreme_return_parameter_still_ends(star):
    # From a leaf the only way is back, and p = 1e9 refuses it nearly always.
    walks = walks_from(star, [1], [9], n_walks=1, length=4, p=1e9, seed=1)
    assert walks.nodes[0, 2] == 1


def test_times_far_apart_do_not_underflow():
    # exp(1e4 * t) overflows any float, and relative to the newest contact the old ones are 0.
    network = network_of([(0, 1, 0), (0, 2, 10), (0, 3, 20), (4, 5, 1_000_000)])
    history = build_history(network, time_scale=1e6)
    assert np.isfinite(history.log_mass).all()
    walks = backward_walks(history, np.array([0], dtype=np.int32), np.array([20]), n_walks=3000, length=1, seed=1)
    share_of_2 = 1 / (1 + math.exp(-10))
    assert abs((walks.nodes[:, 1] == 2).mean() - share_of_2) < 0.01
    assert not (walks.nodes[:, 1] == 3).any()


@pytest.mark.parametrize("times", [(0, 0, 0), (1_082_008_561, 1_082_008_561, 1_098_777_142), (0.25, 0.5, 0.75)])
def test_any_scale_of_time_gives_times_between_the_offset_and_one(times):
    network = network_of([(0, 1, times[0]), (1, 2, times[1]), (0, 2, times[2])])
    walks = walks_from(network, [0, 1, 2], [network.time[-1]] * 3, n_walks=5, length=4, seed=1, inclusive=True)
    assert (walks.times >= np.float32(TIME_OFFSET)).all()
    assert (walks.times <= np.float32(1 + TIME_OFFSET)).all()
    assert (np.diff(walks.times, axis=1) <= 0).all()


def test_walks_do_not_depend_on_the_number_of_threads():
    history = build_history(network_of(CONTACTS))
    starts, cutoffs = np.arange(6, dtype=np.int32), np.full(6, 11)
    before = numba.get_num_threads()
    results = []
    try:
        for threads in (1, min(2, numba.config.NUMBA_NUM_THREADS)):
            numba.set_num_threads(threads)
            results.append(backward_walks(history, starts, cutoffs, n_walks=50, length=5, p=0.5, q=2.0, seed=5))
    finally:
        numba.set_num_threads(before)
    assert np.array_equal(results[0].nodes, results[1].nodes)
    assert np.array_equal(results[0].times, results[1].times)


@pytest.mark.parametrize(("inclusive", "last"), [(False, 5), (True, 6)])
def test_untimed_walks_choose_every_contact_before_the_cutoff_equally(inclusive, last):
    options = {"n_walks": 40_000, "length": 2, "seed": 2, "inclusive": inclusive}
    walks = walks_from(network_of(CONTACTS), [0], [6], untimed_walks, **options)
    times = np.rint((walks.times - TIME_OFFSET) * SPAN).astype(int)
    for step in (0, 1):
        for v in np.unique(walks.nodes[:, step]).tolist():
            here = walks.nodes[:, step] == v
            exact = Counter((b if a == v else a, t) for a, b, t in CONTACTS if v in (a, b) and t <= last)
            taken = Counter(zip(walks.nodes[here, step + 1].tolist(), times[here, step].tolist(), strict=True))
            assert set(taken) == set(exact)
            expected = np.array(list(exact.values())) / exact.total() * here.sum()
            assert chisquare([taken[contact] for contact in exact], expected).pvalue > 1e-4
    # The order of time is no limit: some walk goes back and then forward.
    assert (np.diff(times, axis=1) > 0).any()


def test_every_start_of_untimed_walks_has_a_cutoff_of_its_own(star):
    walks = walks_from(star, [0, 0, 4], [1, 2, 5], untimed_walks, n_walks=1, length=2)
    assert walks.nodes.tolist() == [[0, NO_NODE, NO_NODE], [0, 1, 0], [4, 0, walks.nodes[2, 2]]]
    assert walks.nodes[2, 2] in (1, 2, 3, 4)


def test_a_node_without_any_contact_has_no_untimed_walk(triangle):
    walks = walks_from(triangle, [3], [99], untimed_walks, n_walks=1, length=2, inclusive=True)
    assert walks.nodes.tolist() == [[3, NO_NODE, NO_NODE]]


def test_an_empty_network_gives_walks_of_one_node(network_of):
    walks = walks_from(network_of([], n_nodes=2), [1], [5], n_walks=1, length=2)
    assert walks.nodes.tolist() == [[1, NO_NODE, NO_NODE]]
