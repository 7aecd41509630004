"""The time-ordered adjacency: for every node its contacts, oldest first, as flat arrays that kernels can read."""

from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray


class Adjacency(NamedTuple):
    """Contacts of node v stand at positions offsets[v] to offsets[v+1] (exclusive) of the three flat arrays.

    Within a node they are sorted by time, ties in file order. Every contact stands twice, once at either end;
    `edges` is its row in the network. A named tuple, because numba kernels take one as an argument.
    """

    offsets: NDArray[np.int64]
    neighbors: NDArray[np.int32]
    times: NDArray[np.int64] | NDArray[np.float64]
    edges: NDArray[np.int32]


def time_ordered_adjacency(
    source: NDArray[np.int32],
    target: NDArray[np.int32],
    time: NDArray[np.int64] | NDArray[np.float64],
    n_nodes: int,
) -> Adjacency:
    """Build the adjacency of contacts that are already sorted by time, in one linear pass."""
    offsets = np.zeros(n_nodes + 1, dtype=np.int64)
    np.cumsum(np.bincount(source, minlength=n_nodes) + np.bincount(target, minlength=n_nodes), out=offsets[1:])
    neighbors = np.empty(offsets[-1], dtype=np.int32)
    times = np.empty(offsets[-1], dtype=time.dtype)
    edges = np.empty(offsets[-1], dtype=np.int32)
    _place(source, target, time, offsets[:-1].copy(), neighbors, times, edges)
    return Adjacency(offsets, neighbors, times, edges)


@numba.njit(cache=True)
def _place(source, target, time, free, neighbors, times, edges):
    """Put each contact at the next free position of both its ends; time order is inherited from the row order."""
    for row in range(len(source)):
        u, v = source[row], target[row]
        at = free[u]
        neighbors[at], times[at], edges[at] = v, time[row], row
        free[u] = at + 1
        at = free[v]
        neighbors[at], times[at], edges[at] = u, time[row], row
        free[v] = at + 1
