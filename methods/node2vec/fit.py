"""Node2Vec (Grover and Leskovec 2016): skip-gram on second-order walks over the static graph, contacts as weights."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from methods.contract.run import Run
from methods.kernels.skip_gram import skip_gram
from methods.kernels.static_graph import WalkGraph, merged_graph, walk_graph
from methods.kernels.static_walks import static_walks
from networks.network import TemporalNetwork

WALKS_AT_ONCE = 50_000


def fit(network: TemporalNetwork, params: dict[str, Any], run: Run) -> NDArray[np.float32]:
    """`walks_per_node` walks of `walk_length` nodes from every node that has a contact; the others get zero vectors."""
    graph = walk_graph(merged_graph(network))
    # Compiled, or loaded from numba's cache, before the first epoch is timed.
    static_walks(graph, np.empty(0, dtype=np.int32), params["walk_length"], params["p"], params["q"], run.seed)
    tokens = int(np.count_nonzero(network.degrees)) * params["walks_per_node"] * params["walk_length"]

    def blocks() -> Iterator[NDArray[np.int32]]:
        return walk_blocks(graph, params, run.seed)

    return skip_gram(blocks, network.n_nodes, work=lambda: tokens, unit="tokens", params=params, run=run)


def walk_blocks(graph: WalkGraph, params: dict[str, Any], seed: int) -> Iterator[NDArray[np.int32]]:
    """Rounds of one walk from every node, each round in a random order of its own, as in the reference."""
    nodes = np.flatnonzero(np.diff(graph.offsets)).astype(np.int32)
    for round_number in range(params["walks_per_node"]):
        starts = np.random.default_rng([seed, round_number]).permutation(nodes)
        for first in range(0, len(starts), WALKS_AT_ONCE):
            yield static_walks(
                graph,
                starts[first : first + WALKS_AT_ONCE],
                params["walk_length"],
                params["p"],
                params["q"],
                seed,
                first_walk=round_number * len(starts) + first,
            )
