"""The margin loss with negatives on both sides of an edge (Eq. 7)."""

import torch
from torch import Tensor


def margin_loss(z: Tensor, source: Tensor, target: Tensor, negatives: Tensor, margin: float) -> tuple[Tensor, Tensor]:
    """Eq. 7 per edge: sum over q of [m + |z_x - z_y|^2 - |z_x - z_q|^2]_+ and the same around z_y.

    `source` and `target` (edges) and `negatives` (2, edges, Q: around x, around y) are rows of z; a negative -1 could
    not be found and counts for nothing. Returns the mean over edges and the share of terms above 0.
    """
    near = (z[source] - z[target]).square().sum(-1)
    ends = torch.stack((z[source], z[target]))
    far = (ends[:, :, None] - z[negatives.clamp_min(0)]).square().sum(-1)
    terms = torch.relu(margin + near[None, :, None] - far) * (negatives >= 0)
    active = (terms.detach() > 0).sum() / (negatives >= 0).sum().clamp_min(1)
    return terms.sum() / len(source), active
