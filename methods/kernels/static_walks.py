"""Second-order walks on the static graph (node2vec; Grover and Leskovec 2016, Section 3.2).

At v, having come from u, the next node x is drawn with probability proportional to w(v, x) times

    1/p  if x = u,      1  if x is a neighbor of u,      1/q  otherwise.

Weights are counts of contacts, so a contact of v drawn uniformly is a neighbor drawn by weight; the factors 1 and 1/q
come in by rejection, which costs O(log degree) for the question whether x is a neighbor of u. The way back to u is
drawn apart, with its exact mass w(v, u)/p, so that the share of accepted proposals is at least min(q, 1/q), even where
a small p at a hub would make rejection hopeless.

A thread takes a group of walks in step: it goes through all of them once for each thing that has to come from memory,
and asks for what the next round will read.
"""

import numba
import numpy as np
from numpy.typing import NDArray

from methods.kernels.random_stream import below, stream, uniform
from methods.kernels.rows import prefetch
from methods.kernels.static_graph import WalkGraph, is_listed, shorter_list

GROUP = 128  # walks that a thread takes in step with each other

# A walk on its way: its row in the table of walks and the nodes it has so far, its random numbers, the crossing `at` by
# which it came, the crossing `proposed` as its next, and the `height` up to which the factor of the proposed node must
# reach. If that depends on whether the node has met the last one, the answer is whether `sought` is in the list of
# neighbors that stands at `first` and has this `length`.
WALKER = np.dtype(
    [
        ("random", np.uint64), ("at", np.int64), ("proposed", np.int64), ("height", np.float64), ("first", np.int64),
        ("length", np.int64), ("row", np.int64), ("n_nodes", np.int32), ("sought", np.int32),
    ]
)  # fmt: skip


def static_walks(
    graph: WalkGraph, starts: NDArray[np.int32], walk_length: int, p: float, q: float, seed: int, first_walk: int = 0
) -> NDArray[np.int32]:
    """One walk of `walk_length` nodes from every start, as rows; the start is the first node.

    Every start needs a neighbor; then no walk can end early, because the way back is always open. Walk number
    `first_walk + i` of a seed has its own random numbers: groups, blocks and threads do not change it.
    """
    walks = np.empty((len(starts), walk_length), dtype=np.int32)
    walks[:, 0] = starts
    if p == 1 and q == 1:
        _first_order_walks(graph.first_crossing, graph.crossings, seed, first_walk, walks)
    elif walk_length > 1:
        _second_order_walks(graph, p, q, seed, first_walk, walks)
    return walks


@numba.njit(parallel=True, cache=True)
def _first_order_walks(first_crossing, crossings, seed, first_walk, walks):
    n_walks, walk_length = walks.shape
    for group in numba.prange((n_walks + GROUP - 1) // GROUP):
        rows = range(group * GROUP, min(n_walks, (group + 1) * GROUP))
        random = np.empty(GROUP, dtype=np.uint64)
        at = np.empty(GROUP, dtype=np.int64)
        for i, row in enumerate(rows):
            random[i], at[i] = _first_step(first_crossing, walks[row, 0], stream(seed, first_walk + row))
            prefetch(crossings, at[i])
        for step in range(1, walk_length):
            for i, row in enumerate(rows):
                crossing = crossings[at[i]]
                walks[row, step] = crossing.neighbor
                random[i], drawn = below(random[i], crossing.n_next)
                at[i] = crossing.first_next + drawn
                prefetch(crossings, at[i])


@numba.njit(cache=True)
def _first_step(first_crossing, node, random):
    """One of the crossings from a node, each equally likely."""
    random, drawn = below(random, first_crossing[node + 1] - first_crossing[node])
    return random, first_crossing[node] + drawn


@numba.njit(parallel=True, cache=True)
def _second_order_walks(graph, p, q, seed, first_walk, walks):
    """A walk whose proposal is refused proposes again in the next round, while the others go on."""
    n_walks = len(walks)
    for group in numba.prange((n_walks + GROUP - 1) // GROUP):
        rows = range(group * GROUP, min(n_walks, (group + 1) * GROUP))
        walkers = np.empty(GROUP, dtype=WALKER)
        for i, row in enumerate(rows):
            walker = walkers[i]
            walker.row, walker.n_nodes, walker.height = row, 1, 0.0
            walker.random, walker.proposed = _first_step(
                graph.first_crossing, walks[row, 0], stream(seed, first_walk + row)
            )
        n_walking = _take(graph, walkers, len(rows), q, walks)
        while n_walking > 0:
            _propose(graph, walkers, n_walking, p, q)
            _find_lists(graph, walkers, n_walking, q, walks)
            n_walking = _take(graph, walkers, n_walking, q, walks)


@numba.njit(cache=True)
def _propose(graph, walkers, n_walking, p, q):
    """The way back, which is taken whatever the height, or another crossing from where each walk is."""
    most = max(1.0, 1.0 / q)
    for i in range(n_walking):
        walker = walkers[i]
        came = graph.crossings[walker.at]
        ways_back = graph.times_met[walker.at]
        other_ways = came.n_next - ways_back
        back_mass = ways_back / p
        random, point = uniform(walker.random)
        if point * (back_mass + other_ways * most) < back_mass:
            drawn, height = np.int64(came.back), 0.0
        else:
            random, drawn = below(random, other_ways)
            if drawn >= came.back:
                drawn += ways_back
            random, height = uniform(random)
        walker.random, walker.height, walker.proposed = random, height * most, came.first_next + drawn
        prefetch(graph.crossings, walker.proposed)


@numba.njit(cache=True)
def _find_lists(graph, walkers, n_walking, q, walks):
    """Where the question must be asked whether the proposed node is a neighbor of the last one: in which list to look.

    Below the least factor any proposal is accepted, above it only the kind that has the larger one.
    """
    least = min(1.0, 1.0 / q)
    for i in range(n_walking):
        if walkers[i].height >= least:
            prefetch(graph.offsets, graph.crossings[walkers[i].proposed].neighbor)
    for i in range(n_walking):
        walker = walkers[i]
        if walker.height >= least:
            previous = walks[walker.row, walker.n_nodes - 2]
            proposed = graph.crossings[walker.proposed].neighbor
            walker.first, walker.length, walker.sought = shorter_list(graph.offsets, proposed, previous)
            prefetch(graph.neighbors, walker.first + walker.length // 2)


@numba.njit(cache=True)
def _take(graph, walkers, n_walking, q, walks):
    """Take the accepted steps, drop the walks that are complete; return how many go on."""
    least = min(1.0, 1.0 / q)
    for i in range(n_walking - 1, -1, -1):
        walker = walkers[i]
        if walker.height < least or is_listed(graph.neighbors, walker.first, walker.length, walker.sought) == (q > 1.0):
            walker.at = walker.proposed
            prefetch(graph.times_met, walker.at)
            walks[walker.row, walker.n_nodes] = graph.crossings[walker.at].neighbor
            walker.n_nodes += 1
            if walker.n_nodes == walks.shape[1]:
                n_walking -= 1
                walkers[i] = walkers[n_walking]
    return n_walking
