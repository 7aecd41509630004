"""Pairs of nodes as single numbers, so that a set of pairs is an array."""

import numpy as np
from numpy.typing import NDArray

from datasets.network import IntArray


def pair_keys(source: IntArray, target: IntArray, n_nodes: int) -> NDArray[np.int64]:
    """One number per unordered pair: (u, v) and (v, u) have the same."""
    return np.minimum(source, target).astype(np.int64) * n_nodes + np.maximum(source, target)
