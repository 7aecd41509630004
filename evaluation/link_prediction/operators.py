"""The paper's four binary operators: the features f(x, y) of a pair from the vectors e_x and e_y (its Table 2).

Each is written for coordinates and for whole arrays alike; kernels compile the functions in.
"""

from collections.abc import Callable
from typing import Any

import numba
import numpy as np


@numba.njit(cache=True, nogil=True)
def mean(e_x, e_y):
    """(e_x + e_y) / 2"""
    return (e_x + e_y) / 2


@numba.njit(cache=True, nogil=True)
def hadamard(e_x, e_y):
    """e_x * e_y, coordinate by coordinate"""
    return e_x * e_y


@numba.njit(cache=True, nogil=True)
def weighted_l1(e_x, e_y):
    """|e_x - e_y|"""
    return np.abs(e_x - e_y)


@numba.njit(cache=True, nogil=True)
def weighted_l2(e_x, e_y):
    """|e_x - e_y|**2"""
    return (e_x - e_y) * (e_x - e_y)


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "mean": mean,
    "hadamard": hadamard,
    "weighted_l1": weighted_l1,
    "weighted_l2": weighted_l2,
}
