"""Surroundings that know no time: for negatives, and as released for nodes without history."""

import numba
import numpy as np
from numpy.typing import NDArray

from methods.ehna_released.contacts import Contacts
from methods.walks.random_stream import below, stream

NO_NODE = -1
TWO_HOPS = 2


def neighbor_samples(
    contacts: Contacts, nodes: NDArray[np.int64], n_walks: int, length: int, one_hop: float, seed: int
) -> NDArray[np.int64]:
    """(nodes, k, l): a share `one_hop` of neighbors, then neighbors of neighbors, cut into k rows.

    Neighbors are drawn uniformly, with replacement, whenever they were met; a neighbor's neighbor may be the node
    itself. NO_NODE for a node without contact.
    """
    samples = np.full((len(nodes), n_walks * length), NO_NODE, dtype=np.int64)
    _sample(contacts, nodes, round(one_hop * n_walks * length), np.uint64(seed), samples)
    return samples.reshape(len(nodes), n_walks, length)


def static_walks(contacts: Contacts, nodes: NDArray[np.int64], n_walks: int, seed: int) -> NDArray[np.int64]:
    """(nodes, k, 2): walks of two steps, every contact equally likely; NO_NODE for a node without contact."""
    walks = np.full((len(nodes), n_walks, TWO_HOPS), NO_NODE, dtype=np.int64)
    _walk_anywhere(contacts, nodes, np.uint64(seed), walks)
    return walks


@numba.njit(cache=True)
def _neighbor(contacts, v, state):
    state, at = below(state, contacts.offsets[v + 1] - contacts.offsets[v])
    return state, contacts.neighbors[contacts.offsets[v] + at]


@numba.njit(cache=True, nogil=True)
def _sample(contacts, nodes, n_one_hop, seed, samples):
    for i in range(len(nodes)):
        v = nodes[i]
        if contacts.offsets[v] == contacts.offsets[v + 1]:
            continue
        state = stream(seed, i)
        for at in range(samples.shape[1]):
            state, w = _neighbor(contacts, v, state)
            if at >= n_one_hop:
                state, w = _neighbor(contacts, w, state)
            samples[i, at] = w


@numba.njit(cache=True, nogil=True)
def _walk_anywhere(contacts, nodes, seed, walks):
    for i in range(len(nodes)):
        if contacts.offsets[nodes[i]] == contacts.offsets[nodes[i] + 1]:
            continue
        state = stream(seed, i)
        for walk in range(walks.shape[1]):
            v = nodes[i]
            for step in range(walks.shape[2]):
                begin = contacts.begins[contacts.offsets[v]]
                state, at = below(state, contacts.begins[contacts.offsets[v + 1]] - begin)
                v = contacts.neighbors[np.searchsorted(contacts.begins, begin + at, side="right") - 1]
                walks[i, walk, step] = v
