"""Temporal walks as the released code draws them, or, with the flags off, as Eq. 1 and 2 say.

A step from v goes to one of its candidates. A candidate is a contact (v, w, t) of weight exp(t - t_xy) (Eq. 1) or, with
`summed_contacts`, a neighbor w of weight 1.5 * sum of exp(t - t_xy) over its contacts. Only contacts before a limit
count: before the time of the target edge and, unless `rising_times`, no later than the step before.
Every candidate is looked at in every step, which is plain rather than fast.
"""

import math
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from methods.ehna_released.contacts import Contacts
from methods.ehna_released.setting import Setting
from methods.walks.random_stream import below, stream, uniform

DECAY = 1.5
# The authors' reader adds this to the times in [0, 1], which keeps 1/t of the earliest contact finite (Eq. 3).
TIME_OFFSET = 1e-3


class Rules(NamedTuple):
    """The part of a Setting that the kernel reads."""

    p: float
    q: float
    rising_times: bool
    uniform_steps: bool
    last_neighbor_only: bool
    cached_bias: bool
    summed_contacts: bool

    @classmethod
    def of(cls, setting: Setting) -> "Rules":
        return cls(**{name: getattr(setting, name) for name in cls._fields})


class Walks(NamedTuple):
    """Walks of both ends of every edge: arrays of shape (edges, ends, k, positions), and who has history.

    Position 0 is the start, with weight and time 0; the others have the weight of the step that leads there, and its
    unit time + 1e-3. Without history only position 0 is meant.
    """

    nodes: NDArray[np.int64]
    weights: NDArray[np.float64]
    times: NDArray[np.float64]
    has_history: NDArray[np.bool_]  # (edges, ends)


def temporal_walks(
    contacts: Contacts,
    starts: NDArray[np.int64],
    cutoffs: NDArray[np.int64],
    setting: Setting,
    seed: int,
    inclusive: bool = False,
) -> Walks:
    """Walks from `starts` (edges, ends) over contacts before `cutoffs` (edges; ranks), `inclusive`: up to them."""
    shape = (*starts.shape, setting.walks, setting.walk_length + 1)
    walks = Walks(np.zeros(shape, np.int64), np.zeros(shape), np.zeros(shape), np.zeros(starts.shape, np.bool_))
    most = int(np.diff(contacts.begins[contacts.offsets]).max(initial=0))
    _walk(contacts, starts, cutoffs, inclusive, Rules.of(setting), most, np.uint64(seed), walks)
    return walks


@numba.njit(cache=True, nogil=True)
def _walk(contacts, starts, cutoffs, inclusive, rules, most, seed, walks):
    edges, ends, n_walks, positions = walks.nodes.shape
    pair, last, mass = np.empty(most, np.int64), np.empty(most, np.int64), np.empty(most)
    been = np.empty(ends * n_walks * positions, np.int64)  # nodes that a walk of this edge has left, and where it
    came_from = np.empty_like(been)  # had come from the first time
    for edge in range(edges):
        state = stream(seed, edge)
        cutoff, n_been = cutoffs[edge], 0
        for end in range(ends):
            for walk in range(n_walks):
                u, v, limit = -1, starts[edge, end], cutoff + 1 if inclusive else cutoff
                walks.nodes[edge, end, walk, 0] = v
                for step in range(1, positions):
                    first, stop = contacts.offsets[v], contacts.offsets[v + 1]
                    if step == 1 and rules.last_neighbor_only and stop > first:
                        first = stop - 1
                    found = _candidates(contacts, first, stop, limit, rules.summed_contacts, pair, last, mass)
                    if found == 0:  # only at the first step: later ones can always go back
                        break
                    walks.has_history[edge, end] = True
                    if rules.uniform_steps:
                        state, chosen = below(state, found)
                    else:
                        if step > 1:  # the first step has no u: beta is 1
                            if rules.cached_bias:
                                n_been, u = _first_way_in(been, came_from, n_been, v, u)
                            _weigh(contacts, u, pair, mass, found, rules.p, rules.q, cutoff, inclusive)
                        state, chosen = _draw(mass, found, state)
                    rank = contacts.ranks[last[chosen]]
                    begin = contacts.begins[pair[chosen]] if rules.summed_contacts else last[chosen]
                    weight = (contacts.mass[last[chosen] + 1] - contacts.mass[begin]) * math.exp(-contacts.unit[cutoff])
                    u, v = v, contacts.neighbors[pair[chosen]]
                    walks.nodes[edge, end, walk, step] = v
                    walks.weights[edge, end, walk, step] = DECAY * weight if rules.summed_contacts else weight
                    walks.times[edge, end, walk, step] = contacts.unit[rank] + TIME_OFFSET
                    if not rules.rising_times:
                        limit = rank + 1


@numba.njit(cache=True)
def _candidates(contacts, first, stop, limit, summed, pair, last, mass):
    """Fill in the candidates among the pairs from `first` to `stop`; return their number.

    `last` is the contact, or the latest of those that count; `mass` is the weight, up to what all have in common.
    """
    found = 0
    for i in range(first, stop):
        begin = contacts.begins[i]
        for at in range(begin, contacts.begins[i + 1]):
            if contacts.ranks[at] >= limit:
                break
            if not summed or at == begin:
                found += 1
            pair[found - 1], last[found - 1] = i, at
            mass[found - 1] = contacts.mass[at + 1] - contacts.mass[begin if summed else at]
    return found


@numba.njit(cache=True)
def _first_way_in(been, came_from, n_been, v, u):
    """Where the first walk of this edge that stood at v had come from; remembers u if this is the first."""
    for at in range(n_been):
        if been[at] == v:
            return n_been, came_from[at]
    been[n_been], came_from[n_been] = v, u
    return n_been + 1, u


@numba.njit(cache=True)
def _weigh(contacts, u, pair, mass, found, p, q, cutoff, inclusive):
    """Multiply by beta of Eq. 2: 1/p back to u, 1 to those whom u knew by the target's time, 1/q to others."""
    n_nodes = len(contacts.offsets) - 1
    for at in range(found):
        w = contacts.neighbors[pair[at]]
        if w == u:
            mass[at] /= p
        elif q != 1.0:
            key = u * n_nodes + w
            place = np.searchsorted(contacts.pair_keys, key)
            known = place < len(contacts.pair_keys) and contacts.pair_keys[place] == key
            since = contacts.pair_ranks[place] if known else cutoff + 1
            if not (since < cutoff or (inclusive and since == cutoff)):
                mass[at] /= q


@numba.njit(cache=True)
def _draw(mass, found, state):
    state, value = uniform(state)
    remaining = value * mass[:found].sum()
    for at in range(found):
        remaining -= mass[at]
        if remaining < 0.0:
            return state, at
    return state, found - 1
