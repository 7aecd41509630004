"""GraphMixer's layers: the fixed encoding of time, the MLP-Mixer over it, and the classifier of a pair.

Without features of nodes and contacts the authors' code gives every node a one-hot vector and every contact a zero. A
linear layer of a one-hot vector is a table with a row per node, and so it stands here: `identity`.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

SLOWEST = 9  # the last frequency is 10^-9: one turn in two centuries of seconds


def frequencies(dimensions: int) -> Tensor:
    """omega, falling from 1 to 10^-9 in even steps of its logarithm; never trained."""
    return 10 ** -torch.linspace(0, SLOWEST, dimensions, dtype=torch.float64)


def encode_time(elapsed: Tensor, omega: Tensor) -> Tensor:
    """cos(omega * elapsed); in float64, because seconds since a contact times 1 are an angle of millions."""
    return torch.cos(elapsed[..., None] * omega).float()


class FeedForward(nn.Module):
    """W2 GELU(W1 x), with dropout after both."""

    def __init__(self, width: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.inner, self.outer, self.dropout = nn.Linear(width, hidden), nn.Linear(hidden, width), nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        result: Tensor = self.dropout(self.outer(self.dropout(functional.gelu(self.inner(x)))))
        return result


class MixerLayer(nn.Module):
    """x + mix of LayerNorm(x) over contacts, then the same over channels; x is (nodes, contacts, channels)."""

    def __init__(self, contacts: int, channels: int, dropout: float) -> None:
        super().__init__()
        self.contact_norm, self.channel_norm = nn.LayerNorm(channels), nn.LayerNorm(channels)
        self.over_contacts = FeedForward(contacts, contacts // 2, dropout)
        self.over_channels = FeedForward(channels, 4 * channels, dropout)

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.over_contacts(self.contact_norm(x).transpose(1, 2)).transpose(1, 2)
        result: Tensor = x + self.over_channels(self.channel_norm(x))
        return result


class GraphMixer(nn.Module):
    """`state` is what the classifier's first layer makes of a node; `logit` is of a pair of them, in either order."""

    omega: Tensor

    def __init__(self, n_nodes: int, contacts: int, dimensions: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.register_buffer("omega", frequencies(dimensions))
        self.encoder = nn.Linear(dimensions, dimensions)
        self.layers = nn.ModuleList(MixerLayer(contacts, dimensions, dropout) for _ in range(layers))
        self.norm, self.head = nn.LayerNorm(dimensions), nn.Linear(dimensions, dimensions)
        # One layer reads the Mixer's output beside the one-hot vector, so both parts of it start within one bound.
        bound = 1 / math.sqrt(dimensions + n_nodes)
        self.from_links = nn.Linear(dimensions, dimensions)
        self.identity = nn.Parameter(torch.empty(n_nodes, dimensions))
        for part in (self.from_links.weight, self.from_links.bias, self.identity):
            nn.init.uniform_(part, -bound, bound)
        self.out = nn.Linear(dimensions, 1)

    def links(self, elapsed: Tensor) -> Tensor:
        """The link encoder: a summary of when a node's latest contacts were; NaN, no contact, is a row of zeros."""
        missing = elapsed.isnan()
        tokens = self.encoder(encode_time(elapsed.masked_fill(missing, 0.0), self.omega))
        x = tokens.masked_fill(missing[..., None], 0.0)
        for layer in self.layers:
            x = layer(x)
        summary: Tensor = self.head(self.norm(x).mean(1))
        return summary

    def nodes(self, nodes: Tensor, others: Tensor, begin: Tensor) -> Tensor:
        """The node encoder: a node's own row plus the mean of those it met; those of node i start at `begin[i]`."""
        own = functional.embedding(nodes, self.identity, sparse=True)
        met = functional.embedding_bag(others, self.identity, begin, mode="mean", sparse=True)
        return own + met

    def state(self, elapsed: Tensor, nodes: Tensor, others: Tensor, begin: Tensor) -> Tensor:
        result: Tensor = self.from_links(self.links(elapsed)) + self.nodes(nodes, others, begin)
        return result

    def logit(self, one: Tensor, other: Tensor) -> Tensor:
        result: Tensor = self.out(functional.relu(one + other)).squeeze(-1)
        return result
