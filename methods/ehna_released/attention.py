"""How much a node counts in its walk, and a walk in its neighborhood: as released, and by Eq. 3 and 4."""

import torch
from torch import Tensor

# exp(w d^2) is cut off here: a pair with many contacts has a large w, and beyond 88 float32 is infinite. exp(30) = 1e13
# saturates any LSTM, and its square, which Adam keeps of the gradient, is still far from the end of float32.
LARGEST_EXPONENT = 30.0


def amplifying_factor(anchors: Tensor, nodes: Tensor, weights: Tensor) -> Tensor:
    """exp(w * (e_x - e_v)^2) in every dimension: (owners, k, positions, d). Far nodes are amplified."""
    exponent = weights[..., None] * (anchors[:, None, None, :] - nodes).square()
    return exponent.clamp_max(LARGEST_EXPONENT).exp()


def node_attention(anchors: Tensor, nodes: Tensor, inverse_times: Tensor) -> Tensor:
    """Eq. 3: alpha = softmax over the positions of a walk of -(1 / sum t) |e_x - e_v|^2: (owners, k, positions, 1)."""
    distances = (anchors[:, None, None, :] - nodes).square().sum(-1)
    return torch.softmax(-inverse_times * distances, dim=-1)[..., None]


def walk_attention(anchors: Tensor, walks: Tensor, inverse_times: Tensor) -> Tensor:
    """Eq. 4: beta = softmax over the walks r of -(1/|r| * sum_v 1 / sum t) * |e_x - h_r|^2: (owners, k, 1)."""
    distances = (anchors[:, None, :] - walks).square().sum(-1)
    return torch.softmax(-inverse_times.mean(-1) * distances, dim=-1)[..., None]
