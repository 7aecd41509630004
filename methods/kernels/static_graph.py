"""The static graph of a temporal network: every pair once, weighted by how often it met, neighbors sorted."""

from typing import NamedTuple

import numba
import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from methods.kernels.rows import CROSSING
from networks.network import TemporalNetwork


class StaticGraph(NamedTuple):
    """Neighbors of node v stand, in ascending order, at positions offsets[v] to offsets[v+1] (exclusive).

    `weights` are counts of contacts.
    """

    offsets: NDArray[np.int64]
    neighbors: NDArray[np.int32]
    weights: NDArray[np.int32]


class WalkGraph(NamedTuple):
    """The same graph laid out for walks, which choose among contacts: a pair that met three times has three crossings.

    Crossings from node v stand, ordered by neighbor, at first_crossing[v] to first_crossing[v+1] (exclusive), so that
    one drawn uniformly leads to a neighbor in proportion to its weight, without a search. In their `back` is the first
    of the crossings that lead back, and `times_met` says how many there are. `offsets` and `neighbors` list every
    neighbor once, for the question whether two nodes have met.
    """

    first_crossing: NDArray[np.int64]
    crossings: NDArray[np.void]
    times_met: NDArray[np.int32]
    offsets: NDArray[np.int64]
    neighbors: NDArray[np.int32]


def merged_graph(network: TemporalNetwork) -> StaticGraph:
    """Merge the contacts of every pair, whichever end came first, into one edge of weight = number of contacts."""
    ends = np.concatenate([network.source, network.target])
    others = np.concatenate([network.target, network.source])
    ones = np.ones(len(ends), dtype=np.int32)
    merged = scipy.sparse.coo_array((ones, (ends, others)), shape=(network.n_nodes, network.n_nodes)).tocsr()
    merged.sum_duplicates()  # sorts the neighbors too
    return StaticGraph(merged.indptr.astype(np.int64), merged.indices.astype(np.int32), merged.data)


def pairs_once(graph: StaticGraph) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The pairs that met, each once with the smaller node first, as an array (pairs, 2), and their weights."""
    ends = np.repeat(np.arange(len(graph.offsets) - 1, dtype=np.int32), np.diff(graph.offsets))
    once = ends < graph.neighbors
    return np.stack([ends[once], graph.neighbors[once]], axis=1), graph.weights[once]


def walk_graph(graph: StaticGraph) -> WalkGraph:
    """Lay out a static graph for walks."""
    running_sum = np.zeros(len(graph.weights) + 1, dtype=np.int64)
    np.cumsum(graph.weights, out=running_sum[1:])
    first_crossing = running_sum[graph.offsets]
    crossings = np.empty(running_sum[-1], dtype=CROSSING)
    times_met = np.empty(running_sum[-1], dtype=np.int32)
    _fill_crossings(graph, first_crossing, crossings, times_met)
    return WalkGraph(first_crossing, crossings, times_met, graph.offsets, graph.neighbors)


@numba.njit(cache=True)
def _fill_crossings(graph, first_crossing, crossings, times_met):
    """Nodes are visited in ascending order, so node u is the next one that each of its neighbors lists."""
    listed = np.zeros(len(first_crossing) - 1, dtype=np.int32)
    at = 0
    for node in range(len(first_crossing) - 1):
        for edge in range(graph.offsets[node], graph.offsets[node + 1]):
            neighbor = graph.neighbors[edge]
            for _ in range(graph.weights[edge]):
                crossings[at].neighbor = neighbor
                crossings[at].n_next = first_crossing[neighbor + 1] - first_crossing[neighbor]
                crossings[at].first_next = first_crossing[neighbor]
                crossings[at].back = listed[neighbor]
                times_met[at] = graph.weights[edge]
                at += 1
            listed[neighbor] += graph.weights[edge]


@numba.njit(cache=True)
def shorter_list(offsets, one, other):
    """Where to look whether two nodes have met: (start of the shorter list of neighbors, its length, whom to seek)."""
    degree_one = offsets[one + 1] - offsets[one]
    degree_other = offsets[other + 1] - offsets[other]
    if degree_one <= degree_other:
        return offsets[one], degree_one, other
    return offsets[other], degree_other, one


@numba.njit(cache=True)
def is_listed(neighbors, first, length, node):
    """Is `node` among the neighbors at `first` to `first + length` (exclusive)? O(log length).

    The search stays inside this stretch: one step past its end lie the neighbors of the next node. Its two outcomes are
    equally likely, so it is written without a branch that the processor would mispredict half of the time.
    """
    if length == 0:
        return False
    while length > 1:
        half = length // 2
        first += half if neighbors[first + half] <= node else 0
        length -= half
    return neighbors[first] == node
