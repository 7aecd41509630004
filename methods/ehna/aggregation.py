"""Algorithm 1: from the embeddings e and a batch of historical neighborhoods to the aggregated embeddings z."""

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from methods.ehna.attention import node_attention, walk_attention
from methods.ehna.lstm import StackedLSTM
from methods.ehna.neighborhoods import Neighborhoods, WalkGroup
from methods.ehna.normalization import WeightedBatchNorm
from methods.ehna.parallel import Workers


@dataclass(frozen=True)
class Architecture:
    """What the paper's ablations vary: attention (EHNA-NA), LSTM layers and the levels of aggregation (EHNA-SL)."""

    dimensions: int
    attention: bool = True
    layers: int = 2
    levels: int = 2


class Aggregation(nn.Module):
    """The trained weights besides the embedding table: an LSTM and a batch normalization per level, and W."""

    def __init__(self, architecture: Architecture, generator: torch.Generator) -> None:
        super().__init__()
        self.architecture = architecture
        d = architecture.dimensions
        self.node_lstm = StackedLSTM(d, architecture.layers, generator)
        self.node_norm = WeightedBatchNorm(d)
        if architecture.levels == 2:
            self.walk_lstm = StackedLSTM(d, architecture.layers, generator)
            self.walk_norm = WeightedBatchNorm(d)
        self.projection = nn.Parameter(initial_projection(d))

    def forward(self, table: Tensor, batch: Neighborhoods, workers: Workers) -> Tensor:
        """z of every target; `table` holds the embeddings of the batch's nodes, in its order."""
        groups = [(group, tensors(group, table.device)) for group in batch.groups]
        targets = torch.from_numpy(batch.targets).to(table.device)
        own = table[targets]
        neighborhood = torch.zeros_like(own)  # a target without history has H = 0
        if groups:
            owners = torch.cat([arrays.owners for _, arrays in groups])
            if self.architecture.levels == 2:
                found = self.two_levels(table, own, groups, workers)
            else:
                found = self.one_level(table, groups, workers)
            neighborhood = neighborhood.index_copy(0, owners, found)
        z = torch.cat((neighborhood, own), dim=1) @ self.projection.t()
        return z / z.norm(dim=1, keepdim=True).clamp_min(1e-12)

    def alpha(self, table: Tensor, group: "WalkGroup", arrays: "WalkTensors", workers: Workers) -> Tensor:
        if self.architecture.attention and group.attention:
            return node_attention(table, arrays.nodes, arrays.inverse_time, workers.fused)
        return torch.ones_like(arrays.inverse_time)

    def two_levels(
        self, table: Tensor, own: Tensor, groups: list[tuple["WalkGroup", "WalkTensors"]], workers: Workers
    ) -> Tensor:
        """Lines 1-6: h_r = ReLU(BN(LSTM(alpha e))) of every walk, then H = BN(LSTM(beta h_r)) of every target."""
        last = []
        for group, arrays in groups:
            alpha = self.alpha(table, group, arrays, workers)
            # Walks run from the target into the past; the LSTM reads them as events happened, the target last.
            last.append(self.node_lstm(table, arrays.nodes.flip(1), alpha.flip(1), workers))
        counts = torch.cat([arrays.counts for _, arrays in groups])
        h = torch.relu(self.node_norm(torch.cat(last), counts))

        walks, betas = [], []
        first = 0
        for group, arrays in groups:
            places = arrays.walks + first
            first += len(arrays.nodes)
            walks.append(places)
            if self.architecture.attention and group.attention:
                inverse_time = arrays.inverse_time.mean(1)[arrays.walks]
                betas.append(walk_attention(own[arrays.owners], h[places], inverse_time))
            else:
                betas.append(torch.ones(places.shape, device=table.device))
        found: Tensor = self.walk_norm(self.walk_lstm(h, torch.cat(walks), torch.cat(betas), workers))
        return found

    def one_level(self, table: Tensor, groups: list[tuple["WalkGroup", "WalkTensors"]], workers: Workers) -> Tensor:
        """EHNA-SL: the walks of a target, one after the other, are one sequence for one LSTM."""
        last = []
        for group, arrays in groups:
            alpha = self.alpha(table, group, arrays, workers)
            nodes = arrays.nodes.flip(1)[arrays.walks].flatten(1)
            last.append(self.node_lstm(table, nodes, alpha.flip(1)[arrays.walks].flatten(1), workers))
        found: Tensor = self.node_norm(torch.cat(last))
        return found


@dataclass
class WalkTensors:
    """The arrays of a WalkGroup on the device."""

    nodes: Tensor
    inverse_time: Tensor
    counts: Tensor
    owners: Tensor
    walks: Tensor


def tensors(group: WalkGroup, device: torch.device) -> WalkTensors:
    return WalkTensors(
        *(
            torch.from_numpy(array).to(device)
            for array in (group.nodes, group.inverse_time, group.counts, group.owners, group.walks)
        )
    )


def initial_projection(d: int) -> Tensor:
    """W of z = W [H || e_x], (d, 2d): nothing of H, the identity for e_x.

    z starts as e_x and takes in as much of H as helps. H leaves its batch normalization with length sqrt(d), e_x has
    length 1: with random weights for H, the noise of untrained LSTMs drowns e_x, and the table learns late and badly.
    """
    return torch.cat((torch.zeros(d, d), torch.eye(d)), dim=1)
