"""Batch normalization of rows that stand for several equal ones."""

import torch
from torch import Tensor, nn

MOMENTUM = 0.1
EPSILON = 1e-5


class WeightedBatchNorm(nn.Module):
    """torch.nn.BatchNorm1d over rows repeated `counts` times, without repeating them.

    In training a batch of fewer than two rows has no variance; it is normalized by the running statistics, and leaves
    them as they are.
    """

    running_mean: Tensor
    running_variance: Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.register_buffer("running_mean", torch.zeros(width))
        self.register_buffer("running_variance", torch.ones(width))

    def forward(self, rows: Tensor, counts: Tensor | None = None) -> Tensor:
        if counts is None:
            counts = torch.ones(len(rows), device=rows.device)
        total = counts.sum()
        if self.training and total >= 2:
            share = counts / total
            mean = share @ rows
            centered = rows - mean
            variance = share @ centered.square()
            with torch.no_grad():
                self.running_mean.lerp_(mean, MOMENTUM)
                self.running_variance.lerp_(variance * (total / (total - 1)), MOMENTUM)
        else:
            centered, variance = rows - self.running_mean, self.running_variance
        return centered * ((variance + EPSILON).rsqrt() * self.weight) + self.bias
