"""The margin loss (Eq. 7) of a batch of edges, against its own nodes and a pool of others as negatives.

Eq. 7 draws Q negatives for each end of an edge. Here every node of the batch and of the pool is a negative of every
end, unless the two know each other: the mean over them has less noise than Q draws, and costs one product.
"""

import numba
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from methods.kernels.backward_walks import History


def margin_loss(z: Tensor, n_edges: int, known: Tensor, margin: float) -> Tensor:
    """z holds both ends of the edges (x_1.., then y_1..), then the pool; `known` (ends, rows of z) are no negatives.

    The mean over ends of [m + |z_x - z_y|^2 - |z_x - z_q|^2]_+, half of it over q in the batch, half in the pool. The
    vectors have unit length, so |a - b|^2 = 2 - 2 a.b.
    """
    n_ends = 2 * n_edges
    near = (2 - 2 * (z[:n_edges] * z[n_edges:n_ends]).sum(1)).repeat(2)
    far = 2 - 2 * z[:n_ends] @ z.t()
    terms = torch.relu(margin + near[:, None] - far)
    allowed = (~known).float()
    parts = [
        (terms[:, part] * allowed[:, part]).sum(1) / allowed[:, part].sum(1).clamp_min(1)
        for part in (slice(0, n_ends), slice(n_ends, None))
    ]
    return (parts[0] + parts[1]).mean() / 2


def known_pairs(history: History, rows: NDArray[np.int32], columns: NDArray[np.int32]) -> NDArray[np.bool_]:
    """known[i, j]: node rows[i] is columns[j], or meets it somewhere in the network."""
    known = np.zeros((len(rows), len(columns)), dtype=np.bool_)
    by_node = np.argsort(columns, kind="stable")
    _mark_known(history, rows, columns[by_node], by_node, known)
    return known


@numba.njit(cache=True, nogil=True, parallel=True)
def _mark_known(history, rows, nodes, places, known):
    """`nodes` and a row's neighbors are sorted; every item of the shorter list is looked up in the longer."""
    for i in numba.prange(len(rows)):
        begin, end = history.offsets[rows[i]], history.offsets[rows[i] + 1]
        neighbors = history.pair_neighbors[begin:end]
        at = np.searchsorted(nodes, rows[i])
        while at < len(nodes) and nodes[at] == rows[i]:
            known[i, places[at]] = True
            at += 1
        if len(neighbors) < len(nodes):
            for j in range(len(neighbors)):
                if j > 0 and neighbors[j] == neighbors[j - 1]:
                    continue
                at = np.searchsorted(nodes, neighbors[j])
                while at < len(nodes) and nodes[at] == neighbors[j]:
                    known[i, places[at]] = True
                    at += 1
        else:
            for j in range(len(nodes)):
                at = np.searchsorted(neighbors, nodes[j])
                if at < len(neighbors) and neighbors[at] == nodes[j]:
                    known[i, places[j]] = True
