"""Batches of edges, the loss, and one epoch of Adam."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from datasets.network import TemporalNetwork
from methods.ehna_released.contacts import Contacts, group_contacts, time_ranks
from methods.ehna_released.contexts import Context, end_context, negative_context
from methods.ehna_released.model import Model
from methods.ehna_released.negatives import cumulative_noise, draw_negatives
from methods.ehna_released.setting import Setting
from methods.ehna_released.walks import temporal_walks
from methods.errors import MethodError
from methods.run import Run


@dataclass
class Source:
    """A network and what sampling from it needs."""

    network: TemporalNetwork
    contacts: Contacts
    ranks: NDArray[np.int64]  # the rank of every row's time
    noise: NDArray[np.float64]

    @classmethod
    def of(cls, network: TemporalNetwork, setting: Setting) -> "Source":
        noise = cumulative_noise(network, setting.degrees_in_insertion_order)
        return cls(network, group_contacts(network), time_ranks(network)[0], noise)


@dataclass
class Batch:
    """Contexts of x, y, the negatives around x and those around y; places of the negatives of each edge, by side."""

    contexts: list[Context]
    places: list[NDArray[np.int64]]
    with_history: float  # share of ends that have walks


def make_batch(source: Source, setting: Setting, rows: NDArray[np.int64], generator: np.random.Generator) -> Batch:
    seeds = generator.integers(2**63, size=5).tolist()
    contacts, network = source.contacts, source.network
    xs, ys = network.source[rows].astype(np.int64), network.target[rows].astype(np.int64)
    walks = temporal_walks(contacts, np.stack((xs, ys), axis=1), source.ranks[rows], setting, seeds[0])
    negatives = draw_negatives(contacts, xs, ys, source.noise, setting, generator)
    anchors = xs if setting.attention_from_source else ys
    contexts = [
        end_context(contacts, walks, 0, xs, setting, seeds[1], misread=False),
        end_context(contacts, walks, 1, anchors, setting, seeds[2], misread=setting.weights_as_nodes),
        *(
            negative_context(contacts, nodes, setting, seed)
            for nodes, seed in zip(negatives.nodes, seeds[3:], strict=True)
        ),
    ]
    return Batch(contexts, negatives.places, float(walks.has_history.mean()))


def margin_loss(z: list[Tensor], places: list[NDArray[np.int64]], margin: float) -> Tensor:
    """Eq. 7, mean over edges: sum over q of [m + |z_x - z_y|^2 - |z_x - z_q|^2]_+, and the same around z_y."""
    ends, negatives = z[:2], z[2:]
    near = (ends[0] - ends[1]).square().sum(-1)
    total = near.new_zeros(())
    for end, around, place in zip(ends, negatives, places, strict=True):
        found = torch.from_numpy(place >= 0)
        edge, _ = torch.nonzero(found, as_tuple=True)
        far = (end[edge] - around[torch.from_numpy(place)[found]]).square().sum(-1)
        total = total + torch.relu(margin + near[edge] - far).sum()
    return total / len(near)


def refuse_infinity(values: Tensor, name: str) -> None:
    if not torch.isfinite(values).all():
        raise MethodError(f"{name} is not finite; take a smaller learning_rate, or amplifying_attention=false")


def train_epoch(
    model: Model, optimizer: torch.optim.Optimizer, source: Source, setting: Setting, seed: tuple[int, ...], run: Run
) -> tuple[float, float]:
    """Every edge once, in random order; the loss per edge, and the share of ends that had history."""
    generator = np.random.default_rng(seed)
    order = generator.permutation(source.network.n_edges)
    total = with_history = 0.0
    model.train()
    with run.progress(len(order), "edges", f"epoch {seed[-1] + 1}") as bar:
        for first in range(0, len(order), setting.batch_size):
            rows = order[first : first + setting.batch_size]
            batch = make_batch(source, setting, rows, generator)
            loss = margin_loss(model(batch.contexts), batch.places, setting.margin)
            refuse_infinity(loss, f"the loss in epoch {seed[-1] + 1}")
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            total += loss.item() * len(rows)
            with_history += batch.with_history * len(rows)
            bar.update(len(rows))
    return total / len(order), with_history / len(order)
