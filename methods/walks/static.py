"""Second-order walks on the static graph (node2vec; Grover and Leskovec 2016, Section 3.2).

At v, having come from u, the next node x is drawn with probability proportional to w(v, x) times

    1/p  if x = u,      1  if x is a neighbor of u,      1/q  otherwise.

A step costs O(log degree): neighbors are drawn by weight from running sums, and the factors 1 and 1/q come in by
rejection. The way back to u is drawn apart, with its exact mass w(v, u)/p, so that the share of accepted proposals is
at least min(q, 1/q), even where a small p at a hub would make rejection hopeless.
"""

import numba
import numpy as np
from numpy.typing import NDArray

from methods.walks.random_stream import below, stream, uniform
from methods.walks.static_graph import StaticGraph, has_edge

# Walks that a thread takes in step with each other: their waits for memory overlap. On a network of 577,314 nodes this
# doubles the speed of first-order walks over one walk at a time.
IN_STEP = 16


def static_walks(
    graph: StaticGraph, starts: NDArray[np.int32], walk_length: int, p: float, q: float, seed: int, first_walk: int = 0
) -> NDArray[np.int32]:
    """One walk of `walk_length` nodes from every start, as rows; the start is the first node.

    Every start needs a neighbor; then no walk can end early, because the way back is always open. Walk number
    `first_walk + i` of a seed has its own random numbers: blocks and threads do not change it.
    """
    walks = np.empty((len(starts), walk_length), dtype=np.int32)
    if p == 1 and q == 1:
        _first_order_walks(graph, starts, seed, first_walk, walks)
    else:
        _second_order_walks(graph, starts, p, q, seed, first_walk, walks)
    return walks


@numba.njit(parallel=True, cache=True)
def _first_order_walks(graph, starts, seed, first_walk, walks):
    n_walks, walk_length = walks.shape
    for batch in numba.prange((n_walks + IN_STEP - 1) // IN_STEP):
        rows = range(batch * IN_STEP, min(n_walks, (batch + 1) * IN_STEP))
        random = np.empty(IN_STEP, dtype=np.uint64)
        for i, row in enumerate(rows):
            random[i] = stream(seed, first_walk + row)
            walks[row, 0] = starts[row]
        for step in range(1, walk_length):
            for i, row in enumerate(rows):
                random[i], at = neighbor_by_weight(graph, walks[row, step - 1], random[i])
                walks[row, step] = graph.neighbors[at]


@numba.njit(parallel=True, cache=True)
def _second_order_walks(graph, starts, p, q, seed, first_walk, walks):
    n_walks, walk_length = walks.shape
    for batch in numba.prange((n_walks + IN_STEP - 1) // IN_STEP):
        rows = range(batch * IN_STEP, min(n_walks, (batch + 1) * IN_STEP))
        random = np.empty(IN_STEP, dtype=np.uint64)
        at = np.empty(IN_STEP, dtype=np.int64)
        for i, row in enumerate(rows):
            walks[row, 0] = starts[row]
            random[i], at[i] = neighbor_by_weight(graph, starts[row], stream(seed, first_walk + row))
        for step in range(1, walk_length):
            for i, row in enumerate(rows):
                if step > 1:
                    random[i], at[i] = second_order_step(graph, at[i], p, q, random[i])
                walks[row, step] = graph.neighbors[at[i]]


@numba.njit(cache=True)
def neighbor_by_weight(graph, node, random):
    """Position of a neighbor of `node`, drawn in proportion to its weight."""
    first, last = graph.offsets[node], graph.offsets[node + 1]
    random, mark = below(random, graph.cumulative[last] - graph.cumulative[first])
    return random, _position(graph, first, last, mark)


@numba.njit(cache=True)
def _position(graph, first, last, mark):
    """Position whose weight covers the point `mark` (an integer) of the line of weights from `first` to `last`."""
    base = graph.cumulative[first]
    remaining = last - first
    if graph.cumulative[last] - base == remaining:
        return first + mark  # all weights are 1
    at = first
    while remaining > 1:
        half = remaining // 2
        at += half if graph.cumulative[at + half] - base <= mark else 0
        remaining -= half
    return at


@numba.njit(cache=True)
def second_order_step(graph, at, p, q, random):
    """Position of the next edge of a walk whose latest edge stands at position `at`."""
    node = graph.neighbors[at]
    first, last = graph.offsets[node], graph.offsets[node + 1]
    back = first + graph.back[at]
    previous = graph.neighbors[back]
    before_back = graph.cumulative[back] - graph.cumulative[first]
    back_weight = graph.cumulative[back + 1] - graph.cumulative[back]
    other_weight = graph.cumulative[last] - graph.cumulative[first] - back_weight
    most, least = max(1.0, 1.0 / q), min(1.0, 1.0 / q)
    back_mass = back_weight / p
    total_mass = back_mass + other_weight * most
    while True:
        random, point = uniform(random)
        if point * total_mass < back_mass:
            return random, back
        random, mark = below(random, other_weight)
        if mark >= before_back:
            mark += back_weight  # the line of weights without the stretch of the way back
        candidate = _position(graph, first, last, mark)
        random, height = uniform(random)
        height *= most
        # Below the least factor any candidate is accepted, above it only the kind that has the larger one: the search
        # for an edge is needed only in between.
        if height < least or has_edge(graph, graph.neighbors[candidate], previous) == (q > 1.0):
            return random, candidate
