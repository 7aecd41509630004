"""Historical neighborhoods of a batch: walks turned into the arrays that the aggregation reads, each walk once.

Where contacts are few or repeated, many walks of a batch are equal; equal walks have equal representations h_r, so they
are kept once, with a count for batch normalization. Nodes are numbered 0, 1, … within the batch, so that only their
rows of the embedding table take part.
"""

from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from methods.walks.backward import Walks


@dataclass
class WalkGroup:
    """Walks of one length. Positions are places in a walk, the start first; nodes are numbers within the batch."""

    nodes: NDArray[np.int32]  # (distinct walks, positions)
    times: NDArray[np.float32]  # (distinct walks, steps)
    inverse_time: NDArray[np.float32]  # as nodes: 1 / sum of t over all steps into that node; 0 for no step
    counts: NDArray[np.float32]  # how many walks of the batch are this one
    attention: bool  # two-hop samples of negatives are fed without attention
    owners: NDArray[np.int64]  # targets that have these walks
    walks: NDArray[np.int32]  # (owners, k): the walks of each


@dataclass
class Neighborhoods:
    """What one batch of targets needs: their nodes, and the walks of those that have any."""

    nodes: NDArray[np.int32]  # node of the network for each node of the batch
    targets: NDArray[np.int64]  # node of the batch for each target
    groups: list[WalkGroup]


def gather(
    targets: NDArray[np.int32], parts: list[tuple[int, Walks, bool]], n_walks: int, n_nodes: int
) -> Neighborhoods:
    """Neighborhoods of `targets`; each part holds the walks of a run of targets: (first target, walks, attention?)."""
    number = np.full(n_nodes, -1, dtype=np.int32)
    nodes = np.empty(min(n_nodes, len(targets) + sum(walks.nodes.size for _, walks, _ in parts)), dtype=np.int32)
    found, local = _number(targets, number, nodes, 0)
    groups = []
    for first, walks, attention in parts:
        has_history = walks.nodes[::n_walks, 1] >= 0
        owners = np.flatnonzero(has_history)
        if len(owners) == 0:
            continue
        rows = np.repeat(has_history, n_walks)
        which, places = _distinct(walks.nodes, walks.times, np.flatnonzero(rows))
        found, numbered = _number(walks.nodes[which].reshape(-1), number, nodes, found)
        groups.append(
            WalkGroup(
                nodes=numbered.reshape(len(which), -1),
                times=walks.times[which],
                inverse_time=_inverse_times(walks.nodes[which], walks.times[which]),
                counts=np.bincount(places, minlength=len(which)).astype(np.float32),
                attention=attention,
                owners=owners + first,
                walks=places.reshape(-1, n_walks),
            )
        )
    return Neighborhoods(nodes[:found].copy(), local.astype(np.int64), groups)


@numba.njit(cache=True, nogil=True)
def _number(values, number, nodes, found):
    """Number nodes in order of first appearance."""
    local = np.empty(len(values), dtype=np.int32)
    for at in range(len(values)):
        node = values[at]
        if number[node] < 0:
            number[node] = found
            nodes[found] = node
            found += 1
        local[at] = number[node]
    return found, local


@numba.njit(cache=True, nogil=True)
def _distinct(nodes, times, rows):
    """The first of each set of equal rows, and for every row its place among them; a hash table, compared in full."""
    size = 2
    while size < 2 * len(rows):
        size *= 2
    slots = np.full(size, -1, dtype=np.int32)
    which = np.empty(len(rows), dtype=np.int64)
    places = np.empty(len(rows), dtype=np.int32)
    found = 0
    for at in range(len(rows)):
        row = rows[at]
        key = np.uint64(1469598103934665603)
        for s in range(nodes.shape[1]):
            key = (key ^ np.uint64(nodes[row, s])) * np.uint64(1099511628211)
        for s in range(times.shape[1]):
            key = (key ^ np.uint64(np.float32(times[row, s]).view(np.int32))) * np.uint64(1099511628211)
        slot = (key ^ (key >> np.uint64(29))) & np.uint64(size - 1)
        while True:
            place = slots[slot]
            if place < 0:
                slots[slot] = places[at] = found
                which[found] = row
                found += 1
                break
            other = which[place]
            if np.array_equal(nodes[row], nodes[other]) and np.array_equal(times[row], times[other]):
                places[at] = place
                break
            slot = (slot + np.uint64(1)) & np.uint64(size - 1)
    return which[:found].copy(), places


@numba.njit(cache=True, nogil=True)
def _inverse_times(nodes, times):
    """1 / sum of t over all steps of the walk that lead to v, at every position of v (Eq. 3); 0 if none does.

    The sum is at least the offset that walk times carry, so the reciprocal is bounded.
    """
    inverse = np.zeros(nodes.shape, dtype=np.float32)
    for row in range(nodes.shape[0]):
        for at in range(nodes.shape[1]):
            total = 0.0
            for step in range(times.shape[1]):
                if nodes[row, step + 1] == nodes[row, at]:
                    total += times[row, step]
            if total > 0.0:
                inverse[row, at] = 1.0 / total
    return inverse
