"""The final embedding: one more aggregation for every node, as of its latest edge."""

import numpy as np
import torch
from numpy.typing import NDArray

from methods.ehna_released.contexts import end_context
from methods.ehna_released.model import Model
from methods.ehna_released.setting import Setting
from methods.ehna_released.training import Source, refuse_infinity
from methods.ehna_released.walks import temporal_walks

SLICES = 100


def export(model: Model, source: Source, setting: Setting, seed: tuple[int, ...]) -> NDArray[np.float32]:
    """z of all nodes in the role of x, slice by slice; a slice has at least two nodes, or it would have no variance."""
    n_nodes = source.network.n_nodes
    generator = np.random.default_rng(seed)
    latest = latest_ranks(source)
    z = np.empty((n_nodes, setting.dimensions), dtype=np.float32)
    model.eval()
    with torch.no_grad():
        for nodes in np.array_split(np.arange(n_nodes), max(1, min(SLICES, n_nodes // 2))):
            walk_seed, fill_seed = generator.integers(2**63, size=2).tolist()
            walks = temporal_walks(
                source.contacts,
                nodes[:, None],
                latest[nodes],
                setting,
                walk_seed,
                inclusive=not setting.export_before_latest_edge,
            )
            context = end_context(source.contacts, walks, 0, nodes, setting, fill_seed, misread=False)
            found = model([context], by_batch=setting.batch_statistics_at_export)[0]
            refuse_infinity(found, "the embedding after the last epoch")
            z[nodes] = found.numpy()
    return z


def latest_ranks(source: Source) -> NDArray[np.int64]:
    """The rank of the time of every node's latest edge; 0 for a node without one, which has no walks anyway."""
    latest = np.zeros(source.network.n_nodes, dtype=np.int64)
    for ends in (source.network.source, source.network.target):
        np.maximum.at(latest, ends, source.ranks)
    return latest
