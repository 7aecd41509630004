"""HTNE in plain torch: sparse embeddings, the loss as the paper writes it, torch's own derivatives and SGD.

It takes the same batches as methods/htne (nodes, elapsed times, number of contacts in the history) and starts from the
same tables, so that the loss curves of the two can be laid over each other.
"""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn


class PlainHTNE(nn.Module):
    """One vector and one decay rate per node."""

    def __init__(self, embeddings: NDArray[np.floating], delta: NDArray[np.floating], learning_rate: float) -> None:
        super().__init__()
        self.embeddings = nn.Embedding.from_pretrained(torch.tensor(embeddings), freeze=False, sparse=True)
        self.delta = nn.Embedding.from_pretrained(torch.tensor(delta)[:, None], freeze=False, sparse=True)
        self.optimizer = torch.optim.SGD(self.parameters(), lr=learning_rate)

    def loss(
        self, nodes: Tensor, elapsed: Tensor, n_real: Tensor, negatives: int, sign: float = -1.0, padding: bool = False
    ) -> Tensor:
        """The loss summed over a batch; `padding` lets places without a contact take attention."""
        source = self.embeddings(nodes[:, 0])
        targets = self.embeddings(nodes[:, 1 : 2 + negatives])
        history = self.embeddings(nodes[:, 2 + negatives :])
        real = torch.arange(history.shape[1]) < n_real[:, None]
        affinity = -((source[:, None] - history) ** 2).sum(dim=2)
        if not padding:
            # Large and finite: a sample without history would make the softmax of nothing but -inf not a number.
            affinity = affinity.masked_fill(~real, -1e30)
        attention = affinity.softmax(dim=1)
        decay = torch.exp(sign * self.delta(nodes[:, 0]) * elapsed)
        base = -((source[:, None] - targets) ** 2).sum(dim=2)
        excitation = -((history[:, :, None] - targets[:, None]) ** 2).sum(dim=3)
        intensity = base + ((attention * decay * real)[:, :, None] * excitation).sum(dim=1)
        positive = torch.log(torch.sigmoid(intensity[:, 0]) + 1e-6).sum()
        negative = torch.log(torch.sigmoid(-intensity[:, 1:]) + 1e-6).sum()
        return -positive - negative

    def step(self, nodes: Tensor, elapsed: Tensor, n_real: Tensor, negatives: int) -> float:
        self.optimizer.zero_grad()
        loss = self.loss(nodes, elapsed, n_real, negatives)
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        return loss.item()
