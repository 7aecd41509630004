"""Sets of node pairs (datasets.pairs.pair_keys) as open-addressing hash tables, for millions of look-ups."""

import numba
import numpy as np
from numpy.typing import NDArray

EMPTY = np.int64(-1)  # no pair has this key
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio: neighboring keys land far apart

Keys = NDArray[np.int64]


def empty_table(capacity: int) -> Keys:
    """A table for up to `capacity` keys, at most half full, so that a look-up takes two probes on average."""
    return np.full(1 << max(3, int(2 * capacity).bit_length()), EMPTY, dtype=np.int64)


def table_of(keys: Keys) -> Keys:
    table = empty_table(len(keys))
    insert_all(table, keys)
    return table


@numba.njit(cache=True, inline="always")
def _find(table, key):
    """The slot of this key, or the empty slot where it would go."""
    mask = np.uint64(len(table) - 1)
    slot = ((np.uint64(key) * _SPREAD) >> np.uint64(20)) & mask
    while table[slot] != EMPTY and table[slot] != key:
        slot = (slot + np.uint64(1)) & mask
    return slot


@numba.njit(cache=True)
def contains(table, key):
    return table[_find(table, key)] == key


@numba.njit(cache=True)
def insert(table, key):
    """Add the key; False if it was there already."""
    slot = _find(table, key)
    if table[slot] == key:
        return False
    table[slot] = key
    return True


@numba.njit(cache=True)
def insert_all(table, keys):
    """Add the keys and mark those that were not there before."""
    fresh = np.empty(len(keys), dtype=np.bool_)
    for i in range(len(keys)):
        fresh[i] = insert(table, keys[i])
    return fresh


@numba.njit(cache=True)
def contains_all(table, keys):
    """Mark the keys that are in the table."""
    found = np.empty(len(keys), dtype=np.bool_)
    for i in range(len(keys)):
        found[i] = contains(table, keys[i])
    return found
