"""DeepWalk (Perozzi et al. 2014): skip-gram on walks that go to each neighbor of a node with equal probability."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from methods.contract.run import Run
from methods.kernels.skip_gram import skip_gram
from methods.kernels.static_graph import merged_graph, walk_graph
from methods.node2vec.fit import walk_blocks
from networks.network import TemporalNetwork


def fit(network: TemporalNetwork, params: dict[str, Any], run: Run) -> NDArray[np.float32]:
    """Node2vec's walks with p = q = 1 over a graph in which every pair that met has weight 1."""
    graph = merged_graph(network)
    unweighted = walk_graph(graph._replace(weights=np.ones_like(graph.weights)))
    tokens = int(np.count_nonzero(network.degrees)) * params["walks_per_node"] * params["walk_length"]

    def blocks() -> Iterator[NDArray[np.int32]]:
        return walk_blocks(unweighted, params | {"p": 1, "q": 1}, run.seed)

    next(blocks(), None)  # compiled, or loaded from numba's cache, before the first epoch is timed
    return skip_gram(blocks, network.n_nodes, work=lambda: tokens, unit="tokens", params=params, run=run)
