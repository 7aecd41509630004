"""Feature rows, made where they are needed, a block at a time.

At Tmall's size the features of all examples (1.9 million x 128) take 2 GB, and every operator and every kind of
negatives has its own. Only the rows that train a classifier are held, as long as it trains.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numba
import numpy as np
from numpy.typing import NDArray

from evaluation.link_prediction.operators import OPERATORS, hadamard, mean, weighted_l1, weighted_l2

FloatArray = NDArray[np.float64]
Rows = NDArray[np.int64]

BLOCK = 1024  # rows at a time: 1 MB of 128 features, which stays in the processor's cache


class Features(Protocol):
    """What a classifier learns from: the features of any rows, in float64."""

    @property
    def n_features(self) -> int: ...

    def fill(self, rows: Rows, out: FloatArray) -> None:
        """Write the features of rows[i] into out[i]; columns of `out` after them stay as they are."""


@dataclass(frozen=True, eq=False)
class PairFeatures:
    """An operator's features of the pair (source[i], target[i]) as row i."""

    operator: str
    vectors: FloatArray
    source: NDArray[np.int32]
    target: NDArray[np.int32]

    @property
    def n_features(self) -> int:
        return self.vectors.shape[1]

    def fill(self, rows: Rows, out: FloatArray) -> None:
        _combine(_CODES[self.operator], self.vectors, self.source, self.target, rows, out)


@dataclass(frozen=True, eq=False)
class TableFeatures:
    """Features that are there already, one row of the table each."""

    values: FloatArray

    @property
    def n_features(self) -> int:
        return self.values.shape[1]

    def fill(self, rows: Rows, out: FloatArray) -> None:
        out[:, : self.n_features] = self.values[rows]


def blocks(features: Features, rows: Rows) -> Iterator[tuple[slice, FloatArray]]:
    """Features and the constant 1 of the bias for one block of rows after the other, all in the same memory."""
    buffer = np.empty((min(BLOCK, len(rows)), features.n_features + 1))
    buffer[:, -1] = 1.0
    for part in parts(len(rows)):
        block = buffer[: part.stop - part.start]
        features.fill(rows[part], block)
        yield part, block


def parts(n_rows: int) -> Iterator[slice]:
    for start in range(0, n_rows, BLOCK):
        yield slice(start, min(start + BLOCK, n_rows))


def table_of(features: Features, rows: Rows) -> FloatArray:
    """All these rows at once, with the constant 1 of the bias."""
    table = np.ones((len(rows), features.n_features + 1))
    features.fill(rows, table)
    return table


_CODES = {name: code for code, name in enumerate(OPERATORS)}
_MEAN, _HADAMARD, _WEIGHTED_L1 = (_CODES[name] for name in ("mean", "hadamard", "weighted_l1"))


@numba.njit(cache=True, nogil=True)
def _combine(operator, vectors, source, target, rows, out):
    for i in range(len(rows)):
        e_x, e_y, row = vectors[source[rows[i]]], vectors[target[rows[i]]], out[i]
        # One loop for each: with the choice inside, the compiler would not use vector instructions.
        if operator == _MEAN:
            for j in range(len(e_x)):
                row[j] = mean(e_x[j], e_y[j])
        elif operator == _HADAMARD:
            for j in range(len(e_x)):
                row[j] = hadamard(e_x[j], e_y[j])
        elif operator == _WEIGHTED_L1:
            for j in range(len(e_x)):
                row[j] = weighted_l1(e_x[j], e_y[j])
        else:
            for j in range(len(e_x)):
                row[j] = weighted_l2(e_x[j], e_y[j])
