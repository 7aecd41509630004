"""What a batch of targets is aggregated from: k sequences of nodes for every target that has any."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from methods.ehna_released.contacts import Contacts
from methods.ehna_released.samples import NO_NODE, neighbor_samples, static_walks
from methods.ehna_released.setting import Setting
from methods.ehna_released.walks import Walks

ONE_HOP_OF_FILL = 0.7
ONE_HOP_OF_NEGATIVES = 0.6


@dataclass
class Context:
    """Targets, and the sequences of those that have some; arrays of sequences are (owners, k, positions)."""

    targets: NDArray[np.int64]
    anchors: NDArray[np.int64]  # (targets): from whose embedding attention measures distances
    owners: NDArray[np.int64]  # places among the targets
    nodes: NDArray[np.int64]
    weights: NDArray[np.float64]
    times: NDArray[np.float64]
    attention: bool

    def inverse_times(self) -> NDArray[np.float64]:
        """1 / sum of t over all steps of a walk that lead to v, at every position of v (Eq. 3); 0 if none does."""
        same = self.nodes[..., :, None] == self.nodes[..., None, :]
        totals = (same * self.times[..., None, :]).sum(-1)
        return np.divide(1.0, totals, out=np.zeros_like(totals), where=totals > 0)


def end_context(
    contacts: Contacts,
    walks: Walks,
    end: int,
    anchors: NDArray[np.int64],
    setting: Setting,
    seed: int,
    misread: bool,
) -> Context:
    """The context of one end of every edge: its walks, or what fills in for them; `misread`: with weights as nodes."""
    nodes, weights, times = walks.nodes[:, end].copy(), walks.weights[:, end].copy(), walks.times[:, end].copy()
    targets, has_some = nodes[:, 0, 0], walks.has_history[:, end].copy()
    if setting.static_fill:
        empty = np.flatnonzero(~has_some)
        nodes[empty, :, 1:] = neighbor_samples(
            contacts, targets[empty], setting.walks, setting.walk_length, ONE_HOP_OF_FILL, seed
        )
        weights[empty, :, 1:] = times[empty, :, 1:] = 1.0
        has_some[empty] = nodes[empty, 0, 1] != NO_NODE
    owners = np.flatnonzero(has_some)
    first = 1 if setting.start_left_out else 0
    nodes, weights, times = nodes[owners, :, first:], weights[owners, :, first:], times[owners, :, first:]
    if misread:
        nodes, weights, times = read_weights_as_nodes(nodes, weights, times, contacts.n_nodes)
    return Context(targets, anchors, owners, nodes, weights, times, attention=True)


def read_weights_as_nodes(
    nodes: NDArray[np.int64], weights: NDArray[np.float64], times: NDArray[np.float64], n_nodes: int
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """Node, weight, node, weight, …, node, all taken for nodes: 7, 8, 9 with weights 0.6, 1.2, … become 7, 0, 8, 1, 9.

    A weight beyond the last node is taken for the last. A weight keeps its value and time in its second life.
    """
    numbers = np.minimum(weights.astype(np.int64), n_nodes - 1)
    length = 2 * nodes.shape[-1] - 1

    def interleave(even: NDArray[Any], odd: NDArray[Any]) -> NDArray[Any]:
        return np.stack((even, odd), axis=-1).reshape(*even.shape[:-1], length + 1)[..., :-1]

    return interleave(nodes, numbers), interleave(weights, weights), interleave(times, times)


def negative_context(contacts: Contacts, nodes: NDArray[np.int64], setting: Setting, seed: int) -> Context:
    """Static surroundings, which no attention weighs."""
    if setting.sampled_negative_context:
        sequences = neighbor_samples(contacts, nodes, setting.walks, setting.walk_length, ONE_HOP_OF_NEGATIVES, seed)
    else:
        sequences = static_walks(contacts, nodes, setting.walks, seed)
    owners = np.flatnonzero(sequences[:, 0, 0] != NO_NODE)
    sequences = sequences[owners]
    if not setting.start_left_out:
        start = np.broadcast_to(nodes[owners, None, None], (len(owners), setting.walks, 1))
        sequences = np.concatenate((start, sequences), axis=2)
    nothing = np.zeros(sequences.shape)
    return Context(nodes, nodes, owners, sequences, nothing, nothing, attention=False)
