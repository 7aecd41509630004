"""Algorithm 1: from the embeddings e and historical neighborhoods to the aggregated embeddings z."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from methods.ehna.attention import LITERAL, NONE, SOFT, inverse_times, node_attention, unit, walk_attention
from methods.ehna.neighborhoods import Neighborhoods
from methods.ehna.start import (
    ABOVE_ZERO,
    NODE_KEEP,
    NODE_SCALE,
    WALK_KEEP,
    WALK_SCALE,
    start_as_sum,
    start_projection,
)

# Small against what LSTMs that start as a mean put out, which torch's own 1e-5 is not.
EPSILON = 1e-10
# Sequences that go through an LSTM together. torch reads and writes all of them at every step: in chunks that fit the
# cache that is two to three times as fast (`python -m benchmarks ehna`).
ROWS_AT_ONCE = 1024
# What the weights of a target's walks add up to, however many there are.
WALK_WEIGHT = 5.0


@dataclass(frozen=True)
class Architecture:
    """What the paper's ablations vary: attention (EHNA-NA), LSTM layers and the levels of aggregation (EHNA-SL)."""

    dimensions: int
    attention: str = SOFT
    layers: int = 2
    levels: int = 2

    @property
    def width(self) -> int:
        """Of the table and the LSTMs: half of z, which starts as e beside H."""
        return self.dimensions // 2


class Aggregation(nn.Module):
    """The trained weights besides the embedding table: an LSTM and a batch normalization per level, and W."""

    def __init__(self, architecture: Architecture, history_share: float, activity_share: float, seed: int) -> None:
        """The start is z = unit([e ; c H + b]), c the `history_share` and b the `activity_share`: see start.py."""
        super().__init__()
        self.architecture = architecture
        d = architecture.width
        with torch.random.fork_rng(devices=[]):  # type: ignore[no-untyped-call]
            torch.manual_seed(seed)
            self.node_lstm = nn.LSTM(d, d, architecture.layers, batch_first=True)
            self.walk_lstm = nn.LSTM(d, d, architecture.layers, batch_first=True) if architecture.levels == 2 else None
        self.node_norm, self.walk_norm = nn.BatchNorm1d(d, eps=EPSILON), nn.BatchNorm1d(d, eps=EPSILON)
        self.projection = nn.Linear(2 * d, architecture.dimensions)
        start_projection(self.projection, history_share, activity_share)
        if self.walk_lstm is None:
            # Over hundreds of steps that hardly leak, noise would add up to more than the mean.
            start_as_sum(self.node_lstm, WALK_SCALE, WALK_KEEP, noise=0.0)
        else:
            start_as_sum(self.node_lstm, NODE_SCALE, NODE_KEEP)
            start_as_sum(self.walk_lstm, WALK_SCALE, WALK_KEEP)
            nn.init.constant_(self.node_norm.bias, ABOVE_ZERO)

    def forward(self, table: Tensor, batch: Neighborhoods) -> Tensor:
        """z of every target."""
        own = functional.embedding(batch.targets, table, sparse=True)
        neighborhood = torch.zeros_like(own)  # a target without history has H = 0
        if len(batch.owners):
            found = self.neighborhood(table, own[batch.owners], batch.nodes, batch.times)
            neighborhood = neighborhood.index_copy(0, batch.owners, found)
        return unit(self.projection(torch.cat((neighborhood, own), 1)))

    def neighborhood(self, table: Tensor, own: Tensor, nodes: Tensor, times: Tensor) -> Tensor:
        """Lines 1-6, H of targets with history: `own` (m, d), `nodes` (m, k, steps + 1), `times` (m, k, steps)."""
        m, k, _ = nodes.shape
        chunks = [
            self.read_walks(table, *chunk)
            for chunk in zip(*(part.split(max(1, ROWS_AT_ONCE // k)) for part in (own, nodes, times)), strict=True)
        ]
        last, inverse_time = (torch.cat(parts) for parts in zip(*chunks, strict=True))
        if self.walk_lstm is None:
            return normalized(self.walk_norm, last)
        h = torch.relu(normalized(self.node_norm, last)).view(m, k, -1)
        if self.architecture.attention == NONE:
            beta = h.new_full((m, k), WALK_WEIGHT / k)
        elif self.architecture.attention == SOFT:
            beta = WALK_WEIGHT * walk_attention(own, unit(h), inverse_time)
        else:
            beta = walk_attention(own, h, inverse_time)
        walks = (h * beta[..., None]).split(ROWS_AT_ONCE)
        return normalized(self.walk_norm, torch.cat([last_output(self.walk_lstm, part) for part in walks]))

    def read_walks(self, table: Tensor, own: Tensor, nodes: Tensor, times: Tensor) -> tuple[Tensor, Tensor]:
        """What the node-level LSTM says after each walk (EHNA-SL: after all walks of a target), and the mean over the
        walk's positions of 1 / sum t.
        """
        attention = self.architecture.attention
        inverse_time = inverse_times(nodes, times, first_time=0.0 if attention == LITERAL else 1.0)
        if attention == LITERAL:  # the start takes part; no step leads to it, its distance is 0, and so is its logit
            inverse_time = functional.pad(inverse_time, (1, 0))
            takes_part = torch.ones_like(nodes, dtype=torch.bool)
        else:  # the target is no history of its own: the start and returns to it are left out
            start, nodes = nodes[..., :1], nodes[..., 1:]
            takes_part = nodes != start
        embeddings = functional.embedding(nodes, table, sparse=True)
        alpha = takes_part.float()
        if attention != NONE:
            alpha = node_attention(own, embeddings, inverse_time, takes_part)
        if attention == SOFT:
            alpha = alpha * takes_part.sum(-1, keepdim=True)
        # Walks run from the target into the past; the LSTM reads them as events happened, the oldest first.
        sequences = (embeddings * alpha[..., None]).flip(2)
        if self.architecture.levels == 1:  # the walks of a target, one after the other, are one sequence
            sequences = sequences.flatten(1, 2) * (WALK_WEIGHT / nodes.shape[1])
        else:
            sequences = sequences.flatten(0, 1)
        return last_output(self.node_lstm, sequences), inverse_time.mean(-1)


def last_output(lstm: nn.LSTM, sequences: Tensor) -> Tensor:
    """What the top layer says after the last step of each sequence."""
    _, (hidden, _) = lstm(sequences)
    last: Tensor = hidden[-1]
    return last


def normalized(norm: nn.BatchNorm1d, rows: Tensor) -> Tensor:
    """One row has no variance: it is normalized by the running statistics, and leaves them as they are."""
    if len(rows) > 1:
        result: Tensor = norm(rows)
        return result
    return functional.batch_norm(rows, norm.running_mean, norm.running_var, norm.weight, norm.bias, eps=EPSILON)
