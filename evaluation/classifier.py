"""Logistic regression by LIBLINEAR, the paper's classifier, on a feature matrix that all fits share.

The paper does not give its options; we take L2-regularized logistic regression in the primal, C = 1, and a bias.
LIBLINEAR reads a row as an array of (index, value) nodes and a problem as an array of pointers to rows. So one matrix
in its own layout serves every repeat and every split: a fit picks rows by address and copies nothing. At Tmall's size
(1.9 million examples, 128 features) the matrix takes 4 GB; fits in parallel threads share it, because ctypes releases
the interpreter lock during the call.
"""

import ctypes
from dataclasses import dataclass

import numba
import numpy as np
from liblinear import liblinear as library
from numpy.typing import NDArray

from evaluation.errors import EvaluationError

OPTIONS = "-s 0 -c 1 -B 1 -q"
NODE = np.dtype([("index", np.int32), ("value", np.float64)], align=True)  # struct feature_node


@dataclass(frozen=True, eq=False)
class FeatureRows:
    """Rows in LIBLINEAR's layout: the features, then the constant 1 of the bias, then the end mark (index -1)."""

    nodes: NDArray[np.void]

    @property
    def values(self) -> NDArray[np.float64]:
        """A view of the features, to be written by the caller."""
        view: NDArray[np.float64] = self.nodes["value"][:, :-2]
        return view

    @property
    def n_features(self) -> int:
        return self.nodes.shape[1] - 2


def empty_rows(n_rows: int, n_features: int) -> FeatureRows:
    """Rows whose layout is ready and whose feature values are still to be filled in."""
    nodes = np.empty((n_rows, n_features + 2), dtype=NODE)
    nodes["index"][:, :-1] = np.arange(1, n_features + 2, dtype=np.int32)
    nodes["index"][:, -1] = -1
    nodes["value"][:, -2:] = (1.0, 0.0)
    return FeatureRows(nodes)


def fit_logistic_regression(
    rows: FeatureRows, chosen: NDArray[np.int64], positive: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """LIBLINEAR's weights (features, then bias) from the chosen rows; positive[i] is the class of row chosen[i]."""
    n_positive = int(np.count_nonzero(positive))
    if n_positive in (0, len(chosen)):
        raise EvaluationError(
            f"the classifier cannot be trained: its {len(chosen)} examples are of one class only "
            f"({n_positive} positive, {len(chosen) - n_positive} negative)"
        )
    classes = np.where(positive, 1.0, -1.0)
    addresses = rows.nodes.ctypes.data + chosen.astype(np.uint64) * np.uint64(rows.nodes.strides[0])
    problem = library.problem.__new__(library.problem)  # its constructor would copy every row node by node
    problem.l = len(chosen)
    problem.n = rows.n_features + 1
    problem.y = classes.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    problem.x = addresses.ctypes.data_as(ctypes.POINTER(ctypes.POINTER(library.feature_node)))
    problem.bias = 1.0
    model = library.liblinear.train(problem, library.parameter(OPTIONS))
    try:
        weights = np.ctypeslib.as_array(model.contents.w, (rows.n_features + 1,)).copy()
        first_class = model.contents.label[0]
    finally:
        library.liblinear.free_and_destroy_model(model)
    return weights * first_class  # the weights point to the class that LIBLINEAR names first


def decision_values(rows: FeatureRows, chosen: NDArray[np.int64], weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """w . x + bias for each chosen row; over 0 means that the probability of an edge is over 0.5."""
    result: NDArray[np.float64] = _decisions(rows.nodes["value"][:, :-1], chosen, weights)
    return result


@numba.njit(cache=True, nogil=True)
def _decisions(values, chosen, weights):
    # Summed from left to right as LIBLINEAR's own predict does, so that the scores are equal to the last bit.
    decisions = np.empty(len(chosen))
    for i in range(len(chosen)):
        row = values[chosen[i]]
        total = 0.0
        for j in range(len(weights)):
            total += weights[j] * row[j]
        decisions[i] = total
    return decisions
