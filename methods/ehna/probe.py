"""Does one z alone betray whether it was a target or a negative? If so, training learns that instead of the nodes.

In plain numpy: importing scikit-learn for it would take longer than an epoch on a small network.
"""

import numpy as np
from numpy.typing import NDArray

NEWTON_STEPS = 10


def role_auc(targets: NDArray[np.float32], negatives: NDArray[np.float32]) -> float | None:
    """Held-out AUC of a logistic regression that sees one z and tells its role; near 0.5 is healthy.

    Every other row trains the classifier, the rest tests it; None where there are too few rows of a role.
    """
    n = min(len(targets), len(negatives))
    if n < 20:
        return None
    rows = np.concatenate((targets[:n], negatives[:n])).astype(np.float64)
    is_target = np.repeat([True, False], n)
    fitted = np.tile(np.arange(n) % 2 == 0, 2)
    weights = logistic_regression(rows[fitted], is_target[fitted])
    return auc(is_target[~fitted], rows[~fitted] @ weights)


def logistic_regression(rows: NDArray[np.float64], positive: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The weights (without the intercept, which ranks nothing) that minimize log loss + |w|^2 / 2: Newton's method."""
    x = np.column_stack((rows, np.ones(len(rows))))
    ridge = np.diag(np.append(np.ones(rows.shape[1]), 1e-9))
    weights = np.zeros(x.shape[1])
    for _ in range(NEWTON_STEPS):
        probability = 1 / (1 + np.exp(-(x @ weights)))
        gradient = x.T @ (probability - positive) + ridge @ weights
        curvature = (x.T * (probability * (1 - probability))) @ x + ridge
        weights -= np.linalg.solve(curvature, gradient)
    return weights[:-1]


def auc(positive: NDArray[np.bool_], scores: NDArray[np.floating]) -> float:
    """The share of (positive, negative) pairs in the right order; a tie counts half."""
    _, value, counts = np.unique(scores, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[value]
    n = np.count_nonzero(positive)
    return float((ranks[positive].sum() - n * (n + 1) / 2) / (n * (len(scores) - n)))
