"""Negative nodes of a batch: who may be one, how often, and for which edges."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from datasets.network import TemporalNetwork
from methods.ehna_released.contacts import Contacts, have_met
from methods.ehna_released.setting import Setting
from methods.sampling import NOISE_EXPONENT

MOST_TRIES = 10
NONE = -1


class Negatives(NamedTuple):
    """For either end of the edges, x first: the negative nodes, and (edges, Q) places among them, NONE: left out."""

    nodes: list[NDArray[np.int64]]
    places: list[NDArray[np.int64]]


def cumulative_noise(network: TemporalNetwork, in_insertion_order: bool) -> NDArray[np.float64]:
    """Cumulative weights of P_n(v) ~ degree^0.75 over the nodes.

    The released code lists degrees in the order in which nodes appear in the file, and takes a place in that list for
    the number of a node.
    """
    degrees = network.degrees
    if in_insertion_order:
        _, first = np.unique(np.stack((network.source, network.target), axis=1), return_index=True)
        inserted = np.stack((network.source, network.target), axis=1).reshape(-1)[np.sort(first)]
        degrees = np.zeros_like(degrees)
        degrees[: len(inserted)] = network.degrees[inserted]
    noise: NDArray[np.float64] = np.cumsum(degrees.astype(np.float64) ** NOISE_EXPONENT)
    return noise


def draw_negatives(
    contacts: Contacts,
    source: NDArray[np.int64],
    target: NDArray[np.int64],
    noise: NDArray[np.float64],
    setting: Setting,
    generator: np.random.Generator,
) -> Negatives:
    """Q nodes for the whole batch, or Q around x and Q around y for every edge."""

    def draw(n: int) -> NDArray[np.int64]:
        return np.searchsorted(noise, generator.random(n) * noise[-1], side="right")

    q = setting.negatives
    sides = [(source, target), (target, source)]
    if setting.shared_negatives:
        nodes = draw(q)
        places = [np.tile(np.arange(q), (len(source), 1)) for _ in sides]
        if not setting.unchecked_negatives:
            for (anchor, other), place in zip(sides, places, strict=True):
                place[collide(contacts, anchor[:, None], other[:, None], nodes[None, :])] = NONE
        return Negatives([nodes, nodes], places)

    result = Negatives([], [])
    for anchor, other in sides:
        anchors, others = np.repeat(anchor, q), np.repeat(other, q)
        nodes = draw(len(anchors))
        refused = np.zeros(len(nodes), dtype=np.bool_)
        if not setting.unchecked_negatives:
            refused = collide(contacts, anchors, others, nodes)
            for _ in range(MOST_TRIES - 1):
                nodes[refused] = draw(int(refused.sum()))
                refused = collide(contacts, anchors, others, nodes)
        result.nodes.append(nodes[~refused])
        result.places.append(np.where(refused, NONE, np.cumsum(~refused) - 1).reshape(-1, q))
    return result


def collide(
    contacts: Contacts, anchor: NDArray[np.int64], other: NDArray[np.int64], nodes: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Whether a negative is an end of its edge, or a neighbor of the end that it is drawn for."""
    return (nodes == anchor) | (nodes == other) | have_met(contacts, anchor, nodes)
