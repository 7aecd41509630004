"""Logistic regression by Newton's method: the minimum of LIBLINEAR's objective, in a fraction of its time.

    f(w) = 1/2 w.w + C sum_i log(1 + exp(-y_i w.x_i)),   C = 1,   the last feature of x_i is the constant 1 of the bias

so that the bias is penalised like any other weight, as by LIBLINEAR with `-s 0 -c 1 -B 1`. Everything is summed in
float64: in float32, features whose offset is large beside their spread have no usable Gram matrix.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_factor, cho_solve
from scipy.special import expit

from evaluation.errors import EvaluationError
from evaluation.link_prediction.features import Features, Rows, parts, table_of

FloatArray = NDArray[np.float64]

TOLERANCE = 1e-8  # of the gradient's norm at w = 0; LIBLINEAR's own, times the share of the rarer class, is 1e-2
ROUNDING = 1e-13  # of the objective: a rise that is no more than the rounding of its sum
# A step that left more than this share of the gradient needs a new matrix of second derivatives. It takes most of the
# time of an iteration, and near the minimum it hardly changes.
STALE = 0.2
MAX_STEPS = 100


def fit_by_newton(features: Features, rows: Rows, positive: NDArray[np.bool_]) -> FloatArray:
    """The weights (features, then bias); positive[i] is the class of rows[i], and both classes occur."""
    sign = np.where(positive, 1.0, -1.0)
    table = table_of(features, rows)
    weights = np.zeros(table.shape[1])
    objective, gradient, margins = _gradient(table, sign, weights)
    goal = TOLERANCE * float(np.linalg.norm(gradient))
    norm_before = 0.0
    for _ in range(MAX_STEPS):
        norm = float(np.linalg.norm(gradient))
        if norm <= goal:
            return weights
        if norm > STALE * norm_before:
            solve = _solver(_second_derivatives(table, margins))
        norm_before = norm
        step = solve(gradient)
        promised = float(gradient @ step) / 2
        if promised <= np.finfo(np.float64).eps * objective:
            return weights
        size = 1.0
        while True:
            shorter = weights - size * step
            lower, gradient, margins = _gradient(table, sign, shorter)
            if lower <= objective * (1 + ROUNDING):
                break
            size /= 2
        weights, objective = shorter, lower
    raise EvaluationError(f"the classifier did not converge in {MAX_STEPS} steps; `classifier: liblinear` may")


def _gradient(table: FloatArray, sign: FloatArray, weights: FloatArray) -> tuple[float, FloatArray, FloatArray]:
    """The objective, its gradient, and every row's margin y w.x."""
    objective, gradient = float(weights @ weights) / 2, weights.copy()
    margins = np.empty(len(table))
    for part in parts(len(table)):
        margin = sign[part] * (table[part] @ weights)
        objective += float(np.logaddexp(0.0, -margin).sum())
        gradient -= (sign[part] * expit(-margin)) @ table[part]
        margins[part] = margin
    return objective, gradient, margins


def _second_derivatives(table: FloatArray, margins: FloatArray) -> FloatArray:
    """I + X'DX with D_i = s(m_i) s(-m_i), the slope of the logistic function s at the row's margin m_i."""
    total: FloatArray = np.eye(table.shape[1])
    for part in parts(len(table)):
        block = table[part] * np.sqrt(expit(margins[part]) * expit(-margins[part]))[:, None]
        total += block.T @ block
    return total


def _solver(matrix: FloatArray) -> Callable[[FloatArray], FloatArray]:
    try:
        factor = cho_factor(matrix, overwrite_a=True)
    except LinAlgError:
        raise EvaluationError(
            "the classifier's matrix of second derivatives is singular in float64: some features are beyond all "
            "others; `classifier: liblinear` may do"
        ) from None

    def solve(gradient: FloatArray) -> FloatArray:
        solution: FloatArray = cho_solve(factor, gradient)
        return solution

    return solve
