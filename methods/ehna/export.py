"""The final embedding: one more aggregation for every node, as of its most recent edge."""

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from methods.ehna.batches import Sampling, Source, prepared_ahead, walks_of
from methods.ehna.model import Model
from methods.ehna.neighborhoods import Neighborhoods, gather

NODES_PER_BATCH = 1024


def aggregate_nodes(
    model: Model,
    source: Source,
    sampling: Sampling,
    nodes: NDArray[np.int32],
    seed: tuple[int, ...],
    tell: Callable[[int], object] = lambda n_done: None,
) -> NDArray[np.float32]:
    """z of `nodes`, each over all contacts up to and including its latest, with running batch statistics.

    `tell` is called with the number of nodes of every batch that is done.
    """

    def prepare(first: int) -> Neighborhoods:
        some = nodes[first : first + NODES_PER_BATCH]
        (walk_seed,) = np.random.SeedSequence((*seed, first)).generate_state(1, np.uint64)
        walks = walks_of(source, sampling, some, last_times(source, some), int(walk_seed), inclusive=True)
        return gather(some, [(0, walks, True)], sampling.walks, source.network.n_nodes)

    z = np.empty((len(nodes), model.table.shape[1]), dtype=np.float32)
    model.aggregation.eval()
    with torch.no_grad():
        firsts = range(0, len(nodes), NODES_PER_BATCH)
        for first, batch in zip(firsts, prepared_ahead(prepare, firsts, model.workers.threads), strict=True):
            rows = torch.from_numpy(batch.nodes).to(model.table.device)
            found = model.aggregation(model.table[rows], batch, model.workers)
            z[first : first + NODES_PER_BATCH] = found.cpu().numpy()
            tell(len(found))
    model.aggregation.train()
    return z


def last_times(source: Source, nodes: NDArray[np.int32]) -> NDArray[Any]:
    """The time of each node's most recent contact; any time for a node without one, which has no walks anyway."""
    history = source.history
    if len(history.times) == 0:
        return np.zeros(len(nodes), dtype=history.times.dtype)
    return history.times[np.maximum(history.offsets[nodes + 1] - 1, 0)]
