"""The final embedding: one more aggregation for every node, as of its most recent contact."""

from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from methods.ehna.neighborhoods import Past
from methods.ehna.training import Model

NODES_PER_BATCH = 256
BATCHES_FOR_STATISTICS = 16


def aggregate_nodes(
    model: Model,
    past: Past,
    nodes: NDArray[np.int32],
    n_walks: int,
    seed: tuple[int, ...],
    tell: Callable[[int], object] = lambda n_done: None,
) -> NDArray[np.float32]:
    """z of `nodes`; `tell` is called with the number of nodes of every batch that is done.

    Batch statistics are taken anew, over nodes drawn by their degree: the spread of a mean depends on how many walks it
    is of, and training has fewer.
    """
    generator = np.random.default_rng(seed)
    z = np.empty((len(nodes), model.aggregation.architecture.dimensions), dtype=np.float32)
    degrees = past.network.degrees
    with torch.no_grad():
        if past.network.n_edges:
            estimate_statistics(model, past, n_walks, degrees, generator)
        model.aggregation.eval()
        for first in range(0, len(nodes), NODES_PER_BATCH):
            some = nodes[first : first + NODES_PER_BATCH]
            batch = past.latest(some, n_walks, int(generator.integers(2**63)))
            z[first : first + len(some)] = model.aggregation(model.table, batch).numpy()
            tell(len(some))
    model.aggregation.train()
    return z


def estimate_statistics(
    model: Model, past: Past, n_walks: int, degrees: NDArray[np.int64], generator: np.random.Generator
) -> None:
    """Mean and variance of both batch normalizations as plain averages over some batches."""
    for module in model.aggregation.modules():
        if isinstance(module, torch.nn.BatchNorm1d):
            module.reset_running_stats()
            module.momentum = None
    law = np.cumsum(degrees, dtype=np.float64)
    model.aggregation.train()
    for _ in range(BATCHES_FOR_STATISTICS):
        some = np.searchsorted(law, generator.random(NODES_PER_BATCH) * law[-1], side="right").astype(np.int32)
        model.aggregation(model.table, past.latest(some, n_walks, int(generator.integers(2**63))))
