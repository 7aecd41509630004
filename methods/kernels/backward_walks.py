"""Backward temporal walks (EHNA, Eq. 1-2): from a node into its past, recent contacts first, never into the future.

Eq. 1 weighs a contact (u, v) by w_uv * exp(-(t_xy - t_uv)). The factor exp(-t_xy) is common to all candidates of a step
and cancels when they are normalized, so the target time acts as a cut-off only, and sums of exp(t_uv) per node can be
made once. A step is two binary searches: for the time limit, and for the inverse of the cumulative weight.
The sums are kept as logarithms: with any time scale, old contacts neither underflow nor lose digits.
"""

import math
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from methods.kernels.random_stream import below, stream, uniform
from networks.network import TemporalNetwork

NO_NODE = -1
# After so many refused proposals a step is drawn from the exact list of candidates instead. The refusals do not change
# the distribution, and a walk with an extreme p or q still ends.
MOST_PROPOSALS = 64
# The authors' reader adds this to the times in [0, 1], which keeps 1/t of the earliest contact finite.
TIME_OFFSET = 1e-3


class History(NamedTuple):
    """The time-ordered adjacency with cumulative weights; a named tuple, because numba kernels take one.

    Contacts of node v stand at offsets[v] to offsets[v+1], oldest first; `log_mass` is the logarithm of the sum of
    exp(time_scale * unit time) up to and including each. The `pair_` arrays hold the same contacts ordered by neighbor,
    then time, with the cumulative weight restarted at every neighbor: they answer since when two nodes know each other
    and how heavy the way back is.
    """

    offsets: NDArray[np.int64]
    neighbors: NDArray[np.int32]
    times: NDArray[np.int64] | NDArray[np.float64]
    log_mass: NDArray[np.float64]
    pair_neighbors: NDArray[np.int32]
    pair_times: NDArray[np.int64] | NDArray[np.float64]
    pair_log_mass: NDArray[np.float64]
    first_time: int | float
    span: float


class Walks(NamedTuple):
    """`nodes[w]` is walk w from its start into the past, `times[w, s]` the unit time + 1e-3 of its step s.

    A node without history has only itself: the rest of its row is NO_NODE. Every other walk has full length, because
    the contact just used always leads back.
    """

    nodes: NDArray[np.int32]
    times: NDArray[np.float32]


def build_history(network: TemporalNetwork, time_scale: float = 1.0) -> History:
    """Order contacts per node and sum their weights exp(time_scale * t), t in [0, 1] over the network's span."""
    adjacency = network.adjacency
    first_time = network.time[0].item() if network.n_edges else 0
    span = float(network.time[-1] - network.time[0]) if network.n_edges else 0.0
    if span == 0.0:
        span = 1.0  # one time only: every unit time is 0, as in TemporalNetwork.unit_time
    log_mass = np.empty(len(adjacency.neighbors))
    pair_neighbors = np.empty_like(adjacency.neighbors)
    pair_times = np.empty_like(adjacency.times)
    pair_log_mass = np.empty(len(adjacency.neighbors))
    _sum_weights(adjacency.offsets, adjacency.times, first_time, time_scale / span, log_mass)
    _order_by_pair(adjacency.offsets, adjacency.neighbors, adjacency.times, pair_neighbors, pair_times)
    _sum_pair_weights(adjacency.offsets, pair_neighbors, pair_times, first_time, time_scale / span, pair_log_mass)
    return History(
        adjacency.offsets,
        adjacency.neighbors,
        adjacency.times,
        log_mass,
        pair_neighbors,
        pair_times,
        pair_log_mass,
        first_time,
        span,
    )


def backward_walks(
    history: History,
    starts: NDArray[np.int32],
    cutoffs: NDArray[np.int64] | NDArray[np.float64],
    *,
    n_walks: int,
    length: int,
    p: float = 1.0,
    q: float = 1.0,
    seed: int = 1,
    inclusive: bool = False,
) -> Walks:
    """`n_walks` walks of `length` steps from every start, over contacts before its cut-off (`inclusive`: up to it).

    Walk j of start i is row i * n_walks + j and has its own random stream, so threads do not change it.
    """
    nodes = np.full((len(starts) * n_walks, length + 1), NO_NODE, dtype=np.int32)
    times = np.zeros((len(starts) * n_walks, length), dtype=np.float32)
    _walk_back(history, starts, cutoffs, n_walks, p, q, np.uint64(seed), inclusive, nodes, times)
    return Walks(nodes, times)


def untimed_walks(
    history: History,
    starts: NDArray[np.int32],
    cutoffs: NDArray[np.int64] | NDArray[np.float64],
    *,
    n_walks: int,
    length: int,
    seed: int = 1,
    inclusive: bool = False,
) -> Walks:
    """Walks that know no order of time: at every step each contact before the cut-off is equally likely.

    The cut-off stays, because a walk over the target edge itself would betray it.
    """
    nodes = np.full((len(starts) * n_walks, length + 1), NO_NODE, dtype=np.int32)
    times = np.zeros((len(starts) * n_walks, length), dtype=np.float32)
    _walk_anywhere(history, starts, cutoffs, n_walks, np.uint64(seed), inclusive, nodes, times)
    return Walks(nodes, times)


@numba.njit(cache=True)
def _sum_weights(offsets, times, first_time, scale, log_mass):
    for v in range(len(offsets) - 1):
        total = -np.inf
        for at in range(offsets[v], offsets[v + 1]):
            total = _log_add(total, scale * (times[at] - first_time))
            log_mass[at] = total


@numba.njit(cache=True)
def _order_by_pair(offsets, neighbors, times, pair_neighbors, pair_times):
    """Hand every contact to its other end, nodes in ascending order: each list comes out sorted, in one pass."""
    free = offsets[:-1].copy()
    for u in range(len(offsets) - 1):
        for at in range(offsets[u], offsets[u + 1]):
            v = neighbors[at]
            pair_neighbors[free[v]] = u
            pair_times[free[v]] = times[at]
            free[v] += 1


@numba.njit(cache=True)
def _sum_pair_weights(offsets, pair_neighbors, pair_times, first_time, scale, pair_log_mass):
    for v in range(len(offsets) - 1):
        total = -np.inf
        for at in range(offsets[v], offsets[v + 1]):
            if at == offsets[v] or pair_neighbors[at] != pair_neighbors[at - 1]:
                total = -np.inf
            total = _log_add(total, scale * (pair_times[at] - first_time))
            pair_log_mass[at] = total


@numba.njit(cache=True, inline="always")
def _log_add(total, term):
    """log(exp(total) + exp(term)) for term >= any earlier term."""
    if total == -np.inf:
        return term
    return max(total, term) + math.log1p(math.exp(-abs(total - term)))


@numba.njit(cache=True, inline="always")
def _first_at_least(values, begin, end, bound):
    while begin < end:
        middle = (begin + end) // 2
        if values[middle] < bound:
            begin = middle + 1
        else:
            end = middle
    return begin


@numba.njit(cache=True, inline="always")
def _first_above(values, begin, end, bound):
    while begin < end:
        middle = (begin + end) // 2
        if values[middle] <= bound:
            begin = middle + 1
        else:
            end = middle
    return begin


@numba.njit(cache=True, inline="always")
def _end_before(history, v, cutoff, inclusive):
    """Where the contacts of v before the cut-off (`inclusive`: up to it) end."""
    begin, end = history.offsets[v], history.offsets[v + 1]
    if inclusive:
        return _first_above(history.times, begin, end, cutoff)
    return _first_at_least(history.times, begin, end, cutoff)


@numba.njit(cache=True, inline="always")
def _draw(log_mass, begin, end, state):
    """A position in [begin, end) with probability proportional to its weight: the inverse of the cumulative weight."""
    state, value = uniform(state)
    at = _first_at_least(log_mass, begin, end, log_mass[end - 1] + math.log(1.0 - value))
    return state, min(at, end - 1)


@numba.njit(cache=True, inline="always")
def _know_each_other(history, u, w, cutoff, inclusive):
    """d_uw = 1 as of the cut-off: the earliest contact of u and w lies before it."""
    end = history.offsets[u + 1]
    at = _first_at_least(history.pair_neighbors, history.offsets[u], end, w)
    if at == end or history.pair_neighbors[at] != w:
        return False
    return history.pair_times[at] < cutoff or (inclusive and history.pair_times[at] == cutoff)


@numba.njit(cache=True, inline="always")
def _bias(history, u, w, p, q, cutoff, inclusive):
    """beta_(u,w) of Eq. 2; its last case, a contact later than the one before, is never proposed."""
    if w == u:
        return 1.0 / p
    return 1.0 if _know_each_other(history, u, w, cutoff, inclusive) else 1.0 / q


@numba.njit(cache=True)
def _draw_biased(history, u, v, end, p, q, cutoff, inclusive, state):
    """A contact of v before position `end`, for a walk that came from u: weight beta_(u,w) * exp(t) (Eq. 2).

    Proposals follow exp(t) and are accepted with probability beta / bound. A small p would make the bound 1/p high and
    nearly every other proposal a refusal, so the part of the way back that exceeds the bound is a choice of its own.
    """
    begin = history.offsets[v]
    bound = max(1.0, 1.0 / q)
    back_begin, back_end, excess = 0, 0, 0.0
    if 1.0 / p > bound:
        last_time = history.times[end - 1]
        back_begin = _first_at_least(history.pair_neighbors, begin, history.offsets[v + 1], u)
        back_end = _first_above(history.pair_neighbors, back_begin, history.offsets[v + 1], u)
        back_end = _first_above(history.pair_times, back_begin, back_end, last_time)
        if back_end > back_begin:
            way_back = math.exp(history.pair_log_mass[back_end - 1] - history.log_mass[end - 1])
            excess = (1.0 / p - bound) * way_back / bound
    for _ in range(MOST_PROPOSALS):
        if excess > 0.0:
            state, value = uniform(state)
        else:
            value = 0.0
        if value * (1.0 + excess) >= 1.0:
            state, at = _draw(history.pair_log_mass, back_begin, back_end, state)
            # The drawn contact in the order of time: one of those with this time that lead to u.
            at_time = _first_at_least(history.times, begin, end, history.pair_times[at])
            while history.neighbors[at_time] != u:
                at_time += 1
            return state, at_time
        state, at = _draw(history.log_mass, begin, end, state)
        state, value = uniform(state)
        if value * bound < _bias(history, u, history.neighbors[at], p, q, cutoff, inclusive):
            return state, at
    return _draw_from_list(history, u, begin, end, p, q, cutoff, inclusive, state)


@numba.njit(cache=True)
def _draw_from_list(history, u, begin, end, p, q, cutoff, inclusive, state):
    """The same choice without proposals, at the cost of the whole list of candidates."""
    weights = np.empty(end - begin)
    previous = -np.inf
    for at in range(begin, end):
        share = history.log_mass[at] - history.log_mass[end - 1]
        weights[at - begin] = math.exp(share) * -math.expm1(previous - share)
        weights[at - begin] *= _bias(history, u, history.neighbors[at], p, q, cutoff, inclusive)
        previous = share
    state, value = uniform(state)
    remaining = value * weights.sum()
    for at in range(begin, end):
        remaining -= weights[at - begin]
        if remaining < 0.0:
            return state, at
    return state, begin + np.argmax(weights)


@numba.njit(cache=True, nogil=True, parallel=True)
def _walk_back(history, starts, cutoffs, n_walks, p, q, seed, inclusive, nodes, times):
    biased = p != 1.0 or q != 1.0
    for walk in numba.prange(len(starts) * n_walks):
        v = starts[walk // n_walks]
        cutoff = cutoffs[walk // n_walks]
        nodes[walk, 0] = v
        end = _end_before(history, v, cutoff, inclusive)
        if end == history.offsets[v]:
            continue
        state = stream(seed, walk)
        u = v
        for step in range(nodes.shape[1] - 1):
            if biased and step > 0:  # the first step has no u: beta is 1
                state, at = _draw_biased(history, u, v, end, p, q, cutoff, inclusive, state)
            else:
                state, at = _draw(history.log_mass, history.offsets[v], end, state)
            u, v = v, history.neighbors[at]
            time = history.times[at]
            nodes[walk, step + 1] = v
            times[walk, step] = (time - history.first_time) / history.span + TIME_OFFSET
            end = _first_above(history.times, history.offsets[v], history.offsets[v + 1], time)


@numba.njit(cache=True, nogil=True, parallel=True)
def _walk_anywhere(history, starts, cutoffs, n_walks, seed, inclusive, nodes, times):
    for walk in numba.prange(len(starts) * n_walks):
        v = starts[walk // n_walks]
        cutoff = cutoffs[walk // n_walks]
        nodes[walk, 0] = v
        state = stream(seed, walk)
        for step in range(nodes.shape[1] - 1):
            begin = history.offsets[v]
            end = _end_before(history, v, cutoff, inclusive)
            if begin == end:
                break  # at the start only: the contact just used leads back
            state, at = below(state, end - begin)
            at += begin
            v = history.neighbors[at]
            nodes[walk, step + 1] = v
            times[walk, step] = (history.times[at] - history.first_time) / history.span + TIME_OFFSET
