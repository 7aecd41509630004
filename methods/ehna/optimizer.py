"""Adam for an embedding table of which a batch touches a few rows only, and for the weights."""

from collections.abc import Iterable

import torch
from torch import Tensor, nn

BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8


class RowAdam:
    """Adam whose moments of a row move only when the row has a gradient (torch.optim.SparseAdam does the same).

    The cost of a step is that of the rows of a batch, not of all nodes.
    """

    def __init__(self, table: Tensor, learning_rate: float) -> None:
        self.table = table
        self.learning_rate = learning_rate
        self.mean = torch.zeros_like(table)
        self.square = torch.zeros_like(table)
        self.steps = 0

    def step(self, rows: Tensor | slice, gradient: Tensor) -> None:
        """Update the distinct `rows` of the table."""
        self.steps += 1
        mean = self.mean[rows].lerp_(gradient, 1 - BETA_1)
        square = self.square[rows].mul_(BETA_2).addcmul_(gradient, gradient, value=1 - BETA_2)
        self.mean[rows], self.square[rows] = mean, square
        size = self.learning_rate * (1 - BETA_2**self.steps) ** 0.5 / (1 - BETA_1**self.steps)
        self.table[rows] -= size * mean / (square.sqrt() + EPSILON)


class WeightAdam:
    """The same for weights that every batch touches: torch.optim.Adam, whose import loads torch's compiler (3 s)."""

    def __init__(self, weights: Iterable[nn.Parameter], learning_rate: float) -> None:
        self.weights = list(weights)
        self.parts = [RowAdam(weight.detach(), learning_rate) for weight in self.weights]

    def step(self) -> None:
        """Update the weights by their gradients, and forget these. A batch without history has none for the LSTMs."""
        for weight, part in zip(self.weights, self.parts, strict=True):
            if weight.grad is not None:
                part.step(slice(None), weight.grad)
                weight.grad = None
