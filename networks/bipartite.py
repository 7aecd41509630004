"""Bipartite or not: give every node one of two sides such that every contact joins both, if that can be done."""

import numba
import numpy as np
from numpy.typing import NDArray

from networks.network import TemporalNetwork


def sides(network: TemporalNetwork) -> NDArray[np.int8] | None:
    """The side (0 or 1) of every node, -1 for a node without contact; None if some cycle of contacts is odd.

    A network of several components can be colored in several ways. Rows name the same side first in most bipartite
    sources (user, item), so every component is turned such that most of its rows have their source on side 0.
    """
    adjacency = network.adjacency
    color = _two_color(adjacency.offsets, adjacency.neighbors)
    if color is None:
        return None
    component, side = color
    forward = np.bincount(component[network.source], side[network.source] == 0, minlength=network.n_nodes)
    rows = np.bincount(component[network.source], minlength=network.n_nodes)
    turned = forward * 2 < rows
    with_contact = component >= 0
    side[with_contact] ^= turned[component[with_contact]].astype(np.int8)
    return side


@numba.njit(cache=True)
def _two_color(offsets, neighbors):
    """Breadth first from every node without a color: component (its first node) and side of every node, or None."""
    n_nodes = len(offsets) - 1
    component = np.full(n_nodes, -1, dtype=np.int32)
    side = np.full(n_nodes, -1, dtype=np.int8)
    queue = np.empty(n_nodes, dtype=np.int32)
    for root in range(n_nodes):
        if side[root] >= 0 or offsets[root] == offsets[root + 1]:
            continue
        component[root], side[root], queue[0] = root, 0, root
        head, tail = 0, 1
        while head < tail:
            u = queue[head]
            head += 1
            for at in range(offsets[u], offsets[u + 1]):
                v = neighbors[at]
                if side[v] < 0:
                    component[v], side[v], queue[tail] = root, 1 - side[u], v
                    tail += 1
                elif side[v] == side[u]:
                    return None
    return component, side
