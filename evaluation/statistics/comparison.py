"""Is one method better than another: a paired test for layered repeats, Holm's correction, ranks over networks."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from evaluation.statistics.layers import MeanEstimate, estimate_mean

Values = NDArray[np.float64]


@dataclass(frozen=True)
class Ranks:
    """Average ranks of methods over networks (1 is best) and the difference that two of them need to differ."""

    average: Values
    critical_difference: float
    friedman_p: float
    n_networks: int


def compare(first: Values, second: Values) -> MeanEstimate:
    """The corrected resampled t-test (Nadeau and Bengio, 2003) on (..., seeds, draws, splits) arrays, layer by layer.

    Both methods were judged on the same draws and splits, so their differences are free of what these share. A method
    with one seed stands against every seed of the other; the test then says nothing about retraining the former.
    """
    return estimate_mean(first - second)


def holm(p_values: Sequence[float] | Values) -> Values:
    """Holm's step-down adjustment: the k-th smallest of m p-values times m - k + 1, never falling, at most 1.

    Tests without a p-value (NaN) are not counted.
    """
    given = np.asarray(p_values, dtype=np.float64)
    adjusted = np.full(len(given), np.nan)
    order = [i for i in np.argsort(given, kind="stable") if not np.isnan(given[i])]
    largest = 0.0
    for position, index in enumerate(order):
        largest = max(largest, min(1.0, given[index] * (len(order) - position)))
        adjusted[index] = largest
    return adjusted


def rank_methods(scores: Values, level: float) -> Ranks:
    """Friedman's test and Nemenyi's critical difference on a complete array networks x methods, higher is better.

    CD = q sqrt(k (k + 1) / (6 N)), q being the quantile of the studentized range over sqrt(2) (Demsar, 2006).
    """
    n_networks, n_methods = scores.shape
    average = stats.rankdata(-scores, axis=1).mean(axis=0)
    quantile = stats.studentized_range.ppf(1 - level, n_methods, np.inf) / np.sqrt(2)
    critical = quantile * np.sqrt(n_methods * (n_methods + 1) / (6 * n_networks))
    # Friedman's statistic needs three methods, and does not exist when all methods tie everywhere.
    varies = n_methods > 2 and n_networks > 1 and (np.ptp(scores, axis=1) > 0).any()
    friedman_p = float(stats.friedmanchisquare(*scores.T).pvalue) if varies else float("nan")
    return Ranks(average, float(critical), friedman_p, n_networks)


def indistinguishable_groups(average: Values, critical_difference: float) -> list[tuple[float, float]]:
    """Spans (best, worst) of two or more average ranks no wider than the critical difference, the longest only."""
    ranks = np.sort(average)
    spans: list[tuple[float, float]] = []
    for first, best in enumerate(ranks):
        last = int(np.searchsorted(ranks, best + critical_difference, side="right")) - 1
        if last > first and (not spans or ranks[last] > spans[-1][1]):
            spans.append((float(best), float(ranks[last])))
    return spans
