"""AUC, AP, MRR and Hits@10 from ranks, F1, precision and recall from predictions; tied scores share the middle rank.

The ranking group of MRR and Hits@10: every positive is ranked against all negatives of the same test half and subset
(not against the other positives), as in OGB's Hits@K. Negatives with the same source alone would not do: a uniform
negative rarely shares its source with any positive. Both therefore fall as a network has more negatives; compare them
within one network only.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

# By name, with the heading of its column.
METRICS = {
    "auc": "AUC",
    "f1": "F1",
    "precision": "Precision",
    "recall": "Recall",
    "ap": "AP",
    "mrr": "MRR",
    "hits_at_10": "Hits@10",
}
BoolArray = NDArray[np.bool_]


@dataclass(frozen=True)
class Outcome:
    """The value of one metric, or why it has none."""

    value: float | None
    reason: str = ""


def metrics_of_subsets(
    score: NDArray[np.float64],
    predicted: BoolArray,
    positive: BoolArray,
    subsets: Mapping[str, BoolArray],
) -> dict[str, dict[str, Outcome]]:
    """All metrics of every subset of the examples; the ranking is sorted once for all of them.

    `score` ranks (higher: more likely an edge), `predicted` is the classifier's decision at probability 0.5.
    """
    order = np.argsort(score)[::-1]
    ends = _ends_of_ties(score[order])
    sorted_arrays = positive[order], predicted[order]
    return {name: _metrics(ends, *sorted_arrays, in_subset[order]) for name, in_subset in subsets.items()}


def metrics(score: NDArray[np.float64], predicted: BoolArray, positive: BoolArray) -> dict[str, Outcome]:
    """All metrics of all examples."""
    return metrics_of_subsets(score, predicted, positive, {"all": np.ones(len(score), dtype=np.bool_)})["all"]


def _metrics(
    ends: NDArray[np.int64], positive: BoolArray, predicted: BoolArray, in_subset: BoolArray
) -> dict[str, Outcome]:
    n_positive = int(np.count_nonzero(positive & in_subset))
    n_negative = int(np.count_nonzero(in_subset)) - n_positive
    if n_positive == 0 or n_negative == 0:
        missing = "positive" if n_positive == 0 else "negative"
        return {metric: Outcome(None, f"the subset has no {missing} example in this test half") for metric in METRICS}
    auc, ap, mrr, hits, true_positive, false_positive = _sweep(
        ends, positive, predicted, in_subset, n_positive, n_negative
    )
    found = true_positive + false_positive
    return {
        "auc": Outcome(auc),
        "f1": Outcome(2 * true_positive / (found + n_positive)),
        "precision": Outcome(true_positive / found if found else 0.0),  # as F1 takes it
        "recall": Outcome(true_positive / n_positive),
        "ap": Outcome(ap),
        "mrr": Outcome(mrr),
        "hits_at_10": Outcome(hits),
    }


@numba.njit(cache=True, nogil=True)
def _ends_of_ties(score):
    """For a sorted array: the position after the last of each run of equal values."""
    ends = np.empty(len(score), dtype=np.int64)
    n_runs = 0
    for i in range(len(score)):
        if i + 1 == len(score) or score[i + 1] != score[i]:
            ends[n_runs] = i + 1
            n_runs += 1
    return ends[:n_runs]


@numba.njit(cache=True, nogil=True)
def _sweep(ends, positive, predicted, in_subset, n_positive, n_negative):
    """One pass over the ranking, best first, one run of tied scores at a time.

    A positive in a run with n negatives, b negatives above it, beats N - b - n of all N negatives, ties with n
    (counted half), and has the rank 1 + b + n/2. AP is the sum over runs of precision at its end times the recall it
    adds.
    """
    twice_wins = 0  # an exact integer: the AUC is rounded once
    ap = mrr = 0.0
    hits = true_positive = false_positive = 0
    positives_above = negatives_above = 0
    start = 0
    for end in ends:
        p = n = 0
        for i in range(start, end):
            if in_subset[i]:
                if positive[i]:
                    p += 1
                    true_positive += predicted[i]
                else:
                    n += 1
                    false_positive += predicted[i]
        rank = 1 + negatives_above + n / 2
        twice_wins += p * (2 * (n_negative - negatives_above) - n)
        if p:
            ap += p * (positives_above + p) / (positives_above + p + negatives_above + n)
            mrr += p / rank
            hits += p * (rank <= 10)
        positives_above += p
        negatives_above += n
        start = end
    auc = twice_wins / (2 * n_positive * n_negative)
    return auc, ap / n_positive, mrr / n_positive, hits / n_positive, true_positive, false_positive
