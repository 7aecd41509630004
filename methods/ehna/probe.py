"""Does one z alone betray whether it was a target or a negative? If so, training learns that instead of the nodes."""

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score


def role_auc(targets: NDArray[np.float32], negatives: NDArray[np.float32]) -> float | None:
    """Held-out AUC of a logistic regression that sees one z and tells its role; near 0.5 is healthy.

    Every other row trains the classifier, the rest tests it; None where there are too few rows of a role.
    """
    n = min(len(targets), len(negatives))
    if n < 20:
        return None
    rows = np.concatenate((targets[:n], negatives[:n]))
    roles = np.repeat([1, 0], n)
    fitted = np.tile(np.arange(n) % 2 == 0, 2)
    classifier = LogisticRegression(max_iter=200).fit(rows[fitted], roles[fitted])
    return float(roc_auc_score(roles[~fitted], classifier.decision_function(rows[~fitted])))
