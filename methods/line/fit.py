"""LINE: first- and second-order proximity trained apart, each half scaled to unit length, then set side by side."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from methods.contract.errors import MethodError
from methods.contract.run import Run
from methods.line.training import Half, initial_half, load_kernel, train_epoch, weighted_graph
from networks.network import TemporalNetwork

# A checkpoint of a large network takes seconds to write; this many of them over the whole fit.
CHECKPOINTS = 10


def fit(network: TemporalNetwork, params: dict[str, Any], run: Run) -> NDArray[np.float32]:
    """An epoch is one sample per distinct edge and order; `samples_per_edge` epochs make the fit."""
    graph = weighted_graph(network)
    n_epochs = params["samples_per_edge"]
    run.report(distinct_edges=graph.n_edges, samples_per_order=n_epochs * graph.n_edges)

    halves = [initial_half(order, network.n_nodes, params["dimensions"] // 2, run.seed) for order in (1, 2)]
    first_epoch = _resume(halves, run)
    load_kernel(halves[0], graph)
    with (
        ThreadPoolExecutor(max_workers=run.threads) as pool,
        run.progress(2 * n_epochs * graph.n_edges, "samples", "LINE") as bar,
    ):
        bar.update(2 * first_epoch * graph.n_edges)
        for epoch in range(first_epoch, n_epochs):
            with run.epoch(2 * graph.n_edges, "samples"):
                for half in halves:
                    train_epoch(
                        half,
                        graph,
                        epoch,
                        n_epochs,
                        params["negatives"],
                        params["learning_rate"],
                        run.seed,
                        run.threads,
                        pool,
                    )
            bar.update(2 * graph.n_edges)
            if (epoch + 1) * CHECKPOINTS // n_epochs > epoch * CHECKPOINTS // n_epochs:
                run.save_checkpoint(
                    epoch=np.array(epoch + 1),
                    vertex_1=halves[0].vertex,
                    vertex_2=halves[1].vertex,
                    context_2=halves[1].other,
                )
    vectors = np.concatenate([unit_rows(half.vertex) for half in halves], axis=1)
    vectors[network.degrees == 0] = 0  # scaled to unit length, the tiny start of an untrained node would pass for one
    return vectors


def _resume(halves: list[Half], run: Run) -> int:
    """Take up the tables of an interrupted fit; return the number of epochs they have seen."""
    state = run.load_checkpoint()
    if state is None:
        return 0
    halves[0].vertex[:], halves[1].vertex[:], halves[1].other[:] = (
        state["vertex_1"],
        state["vertex_2"],
        state["context_2"],
    )
    return int(state["epoch"])


def unit_rows(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each row divided by its length; a row of zeros stays zero instead of becoming NaN."""
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    if not np.isfinite(lengths).all():
        raise MethodError("the vectors have grown beyond what float32 can hold; take a smaller learning_rate")
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
