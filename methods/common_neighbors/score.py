"""Common neighbors: a pair scores the number of nodes that both of its ends met."""

from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from methods.contract.run import Run
from networks.network import TemporalNetwork


def score(
    network: TemporalNetwork,
    source: NDArray[np.int32],
    target: NDArray[np.int32],
    time: NDArray[Any],
    params: dict[str, Any],
    run: Run,
) -> NDArray[np.float64]:
    with run.epoch(len(source), "pairs"):
        counts: NDArray[np.float64] = count_common(*distinct_neighbors(network), source, target)
        return counts


def distinct_neighbors(network: TemporalNetwork) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Neighbors of node v, each once and in order, at positions offsets[v] to offsets[v+1] (exclusive)."""
    source = np.concatenate([network.source, network.target]).astype(np.int64)
    target = np.concatenate([network.target, network.source])
    pairs = np.unique(source * network.n_nodes + target)
    offsets = np.searchsorted(pairs, np.arange(network.n_nodes + 1, dtype=np.int64) * network.n_nodes)
    return offsets, (pairs % network.n_nodes).astype(np.int32)


@numba.njit(cache=True)
def count_common(offsets, neighbors, source, target):
    """|N(u) & N(v)| of every pair; each neighbor of the end that has fewer is looked up in the other's list.

    The search doubles its steps from where the last one ended, so it costs O(small * log(large / small)): a hub's long
    list is not read for a partner that has three neighbors.
    """
    counts = np.zeros(len(source))
    for pair in range(len(source)):
        small, large = source[pair], target[pair]
        if offsets[small + 1] - offsets[small] > offsets[large + 1] - offsets[large]:
            small, large = large, small
        at, end = offsets[large], offsets[large + 1]
        for position in range(offsets[small], offsets[small + 1]):
            wanted = neighbors[position]
            step = 1
            while at + step < end and neighbors[at + step] <= wanted:
                at += step
                step *= 2
            while step > 0:
                if at + step < end and neighbors[at + step] <= wanted:
                    at += step
                step //= 2
            if neighbors[at] == wanted:
                counts[pair] += 1
    return counts
