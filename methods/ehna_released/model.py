"""The aggregation, in plain torch: from the embeddings e and contexts to z, as released or by Algorithm 1."""

import math

import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from methods.ehna_released.attention import amplifying_factor, node_attention, walk_attention
from methods.ehna_released.contexts import Context
from methods.ehna_released.norm import RoleNorms
from methods.ehna_released.setting import Setting

LAYERS = 2


class Model(nn.Module):
    """The embedding table and the weights of the aggregation."""

    def __init__(self, n_nodes: int, setting: Setting, seed: int) -> None:
        super().__init__()
        self.setting = setting
        d = setting.dimensions
        self.table = nn.Parameter(torch.empty(n_nodes, d))
        self.node_lstm = nn.LSTM(d, d, LAYERS, batch_first=True)
        self.walk_lstm = self.node_lstm if setting.one_lstm else nn.LSTM(d, d, LAYERS, batch_first=True)
        self.node_norms = RoleNorms(d, setting.separate_norms)
        self.walk_norms = RoleNorms(d, setting.separate_norms)
        if setting.split_projection:
            self.own_projection = nn.Linear(d, d // 2)  # W_s and W_h, each with its part of b
            self.history_projection = nn.Linear(d, d - d // 2)
        else:
            self.projection = nn.Linear(2 * d, d, bias=False)
        self._initialize(torch.Generator().manual_seed(seed))

    def _initialize(self, generator: torch.Generator) -> None:
        """Embeddings of about unit length in random directions, weights uniform within 1/sqrt(inputs)."""
        self.table.data.normal_(generator=generator).div_(math.sqrt(self.setting.dimensions))
        for name, weight in self.named_parameters():
            if "lstm" in name or "projection" in name:
                bound = 1 / math.sqrt(weight.shape[-1] if "projection" in name else self.setting.dimensions)
                weight.data.uniform_(-bound, bound, generator=generator)

    def forward(self, contexts: list[Context], by_batch: bool = True) -> list[Tensor]:
        """z of every target, context by context; a context's place in the list is its role (see norm.py)."""
        k = self.setting.walks
        own = [functional.embedding(torch.from_numpy(context.targets), self.table) for context in contexts]
        anchors = [
            functional.embedding(torch.from_numpy(context.anchors[context.owners]), self.table) for context in contexts
        ]
        inverse_times = [self._tensor(context.inverse_times()) for context in contexts]
        walks = [
            last_state(self.node_lstm, self._weighted_nodes(*parts).flatten(0, 1))
            for parts in zip(contexts, anchors, inverse_times, strict=True)
        ]
        h = [torch.relu(rows).unflatten(0, (-1, k)) for rows in self.node_norms(walks, by_batch)]
        if not self.setting.no_walk_attention:
            h = [
                rows * walk_attention(anchor, rows, inverse) if context.attention else rows
                for context, rows, anchor, inverse in zip(contexts, h, anchors, inverse_times, strict=True)
            ]
        neighborhoods = self.walk_norms([last_state(self.walk_lstm, rows) for rows in h], by_batch)
        return [
            self._project(e, torch.zeros_like(e).index_copy(0, torch.from_numpy(context.owners), found))
            for context, e, found in zip(contexts, own, neighborhoods, strict=True)
        ]

    def _weighted_nodes(self, context: Context, anchors: Tensor, inverse_times: Tensor) -> Tensor:
        """(owners, k, positions, d): the sequences for the LSTM."""
        nodes = functional.embedding(torch.from_numpy(context.nodes), self.table)
        if context.attention and self.setting.amplifying_attention:
            nodes = nodes * amplifying_factor(anchors, nodes, self._tensor(context.weights))
        elif context.attention:
            nodes = nodes * node_attention(anchors, nodes, inverse_times)
        return nodes if self.setting.newest_first else nodes.flip(2)

    def _project(self, own: Tensor, neighborhood: Tensor) -> Tensor:
        """z of unit length; a target without context has a neighborhood H of 0."""
        if self.setting.split_projection:
            z = torch.cat((self.own_projection(own), self.history_projection(neighborhood)), dim=1)
        else:
            z = self.projection(torch.cat((neighborhood, own), dim=1))
        return z / z.norm(dim=1, keepdim=True).clamp_min(1e-12)

    def _tensor(self, array: NDArray) -> Tensor:  # type: ignore[type-arg]
        return torch.from_numpy(array).to(self.table.dtype)


def last_state(lstm: nn.LSTM, sequences: Tensor) -> Tensor:
    """The last hidden state of the top layer; no rows for no sequences."""
    if len(sequences) == 0:
        return sequences.new_zeros(0, lstm.hidden_size)
    state: Tensor = lstm(sequences)[1][0][-1]
    return state
