"""Batch normalization, with statistics of its own for every role or for all together."""

import torch
from torch import Tensor, nn

MOMENTUM = 0.1
EPSILON = 1e-5
# x, y, negatives around x, negatives around y; with two levels of aggregation the released code's eight layers.
ROLES = 4


class BatchNorm(nn.Module):
    """(rows - mean) / sqrt(variance + 1e-5) * weight + bias; `by_batch`: statistics of these rows, else running ones.

    A single row is its own mean and becomes the bias; it says nothing about the variance and is not remembered.
    """

    running_mean: Tensor
    running_variance: Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.register_buffer("running_mean", torch.zeros(width))
        self.register_buffer("running_variance", torch.ones(width))

    def forward(self, rows: Tensor, by_batch: bool) -> Tensor:
        mean, variance = self.running_mean, self.running_variance
        if by_batch:
            mean, variance = rows.mean(0), rows.var(0, unbiased=False)
            if self.training and len(rows) > 1:
                with torch.no_grad():
                    self.running_mean.lerp_(mean, MOMENTUM)
                    self.running_variance.lerp_(variance, MOMENTUM)
        return (rows - mean) * (variance + EPSILON).rsqrt() * self.weight + self.bias


class RoleNorms(nn.Module):
    """Normalizes the rows of each role, apart or together."""

    def __init__(self, width: int, separate: bool) -> None:
        super().__init__()
        self.separate = separate
        self.norms = nn.ModuleList(BatchNorm(width) for _ in range(ROLES if separate else 1))

    def forward(self, rows: list[Tensor], by_batch: bool) -> list[Tensor]:
        """`rows[i]` are those of role i; a role without rows has none afterwards."""
        if self.separate:
            return [norm(some, by_batch) if len(some) else some for norm, some in zip(self.norms, rows, strict=False)]
        together = torch.cat(rows)
        if len(together) == 0:
            return rows
        return list(self.norms[0](together, by_batch).split([len(some) for some in rows]))
