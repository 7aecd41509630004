"""The two attention mechanisms: alpha over the nodes of a walk (Eq. 3), beta over the walks of a target (Eq. 4)."""

from typing import Any

import numba
import numpy as np
import torch
from torch import Tensor


def node_attention(table: Tensor, nodes: Tensor, inverse_time: Tensor, fused: bool) -> Tensor:
    """Eq. 3: alpha_(v,x) = softmax over the positions of a walk of -(1 / sum t_(u,v)) * |e_x - e_v|^2.

    x stands at position 0. Where no step leads to a node (the start), the sum is empty; its distance to itself is 0, so
    the logit is 0, which `inverse_time` 0 gives.
    """
    if fused:
        alpha: Tensor = _NodeAttention.apply(table, nodes, inverse_time)
        return alpha
    embeddings = table[nodes]
    distances = (embeddings - embeddings[:, :1]).square().sum(-1)
    return torch.softmax(-inverse_time * distances, dim=1)


def walk_attention(target: Tensor, walks: Tensor, inverse_time: Tensor) -> Tensor:
    """Eq. 4: beta_(r,x) = softmax over a target's walks of -(1/|r| * sum_v 1 / sum t_(u,v)) * |e_x - h_r|^2.

    `target` (n, d), `walks` (n, k, d); `inverse_time` (n, k) is the mean over positions. The paper's denominator mixes
    r and r'; it is read as r' throughout.
    """
    distances = (walks - target[:, None]).square().sum(-1)
    return torch.softmax(-inverse_time * distances, dim=1)


class _NodeAttention(torch.autograd.Function):
    """Eq. 3 without the (walks, positions, d) array of embeddings that plain torch would make three times over."""

    @staticmethod
    def forward(ctx: Any, table: Tensor, nodes: Tensor, inverse_time: Tensor) -> Tensor:
        alpha = torch.empty(nodes.shape)
        _alpha(table.detach().numpy(), nodes.numpy(), inverse_time.numpy(), alpha.numpy())
        ctx.save_for_backward(table, nodes, inverse_time, alpha)
        return alpha

    @staticmethod
    def backward(ctx: Any, dalpha: Tensor) -> tuple[Tensor, None, None]:  # type: ignore[override]
        table, nodes, inverse_time, alpha = (tensor.detach() for tensor in ctx.saved_tensors)
        dlogit = alpha * (dalpha - (alpha * dalpha).sum(1, keepdim=True))
        ddistance = -inverse_time * dlogit
        dtable = torch.zeros_like(table)
        _spread(table.numpy(), nodes.numpy(), ddistance.numpy(), dtable.numpy())
        return dtable, None, None


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def _alpha(table, nodes, inverse_time, alpha):
    walks, positions = nodes.shape
    for r in range(walks):
        x = table[nodes[r, 0]]
        highest = -np.inf
        for at in range(positions):
            v = table[nodes[r, at]]
            distance = np.float32(0.0)
            for j in range(len(x)):
                difference = x[j] - v[j]
                distance += difference * difference
            alpha[r, at] = -inverse_time[r, at] * distance
            highest = max(highest, alpha[r, at])
        total = 0.0
        for at in range(positions):
            alpha[r, at] = np.exp(alpha[r, at] - highest)
            total += alpha[r, at]
        for at in range(positions):
            alpha[r, at] /= total


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _spread(table, nodes, ddistance, dtable):
    """d|e_x - e_v|^2 / de_v = 2 (e_v - e_x), and the opposite for e_x."""
    walks, positions = nodes.shape
    for r in range(walks):
        x, dx = table[nodes[r, 0]], dtable[nodes[r, 0]]
        for at in range(1, positions):
            if nodes[r, at] == nodes[r, 0]:
                continue
            v, dv = table[nodes[r, at]], dtable[nodes[r, at]]
            slope = np.float32(2.0) * ddistance[r, at]
            for j in range(len(x)):
                dv[j] += slope * (v[j] - x[j])
            for j in range(len(x)):
                dx[j] -= slope * (v[j] - x[j])
