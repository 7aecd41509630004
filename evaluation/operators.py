"""The paper's four binary operators: the features f(x, y) of a pair from the vectors e_x and e_y (its Table 2)."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]


def mean(e_x: FloatArray, e_y: FloatArray) -> FloatArray:
    """(e_x + e_y) / 2"""
    return (e_x + e_y) / 2


def hadamard(e_x: FloatArray, e_y: FloatArray) -> FloatArray:
    """e_x * e_y, coordinate by coordinate"""
    return e_x * e_y


def weighted_l1(e_x: FloatArray, e_y: FloatArray) -> FloatArray:
    """|e_x - e_y|"""
    return np.abs(e_x - e_y)


def weighted_l2(e_x: FloatArray, e_y: FloatArray) -> FloatArray:
    """|e_x - e_y|**2"""
    return (e_x - e_y) ** 2


OPERATORS: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "mean": mean,
    "hadamard": hadamard,
    "weighted_l1": weighted_l1,
    "weighted_l2": weighted_l2,
}

BLOCK = 8192  # pairs at a time: the temporaries (three arrays of 8192 x 128 float64) stay near 25 MB


def fill_features(
    operator: str,
    vectors: NDArray[np.floating],
    source: NDArray[np.int32],
    target: NDArray[np.int32],
    out: FloatArray,
) -> None:
    """Write the features of pair i into out[i], in float64: differences and products of float32 vectors are exact or
    nearly so, and LIBLINEAR computes in float64 anyway.
    """
    combine = OPERATORS[operator]
    for start in range(0, len(source), BLOCK):
        rows = slice(start, start + BLOCK)
        out[rows] = combine(vectors[source[rows]].astype(np.float64), vectors[target[rows]].astype(np.float64))
