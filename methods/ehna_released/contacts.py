"""The contacts of every node, grouped by neighbor in the order in which the node met them first.

That is the order of a graph library that keeps neighbors in a dictionary, as the released code's does, and what "the
last neighbor" means there.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from datasets.network import TemporalNetwork


class Contacts(NamedTuple):
    """Pairs of node v stand at offsets[v] to offsets[v+1], contacts of pair i at begins[i] to begins[i+1], in time.

    Times are compared as ranks among the distinct times of the network, which are exact, and weighed as `unit`, in
    [0, 1] over its span. A named tuple, because numba kernels take one.
    """

    offsets: NDArray[np.int64]
    neighbors: NDArray[np.int64]  # by pair
    begins: NDArray[np.int64]
    ranks: NDArray[np.int64]  # by contact
    mass: NDArray[np.float64]  # sum of exp(unit time) over all contacts before this one; one more than contacts
    unit: NDArray[np.float64]  # by rank
    pair_keys: NDArray[np.int64]  # node * n_nodes + neighbor, ascending: who has ever met whom
    pair_ranks: NDArray[np.int64]  # as pair_keys: since when

    @property
    def n_nodes(self) -> int:
        return len(self.offsets) - 1


def group_contacts(network: TemporalNetwork) -> Contacts:
    adjacency, n = network.adjacency, network.n_nodes
    rank_of_row, unit = time_ranks(network)
    node = np.repeat(np.arange(n, dtype=np.int64), np.diff(adjacency.offsets))
    keys = node * n + adjacency.neighbors
    by_key = np.argsort(keys, kind="stable")  # stable: contacts of a pair stay in order of time
    first = np.flatnonzero(np.diff(keys[by_key], prepend=-1))
    sizes = np.diff(first, append=len(keys))
    # Places in the adjacency ascend by node, then by time: pairs in the order of their first contact.
    order = np.argsort(by_key[first])
    begins = np.concatenate(([0], np.cumsum(sizes[order])))
    places = by_key[np.repeat(first[order] - begins[:-1], sizes[order]) + np.arange(len(keys))]
    ranks = rank_of_row[adjacency.edges[places]]
    pairs_of_node = np.bincount(node[by_key[first]], minlength=n)
    return Contacts(
        offsets=np.concatenate(([0], np.cumsum(pairs_of_node))),
        neighbors=adjacency.neighbors[by_key[first[order]]].astype(np.int64),
        begins=begins,
        ranks=ranks,
        mass=np.concatenate(([0.0], np.cumsum(np.exp(unit[ranks])))),
        unit=unit,
        pair_keys=keys[by_key[first]],
        pair_ranks=rank_of_row[adjacency.edges[by_key[first]]],
    )


def time_ranks(network: TemporalNetwork) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The rank of every row's time among the distinct ones, and the unit time of every rank."""
    _, first, rank_of_row = np.unique(network.time, return_index=True, return_inverse=True)
    return rank_of_row.astype(np.int64), network.unit_time()[first]


def have_met(contacts: Contacts, u: NDArray[np.int64], v: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether u and v have a contact at any time."""
    keys = u * contacts.n_nodes + v
    places = np.minimum(np.searchsorted(contacts.pair_keys, keys), len(contacts.pair_keys) - 1)
    return contacts.pair_keys[places] == keys
