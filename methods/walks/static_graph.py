"""The static graph of a temporal network: every pair once, weighted by how often it met, neighbors sorted."""

from typing import NamedTuple

import numba
import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from datasets.network import TemporalNetwork


class StaticGraph(NamedTuple):
    """Neighbors of node v stand, in ascending order, at positions offsets[v] to offsets[v+1] (exclusive).

    The weight of the neighbor at position i is cumulative[i+1] - cumulative[i]. Weights are counts of contacts, so
    these running sums over the whole graph are exact integers, and one subtraction sums the weights of a node.
    `back` leads to the same edge at its other end: if w stands at position i of v, then v stands at position
    offsets[w] + back[i] of w.
    """

    offsets: NDArray[np.int64]
    neighbors: NDArray[np.int32]
    cumulative: NDArray[np.int64]
    back: NDArray[np.int32]


def merged_graph(network: TemporalNetwork) -> StaticGraph:
    """Merge the contacts of every pair, whichever end came first, into one edge of weight = number of contacts."""
    ends = np.concatenate([network.source, network.target])
    others = np.concatenate([network.target, network.source])
    ones = np.ones(len(ends), dtype=np.int32)
    merged = scipy.sparse.coo_array((ones, (ends, others)), shape=(network.n_nodes, network.n_nodes)).tocsr()
    merged.sum_duplicates()  # sorts the neighbors too
    cumulative = np.zeros(merged.nnz + 1, dtype=np.int64)
    np.cumsum(merged.data, out=cumulative[1:])
    offsets, neighbors = merged.indptr.astype(np.int64), merged.indices.astype(np.int32)
    back = np.empty(len(neighbors), dtype=np.int32)
    _ways_back(offsets, neighbors, back)
    return StaticGraph(offsets, neighbors, cumulative, back)


@numba.njit(cache=True)
def _ways_back(offsets, neighbors, back):
    """Rows are visited in ascending order, so node u is the next one that each of its neighbors lists."""
    listed = np.zeros(len(offsets) - 1, dtype=np.int32)
    for node in range(len(offsets) - 1):
        for at in range(offsets[node], offsets[node + 1]):
            other = neighbors[at]
            back[at] = listed[other]
            listed[other] += 1


@numba.njit(cache=True)
def is_neighbor(graph, node, other):
    """Is `other` among the neighbors of `node`? O(log degree).

    The search stays inside the node's own stretch: one step past its end lie the neighbors of the next node. Its two
    outcomes are equally likely, so it is written without a branch that the processor would mispredict half of the time.
    """
    at, remaining = graph.offsets[node], graph.offsets[node + 1] - graph.offsets[node]
    if remaining == 0:
        return False
    while remaining > 1:
        half = remaining // 2
        at += half if graph.neighbors[at + half] <= other else 0
        remaining -= half
    return graph.neighbors[at] == other


@numba.njit(cache=True)
def has_edge(graph, one, other):
    """Do the two nodes have a contact? Looks in the shorter of the two lists of neighbors."""
    degree_one = graph.offsets[one + 1] - graph.offsets[one]
    degree_other = graph.offsets[other + 1] - graph.offsets[other]
    if degree_one <= degree_other:
        return is_neighbor(graph, one, other)
    return is_neighbor(graph, other, one)
