"""EHNA in plain torch: the literal method with nn.LSTM, one padded tensor per level, and torch's own derivatives.

It draws the same batches as methods/ehna and starts from the same weights, so the loss curves of the two agree; it
computes every walk of every target, equal or empty, projects every place of every walk, and keeps what autograd keeps.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from methods.ehna.aggregation import Aggregation
from methods.ehna.batches import Batch
from methods.ehna.model import Model


@dataclass
class PaddedWalks:
    """Walks of consecutive targets, (targets, k, positions); those of a target without history are all node 0."""

    first: int
    nodes: Tensor
    inverse_time: Tensor
    has_history: Tensor
    attention: bool


def pad(batch: Batch) -> list[PaddedWalks]:
    """Undo the sharing of equal walks; a target that no group owns is without history."""
    neighborhoods = batch.neighborhoods
    n, edges = len(neighborhoods.targets), len(batch.source)
    padded = []
    for group in neighborhoods.groups:
        first, end = (0, 2 * edges) if group.owners[0] < 2 * edges else (2 * edges, n)
        shape = (end - first, group.walks.shape[1], group.nodes.shape[1])
        nodes, inverse_time = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.float32)
        has_history = np.zeros(end - first, dtype=bool)
        owners = group.owners - first
        nodes[owners], inverse_time[owners] = group.nodes[group.walks], group.inverse_time[group.walks]
        has_history[owners] = True
        arrays = [torch.from_numpy(array) for array in (nodes, inverse_time, has_history)]
        padded.append(PaddedWalks(first, arrays[0], arrays[1], arrays[2], group.attention))
    return padded


class PlainEHNA(nn.Module):
    """Algorithm 1 with torch's modules; starts from the weights of `model`."""

    def __init__(self, model: Model, learning_rate: float, embedding_learning_rate: float) -> None:
        super().__init__()
        n_nodes, d = model.table.shape
        layers = model.aggregation.architecture.layers
        self.table = nn.Embedding(n_nodes, d, sparse=True)
        self.node_lstm = nn.LSTM(d, d, layers, batch_first=True)
        self.walk_lstm = nn.LSTM(d, d, layers, batch_first=True)
        self.node_norm, self.walk_norm = nn.BatchNorm1d(d), nn.BatchNorm1d(d)
        self.projection = nn.Linear(2 * d, d, bias=False)
        self.start_from(model)
        dense = [weight for name, weight in self.named_parameters() if not name.startswith("table")]
        self.optimizer = torch.optim.Adam(dense, lr=learning_rate)
        self.table_optimizer = torch.optim.SparseAdam(list(self.table.parameters()), lr=embedding_learning_rate)

    @torch.no_grad()
    def start_from(self, model: Model) -> None:
        aggregation: Aggregation = model.aggregation
        self.table.weight.copy_(model.table)
        self.projection.weight.copy_(aggregation.projection)
        for ours, theirs in ((aggregation.node_lstm, self.node_lstm), (aggregation.walk_lstm, self.walk_lstm)):
            for layer in range(aggregation.architecture.layers):
                getattr(theirs, f"weight_ih_l{layer}").copy_(ours.input[layer])
                getattr(theirs, f"weight_hh_l{layer}").copy_(ours.recurrent[layer])
                # torch adds two biases; a constant second one leaves the sum with one degree of freedom, as ours.
                getattr(theirs, f"bias_ih_l{layer}").copy_(ours.bias[layer])
                getattr(theirs, f"bias_hh_l{layer}").zero_().requires_grad_(False)

    def forward(self, batch: Batch) -> Tensor:
        nodes = torch.from_numpy(batch.neighborhoods.nodes).long()
        own = self.table(nodes[torch.from_numpy(batch.neighborhoods.targets)])
        groups = pad(batch)
        h, has_history = self.walk_representations(nodes, groups)
        neighborhood = torch.zeros_like(own)
        outputs, places = [], []
        for group, representations in zip(groups, h, strict=True):
            targets = own[group.first : group.first + len(representations)]
            weighted = representations
            if group.attention:
                distances = (representations - targets[:, None]).square().sum(-1)
                beta = torch.softmax(-group.inverse_time.mean(-1) * distances, dim=1)
                weighted = beta[:, :, None] * representations
            outputs.append(self.walk_lstm(weighted)[0][:, -1])
            places.append(group.first + torch.arange(len(representations)))
        if groups:
            last, where = torch.cat(outputs)[has_history], torch.cat(places)[has_history]
            neighborhood = neighborhood.index_copy(0, where, self.walk_norm(last))
        z = self.projection(torch.cat((neighborhood, own), dim=1))
        return z / z.norm(dim=1, keepdim=True).clamp_min(1e-12)

    def walk_representations(self, nodes: Tensor, groups: list[PaddedWalks]) -> tuple[list[Tensor], Tensor]:
        """h_r of every walk as (targets, k, d) per group, and which of the targets have history."""
        outputs = []
        for group in groups:
            n, k, positions = group.nodes.shape
            embeddings = self.table(nodes[group.nodes.view(n * k, positions)])
            weighted = embeddings
            if group.attention:
                distances = (embeddings - embeddings[:, :1]).square().sum(-1)
                alpha = torch.softmax(-group.inverse_time.view(n * k, positions) * distances, dim=1)
                weighted = alpha[:, :, None] * embeddings
            outputs.append(self.node_lstm(weighted.flip(1))[0][:, -1])
        if not groups:
            return [], torch.zeros(0, dtype=torch.bool)
        k = groups[0].nodes.shape[1]
        has_history = torch.cat([group.has_history for group in groups])
        rows = has_history.repeat_interleave(k)
        last = torch.cat(outputs)
        h = torch.zeros_like(last).index_copy(0, rows.nonzero().squeeze(1), torch.relu(self.node_norm(last[rows])))
        return list(h.view(-1, k, last.shape[1]).split([len(group.nodes) for group in groups])), has_history

    def train_batch(self, batch: Batch, margin: float) -> float:
        z = self(batch)
        source, target, negatives = map(torch.from_numpy, (batch.source, batch.target, batch.negatives))
        near = (z[source] - z[target]).square().sum(-1)
        loss = torch.zeros(())
        for end, drawn in zip((source, target), negatives, strict=True):
            for column in drawn.t():
                far = (z[end] - z[column.clamp_min(0)]).square().sum(-1)
                loss = loss + (torch.relu(margin + near - far) * (column >= 0)).sum()
        loss = loss / len(source)
        self.optimizer.zero_grad()
        self.table_optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimizer.step()
        self.table_optimizer.step()
        return loss.item()
