"""The two attention mechanisms: alpha over the nodes of a walk (Eq. 3), beta over the walks of a target (Eq. 4).

Read softly, both are weights of mean 1 that prefer what is near to the target and recent: the start of a walk is left
out (its distance to itself is 0, so it would take the largest weight of all), distances are between unit vectors, and
times run from 1 to 2, so that the oldest contact is not divided by 0. Read literally, the start takes part, weights add
up to 1, and times run from 0 to 1.
"""

import torch
from torch import Tensor
from torch.nn import functional

SOFT, LITERAL, NONE = "soft", "literal", "none"


def inverse_times(nodes: Tensor, times: Tensor, first_time: float) -> Tensor:
    """1 / sum of t over all steps of the walk that lead to v, at every position of v but the start; times >= 0.

    `nodes` (..., steps + 1), `times` (..., steps); `first_time` is what is added to them.
    """
    reached = nodes[..., 1:]
    same = reached.unsqueeze(-1) == reached.unsqueeze(-2)
    total: Tensor = (same * (times + first_time).unsqueeze(-2)).sum(-1)
    return 1.0 / total


def node_attention(own: Tensor, embeddings: Tensor, inverse_time: Tensor, takes_part: Tensor) -> Tensor:
    """Eq. 3: softmax over the positions of a walk that take part of -(1 / sum t_(u,v)) * |e_x - e_v|^2.

    `own` (m, d), `embeddings` (m, k, positions, d), the others (m, k, positions).
    """
    distances = (embeddings - own[:, None, None]).square().sum(-1)
    logits = (-inverse_time * distances).masked_fill(~takes_part, -torch.inf)
    # A walk that only returns to its target has no position that takes part: its weights are 0, not NaN.
    alone = ~takes_part.any(-1, keepdim=True)
    return torch.softmax(logits.masked_fill(alone, 0.0), -1) * takes_part


def walk_attention(own: Tensor, walks: Tensor, inverse_time: Tensor) -> Tensor:
    """Eq. 4: softmax over a target's walks of -(1/|r| * sum_v 1 / sum t_(u,v)) * |e_x - h_r|^2.

    `own` (m, d), `walks` (m, k, d), `inverse_time` (m, k), the mean over positions. The paper's denominator mixes r and
    r'; it is read as r' throughout.
    """
    distances = (walks - own[:, None]).square().sum(-1)
    return torch.softmax(-inverse_time * distances, 1)


def unit(vectors: Tensor) -> Tensor:
    return functional.normalize(vectors, dim=-1)
