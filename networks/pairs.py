"""Pairs of nodes as single numbers, and sets of them: open-addressing hash sets for millions of look-ups."""

import numba
import numpy as np
from numpy.typing import NDArray

EMPTY = np.int64(-1)  # no pair has this key
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: neighboring keys land far apart

Keys = NDArray[np.int64]


def pair_keys(source: NDArray[np.int32], target: NDArray[np.int32], n_nodes: int) -> Keys:
    """One number per unordered pair: (u, v) and (v, u) have the same."""
    return np.minimum(source, target).astype(np.int64) * n_nodes + np.maximum(source, target)


def empty_set(capacity: int) -> Keys:
    """Room for up to `capacity` keys, at most half full, so that a look-up takes two probes on average."""
    return np.full(1 << max(3, int(2 * capacity).bit_length()), EMPTY, dtype=np.int64)


def set_of(keys: Keys) -> Keys:
    slots = empty_set(len(keys))
    insert_all(slots, keys)
    return slots


@numba.njit(cache=True, inline="always")
def _find(slots, key):
    """The slot of this key, or the empty slot where it would go."""
    mask = np.uint64(len(slots) - 1)
    slot = ((np.uint64(key) * _SPREAD) >> np.uint64(20)) & mask
    while slots[slot] != EMPTY and slots[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot


@numba.njit(cache=True)
def contains(slots, key):
    return slots[_find(slots, key)] == key


@numba.njit(cache=True)
def insert(slots, key):
    """Add the key; False if it was there already."""
    slot = _find(slots, key)
    if slots[slot] == key:
        return False
    slots[slot] = key
    return True


@numba.njit(cache=True)
def insert_all(slots, keys):
    """Add the keys and mark those that were not there before."""
    fresh = np.empty(len(keys), dtype=np.bool_)
    for i in range(len(keys)):
        fresh[i] = insert(slots, keys[i])
    return fresh


@numba.njit(cache=True)
def contains_all(slots, keys):
    """Mark the keys that are in the set."""
    found = np.empty(len(keys), dtype=np.bool_)
    for i in range(len(keys)):
        found[i] = contains(slots, keys[i])
    return found
