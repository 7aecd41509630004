"""Adam for an embedding table of which a batch touches a few rows only, and for the weights."""

from collections.abc import Iterable

import numba
import numpy as np
import torch
from torch import Tensor, nn

from methods.ehna.parallel import Workers

BETA_1, BETA_2, EPSILON = 0.9, 0.999, 1e-8


class RowAdam:
    """Adam whose moments of a row move only when the row has a gradient (torch.optim.SparseAdam does the same).

    The cost of a step is that of the rows of a batch, not of all nodes.
    """

    def __init__(self, table: Tensor, learning_rate: float, workers: Workers) -> None:
        self.table = table
        self.learning_rate = learning_rate
        self.workers = workers
        self.mean = torch.zeros_like(table)
        self.square = torch.zeros_like(table)
        self.steps = 0

    def step(self, rows: Tensor, gradient: Tensor) -> None:
        """Update the distinct `rows` of the table."""
        self.steps += 1
        size = self.learning_rate * (1 - BETA_2**self.steps) ** 0.5 / (1 - BETA_1**self.steps)
        if not self.workers.fused:
            mean = self.mean[rows].lerp_(gradient, 1 - BETA_1)
            square = self.square[rows].mul_(BETA_2).addcmul_(gradient, gradient, value=1 - BETA_2)
            self.mean[rows], self.square[rows] = mean, square
            self.table[rows] -= size * mean / (square.sqrt() + EPSILON)
            return
        state = self.table.numpy(), self.mean.numpy(), self.square.numpy()
        touched, slopes = rows.numpy(), gradient.contiguous().numpy()
        blocks = self.workers.chunks(len(rows))

        def run(number: int) -> None:
            first, end = blocks[number]
            _step(*state, touched[first:end], slopes[first:end], np.float32(size))

        self.workers.each(run, len(blocks))


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _step(table, mean, square, rows, gradient, size):
    """The same in one pass: torch makes ten over the rows of a batch, while the other threads wait."""
    fresh_1, keep_2, fresh_2 = np.float32(1 - BETA_1), np.float32(BETA_2), np.float32(1 - BETA_2)
    epsilon = np.float32(EPSILON)
    for at in range(len(rows)):
        row = rows[at]
        for j in range(table.shape[1]):
            g = gradient[at, j]
            mean[row, j] += fresh_1 * (g - mean[row, j])
            square[row, j] = keep_2 * square[row, j] + fresh_2 * g * g
            table[row, j] -= size * mean[row, j] / (np.sqrt(square[row, j]) + epsilon)


class WeightAdam:
    """The same for weights that every batch touches: torch.optim.Adam, whose import loads torch's compiler (3 s)."""

    def __init__(self, weights: Iterable[nn.Parameter], learning_rate: float, workers: Workers) -> None:
        self.weights = list(weights)
        # A vector is a table of one row.
        matrices = [weight.detach().view(-1, weight.shape[-1]) for weight in self.weights]
        self.parts = [RowAdam(matrix, learning_rate, workers) for matrix in matrices]

    def step(self) -> None:
        """Update the weights by their gradients, and forget these. A batch without history has none for the LSTMs."""
        for weight, part in zip(self.weights, self.parts, strict=True):
            if weight.grad is not None:
                part.step(torch.arange(len(part.table), device=weight.device), weight.grad.view(part.table.shape))
                weight.grad = None
