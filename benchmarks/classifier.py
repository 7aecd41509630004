"""Classifier: seconds of one split (train on one half, score the other), by Newton's method and by two peers in turns.

All start from the same vectors and pairs and have one thread. LIBLINEAR is the paper's classifier, without the detour
over its Python lists. scikit-learn's newton-cholesky, on features with a constant column and without an intercept, has
the same objective; the table of all features that it needs is made before the clock starts. CPU seconds, because the
machine may have other work; before a ratio is given, the objective must be as low as the peer's, up to rounding.
"""

import time
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from threadpoolctl import threadpool_limits

from benchmarks.measurement import Measurement
from evaluation.link_prediction.classifier import Fit, decision_values
from evaluation.link_prediction.features import PairFeatures, Rows
from evaluation.link_prediction.liblinear_fit import fit_by_liblinear
from evaluation.link_prediction.newton import fit_by_newton

N_EXAMPLES, DIMENSIONS, ROUNDS = 200_000, 128, 3
FloatArray = NDArray[np.float64]
Way = Callable[[], tuple[FloatArray, FloatArray]]  # one split: its weights and decision values


def measure() -> Iterator[Measurement]:
    with threadpool_limits(1):
        for operator in ("mean", "hadamard", "weighted_l1"):
            yield from measure_operator(operator)


def measure_operator(operator: str) -> Iterator[Measurement]:
    features, positive, training, test = problem(operator, N_EXAMPLES)
    table = np.ones((N_EXAMPLES, DIMENSIONS + 1))
    features.fill(np.arange(N_EXAMPLES), table)

    def by(fit: Fit) -> Way:
        def split() -> tuple[FloatArray, FloatArray]:
            weights = fit(features, training, positive[training])
            return weights, decision_values(features, test, weights)

        return split

    def by_scikit_learn(values: NDArray[np.floating]) -> Way:
        def split() -> tuple[FloatArray, FloatArray]:
            model = LogisticRegression(C=1.0, solver="newton-cholesky", fit_intercept=False)
            model.fit(values[training], positive[training])
            return model.coef_[0].astype(np.float64), model.decision_function(values[test])

        return split

    ways = {
        "Newton": by(fit_by_newton),
        "LIBLINEAR": by(fit_by_liblinear),
        "scikit-learn": by_scikit_learn(table),
        "scikit-learn in float32": by_scikit_learn(table.astype(np.float32)),
    }
    seconds, lowest = dict.fromkeys(ways, np.inf), dict.fromkeys(ways, np.inf)
    for _ in range(ROUNDS):
        for name, way in ways.items():
            start = time.process_time()
            weights, _ = way()
            seconds[name] = min(seconds[name], time.process_time() - start)
            lowest[name] = objective(table[training], positive[training], weights)
    for name in list(ways)[1:]:
        if lowest["Newton"] > lowest[name] * (1 + 1e-12):
            raise AssertionError(f"{operator}: the objective of {name} is lower ({lowest[name]} < {lowest['Newton']})")
        data = (
            f"{N_EXAMPLES:,} examples x {DIMENSIONS}, {operator}, objective {lowest['Newton']:.2f}, {lowest[name]:.2f}"
        )
        yield Measurement(
            f"classifier, one split, Newton against {name}",
            seconds["Newton"],
            seconds[name],
            "CPU seconds",
            data,
            target=1.3 if name != "scikit-learn in float32" else None,
            lower_is_better=True,
        )


def objective(rows: FloatArray, positive: NDArray[np.bool_], weights: FloatArray) -> float:
    margins = np.where(positive, 1.0, -1.0) * (rows @ weights)
    return float(weights @ weights) / 2 + float(np.logaddexp(0.0, -margins).sum())


def problem(operator: str, n_examples: int) -> tuple[PairFeatures, NDArray[np.bool_], Rows, Rows]:
    """Vectors around 50 centers; positives join nodes of one center, negatives join any two; a random half trains."""
    generator = np.random.default_rng(1)
    n_nodes = n_examples // 4
    center = generator.integers(0, 50, size=n_nodes)
    order = np.argsort(center, kind="stable")
    popular = generator.gamma(1.0, size=(n_nodes, 1)) * generator.normal(size=DIMENSIONS)
    vectors = 0.3 * (
        generator.normal(size=(50, DIMENSIONS))[center] + generator.normal(size=(n_nodes, DIMENSIONS)) + popular
    )
    positive = np.arange(n_examples) < n_examples // 2
    at = generator.integers(0, n_nodes - 20, size=n_examples)
    near = order[at + generator.integers(1, 20, size=n_examples)]
    target = np.where(positive, near, generator.integers(0, n_nodes, size=n_examples))
    shuffled = generator.permutation(n_examples)
    halves = np.sort(shuffled[: n_examples // 2]), np.sort(shuffled[n_examples // 2 :])
    return PairFeatures(operator, vectors, order[at].astype(np.int32), target.astype(np.int32)), positive, *halves
