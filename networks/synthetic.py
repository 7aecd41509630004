"""Generated temporal networks with planted, time-dependent structure: ground truth for tests, any size for scale runs.

Contacts are drawn one after another, so that later contacts depend on earlier ones as in a real network:

- the node that starts a contact is drawn in proportion to its activity, which has a heavy tail (Pareto);
- with probability `repeat` it meets one of its recent contacts again;
- with probability `triadic_closure` it meets a recent contact of a recent contact (in a bipartite network one hop
  further, because friends of friends are on its own side);
- otherwise it meets a member of the community that it belongs to at that time, in proportion to activity, or, now and
  then, anybody at all.

Communities drift: a node leaves its community for another `drift` times on average over the whole span, and forgets its
recent contacts when it does. So recent contacts tell who will meet next, and old ones mislead.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numba
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from networks.errors import NetworkError
from networks.network import TemporalNetwork

ACTIVITY_EXPONENT = 2.5  # density of the activity falls as activity**-2.5: mean 3, no finite variance
STRANGERS = 0.05  # share of the contacts outside repeats and closures that ignore communities
REMEMBERED = 8  # a node repeats or closes triangles over this many latest contacts
PERIODS = 50  # nodes move between communities only at the borders of so many equal spans of time


@dataclass(frozen=True, eq=False)
class PlantedNetwork:
    """A generated network and what was planted in it: `membership[p, v]` is the community of node v in period p."""

    network: TemporalNetwork
    membership: NDArray[np.int32]
    n_times: int


def generate(
    n_nodes: int,
    n_edges: int,
    seed: int,
    communities: int | None = None,
    drift: float = 2.0,
    triadic_closure: float = 0.2,
    repeat: float = 0.2,
    bipartite: bool = False,
    n_times: int | None = None,
) -> TemporalNetwork:
    """A network as `plant` makes it, without the ground truth."""
    return plant(n_nodes, n_edges, seed, communities, drift, triadic_closure, repeat, bipartite, n_times).network


def plant(
    n_nodes: int,
    n_edges: int,
    seed: int,
    communities: int | None = None,
    drift: float = 2.0,
    triadic_closure: float = 0.2,
    repeat: float = 0.2,
    bipartite: bool = False,
    n_times: int | None = None,
) -> PlantedNetwork:
    """Generate a network of exactly this size; the same arguments give the same network.

    `communities` is the square root of `n_nodes` unless given. `n_times` spreads the contacts evenly over so many
    distinct times 0, 1, …; by default every contact has a time of its own. Every node has a contact if there are
    enough: `n_edges` at least half of `n_nodes` (in a bipartite network, whose halves meet only each other: at least
    `n_nodes`).
    """
    communities = math.isqrt(max(n_nodes, 1)) if communities is None else communities
    n_times = n_edges if n_times is None else n_times
    _check(n_nodes, n_edges, seed, communities, drift, triadic_closure, repeat, n_times)

    random = np.random.default_rng(seed)
    n_left = n_nodes // 2 if bipartite else n_nodes
    time = np.arange(n_edges, dtype=np.int64) * n_times // n_edges
    periods = min(PERIODS, n_times)
    membership = _drifting_membership(n_nodes, communities, drift, periods, random)
    activity = (1.0 - random.random(n_nodes)) ** (-1.0 / (ACTIVITY_EXPONENT - 1.0))
    starter, partner = _first_appearances(n_nodes, n_edges, n_left, random)

    # The starter and the partner that coverage demands are overwritten in place by those that each contact has.
    recent = np.full((n_nodes, REMEMBERED), -1, dtype=np.int32)
    met = np.zeros(n_nodes, dtype=np.int64)
    period_start = np.searchsorted(time * periods // n_times, np.arange(periods + 1))
    on_right = np.arange(n_nodes) >= n_left
    for period in range(periods):
        if period > 0:
            moved = membership[period] != membership[period - 1]
            recent[moved] = -1
            met[moved] = 0
        group = (membership[period] + communities * on_right).astype(np.int32)
        order = np.argsort(group, kind="stable").astype(np.int32)
        group_start = np.searchsorted(group[order], np.arange(2 * communities + 1))
        cumulative = np.concatenate([[0.0], np.cumsum(activity[order])])
        rows = slice(period_start[period], period_start[period + 1])
        _draw_contacts(
            starter[rows], partner[rows], group, group_start, order, cumulative, n_left, communities,
            repeat, triadic_closure, recent, met, random,
        )  # fmt: skip

    if bipartite:
        starter, partner = np.minimum(starter, partner), np.maximum(starter, partner)
    facts = {
        "generated": {
            "n_nodes": n_nodes, "n_edges": n_edges, "seed": seed, "communities": communities, "drift": drift,
            "triadic_closure": triadic_closure, "repeat": repeat, "bipartite": bipartite, "n_times": n_times,
        }
    }  # fmt: skip
    labels = pa.array(np.arange(n_nodes)).cast(pa.large_string())
    network = TemporalNetwork(starter, partner, time, labels, f"generated-{n_nodes}-{n_edges}-{seed}", facts)
    return PlantedNetwork(network, membership, n_times)


def _check(
    n_nodes: int,
    n_edges: int,
    seed: int,
    communities: int,
    drift: float,
    triadic_closure: float,
    repeat: float,
    n_times: int,
) -> None:
    """Refuse what cannot be generated, naming the argument."""
    if n_nodes < 2:
        raise NetworkError(f"n_nodes is {n_nodes}, but a contact needs two nodes; ask for at least 2")
    if n_nodes >= 2**31 or n_edges >= 2**31:
        raise NetworkError("n_nodes and n_edges must be below 2**31, because networks number them with 32 bits")
    if n_edges < 1:
        raise NetworkError(f"n_edges is {n_edges}; ask for at least 1")
    if seed < 0:
        raise NetworkError(f"seed is {seed}; it must not be negative")
    if not 1 <= communities <= n_nodes:
        raise NetworkError(f"communities is {communities}; it must be from 1 to n_nodes ({n_nodes})")
    if not 1 <= n_times <= n_edges:
        raise NetworkError(f"n_times is {n_times}; it must be from 1 to n_edges ({n_edges}), or left out")
    if not 0 <= drift <= PERIODS - 1:
        raise NetworkError(f"drift is {drift}; a node can move 0 to {PERIODS - 1} times")
    for name, share in (("triadic_closure", triadic_closure), ("repeat", repeat)):
        if not 0 <= share <= 1:
            raise NetworkError(f"{name} is {share}; it is a probability, from 0 to 1")
    if triadic_closure + repeat > 1:
        raise NetworkError(f"triadic_closure + repeat is {triadic_closure + repeat}; together they must not exceed 1")


def _drifting_membership(
    n_nodes: int, communities: int, drift: float, periods: int, random: np.random.Generator
) -> NDArray[np.int32]:
    """Community of every node in every period; at each border a node moves with the same probability."""
    membership = np.empty((periods, n_nodes), dtype=np.int32)
    membership[0] = random.integers(communities, size=n_nodes)
    moving = min(1.0, drift / (periods - 1)) if periods > 1 and communities > 1 else 0.0
    for period in range(1, periods):
        moved = random.random(n_nodes) < moving
        # A step of 1 to communities - 1 around the circle of communities is a move to any of the others.
        steps = random.integers(1, max(2, communities), size=n_nodes)
        membership[period] = np.where(moved, (membership[period - 1] + steps) % communities, membership[period - 1])
    return membership


def _first_appearances(
    n_nodes: int, n_edges: int, n_left: int, random: np.random.Generator
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The starter (and if contacts are scarce the partner) that some rows must have so that every node appears.

    With at least as many contacts as nodes, every node starts one contact, at a random time. With fewer, some contacts
    join two nodes that have not appeared. -1 leaves the choice open.
    """
    starter = np.full(n_edges, -1, dtype=np.int32)
    partner = np.full(n_edges, -1, dtype=np.int32)
    nodes = random.permutation(n_nodes).astype(np.int32)
    rows = random.permutation(n_edges)
    if n_edges >= n_nodes:
        starter[rows[:n_nodes]] = nodes
    elif 2 * n_edges >= n_nodes and n_left == n_nodes:
        pairs = n_nodes - n_edges
        starter[rows] = nodes[:n_edges]
        partner[rows[:pairs]] = nodes[n_edges:]
    return starter, partner


@numba.njit(cache=True)
def _draw_contacts(
    starter, partner, group, group_start, order, cumulative, n_left, communities, repeat, closure, recent, met, random
):
    """Fill in starter and partner of the contacts of one period, during which nobody changes community."""
    n_nodes = len(group)
    left = (group_start[0], group_start[communities])
    right = (group_start[communities], group_start[2 * communities])
    bipartite = n_left < n_nodes
    for row in range(len(starter)):
        u = starter[row]
        if u < 0:
            u = _by_activity(order, cumulative, left, random)
        everybody = right if bipartite and u < n_left else left
        v = partner[row]
        if v < 0:
            kind = random.random()
            if kind < repeat:
                v = _recent_contact(u, recent, met, random)
            elif kind < repeat + closure:
                v = _recent_contact(u, recent, met, random)
                for _ in range(2 if bipartite else 1):
                    if v >= 0:
                        v = _recent_contact(v, recent, met, random)
            if v < 0 or v == u:
                own = group[u]
                if bipartite:
                    own = own + communities if u < n_left else own - communities
                circle = (group_start[own], group_start[own + 1])
                if random.random() < STRANGERS or circle[0] == circle[1]:
                    circle = everybody
                v = _by_activity(order, cumulative, circle, random)
                tries = 1
                while v == u and tries < 8:
                    v = _by_activity(order, cumulative, circle, random)
                    tries += 1
                if v == u:  # its community has hardly anybody else: take anybody, each equally likely
                    v = np.int32(random.integers(0, n_nodes - 1))
                    v = v + 1 if v >= u else v
        starter[row] = u
        partner[row] = v
        recent[u, met[u] % REMEMBERED] = v
        recent[v, met[v] % REMEMBERED] = u
        met[u] += 1
        met[v] += 1


@numba.njit(cache=True)
def _by_activity(order, cumulative, span, random):
    """A node from positions span[0] to span[1] (exclusive) of `order`, in proportion to its activity."""
    first, last = span
    mark = cumulative[first] + random.random() * (cumulative[last] - cumulative[first])
    low, high = first, last - 1
    while low < high:
        middle = (low + high) // 2
        if cumulative[middle + 1] > mark:
            high = middle
        else:
            low = middle + 1
    return order[low]


@numba.njit(cache=True)
def _recent_contact(node, recent, met, random):
    """One of the latest contacts of a node, each equally likely; -1 if it has none since it last moved."""
    known = min(met[node], REMEMBERED)
    if known == 0:
        return np.int32(-1)
    return recent[node, random.integers(0, known)]
