"""The classifier on the features of pairs: logistic regression, by Newton's method or by LIBLINEAR."""

from collections.abc import Callable

import numba
import numpy as np
from numpy.typing import NDArray

from evaluation.errors import EvaluationError
from evaluation.link_prediction.features import Features, Rows, blocks
from evaluation.link_prediction.liblinear_fit import fit_by_liblinear
from evaluation.link_prediction.newton import fit_by_newton

Fit = Callable[[Features, Rows, NDArray[np.bool_]], NDArray[np.float64]]

CLASSIFIERS: dict[str, Fit] = {
    # Fitted a second time, by LIBLINEAR, in the first split of every protocol and operator.
    "newton_checked": fit_by_newton,
    "newton": fit_by_newton,
    "liblinear": fit_by_liblinear,
}


def train_classifier(fit: Fit, features: Features, rows: Rows, positive: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Weights (features, then bias) from these rows; positive[i] is the class of rows[i]."""
    n_positive = int(np.count_nonzero(positive))
    if n_positive in (0, len(rows)):
        raise EvaluationError(
            f"the classifier cannot be trained: its {len(rows)} examples are of one class only "
            f"({n_positive} positive, {len(rows) - n_positive} negative)"
        )
    return fit(features, rows, positive)


def decision_values(features: Features, rows: Rows, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """w . x + bias for each of the rows; over 0 means that the probability of an edge is over 0.5."""
    decisions = np.empty(len(rows))
    for part, block in blocks(features, rows):
        _decide(block, weights, decisions[part])
    return decisions


@numba.njit(cache=True, nogil=True)
def _decide(block, weights, decisions):
    # Summed from left to right as LIBLINEAR's own predict does: scores are equal to the last bit, and so are those of
    # equal pairs, wherever in a block they stand.
    for i in range(len(block)):
        total = 0.0
        for j in range(len(weights)):
            total += weights[j] * block[i, j]
        decisions[i] = total
