"""Classifier: examples per second of ten LIBLINEAR fits and predictions, against its own Python interfaces on one core.

An example is counted once per repeat: half of them train, half are predicted. All ways start from the same vectors and
pairs. Ours runs all repeats, LIBLINEAR's interfaces the first. Before anything is timed, decision values are compared:
of ours on one core and on all, for all repeats, and of ours and of LIBLINEAR on dicts, for the first, to the last bit;
of ours and of LIBLINEAR on a sparse matrix, for the first, up to rounding, because there numpy does the prediction.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import psutil
from liblinear.liblinearutil import predict, problem, train
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from benchmarks.measurement import Measurement, best_seconds
from evaluation.classifier import OPTIONS, decision_values, empty_rows, fit_logistic_regression
from evaluation.operators import OPERATORS, fill_features
from evaluation.protocols import Rows

N_EXAMPLES, N_NODES, DIMENSIONS, REPEATS = 20_000, 5_000, 128, 10
OPERATOR = "weighted_l1"

Decisions = list[NDArray[np.float64]]


def measure() -> list[Measurement]:
    vectors, source, target, positive, halves = _problem()
    features = OPERATORS[OPERATOR](vectors[source].astype(np.float64), vectors[target].astype(np.float64))
    classes = np.where(positive, 1, -1)
    cores = psutil.cpu_count(logical=False) or 1

    def shared_rows(threads: int) -> Callable[[], Decisions]:
        def run() -> Decisions:
            rows = empty_rows(N_EXAMPLES, DIMENSIONS)
            fill_features(OPERATOR, vectors, source, target, rows.values)

            def one(half: tuple[Rows, Rows]) -> NDArray[np.float64]:
                training, test = half
                return decision_values(rows, test, fit_logistic_regression(rows, training, positive[training]))

            with ThreadPoolExecutor(threads) as pool:
                return list(pool.map(one, halves))

        return run

    def list_of_dicts(training: Rows, test: Rows) -> NDArray[np.float64]:
        rows = [[dict(enumerate(row, start=1)) for row in features[half].tolist()] for half in (training, test)]
        model = train(classes[training].tolist(), rows[0], OPTIONS)
        return np.array(predict([], rows[1], model, "-q")[2])[:, 0]

    def sparse_matrix(training: Rows, test: Rows) -> NDArray[np.float64]:
        """The interface's fast path for training; its prediction still makes nodes row by row, so we predict here."""
        model = train(problem(classes[training].astype(np.float64), csr_matrix(features[training]), 1), OPTIONS)
        weights, bias = model.get_decfun()
        return features[test] @ np.array(weights) + bias

    expected = shared_rows(1)()
    for way, equal in (
        ("ours on all cores", np.array_equal(shared_rows(cores)(), expected)),
        ("LIBLINEAR on dicts", np.array_equal(list_of_dicts(*halves[0]), expected[0])),
        ("LIBLINEAR on a sparse matrix", np.allclose(sparse_matrix(*halves[0]), expected[0], rtol=1e-9, atol=1e-9)),
    ):
        if not equal:
            raise AssertionError(f"{way}: other decision values than ours on one core; speeds cannot be compared")
    rate = N_EXAMPLES * REPEATS
    one_core, all_cores = (rate / best_seconds(shared_rows(threads)) for threads in (1, cores))
    plain = N_EXAMPLES / best_seconds(lambda: list_of_dicts(*halves[0]), repeats=2)
    sparse = N_EXAMPLES / best_seconds(lambda: sparse_matrix(*halves[0]))
    data = f"{N_EXAMPLES} examples x {DIMENSIONS}, {OPERATOR}, {REPEATS} repeats"
    same, nearly = f"{data}, equal decision values", f"{data}, decision values equal up to rounding"
    unit = "examples/s"
    return [
        Measurement(f"classifier, {cores} cores, against LIBLINEAR on dicts", all_cores, plain, unit, same, target=3),
        Measurement("classifier, one core, against LIBLINEAR on dicts", one_core, plain, unit, same),
        Measurement(
            f"classifier, {cores} cores, against LIBLINEAR on a sparse matrix", all_cores, sparse, unit, nearly
        ),
    ]


def _problem() -> tuple[
    NDArray[np.float32], NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_], list[tuple[Rows, Rows]]
]:
    """Vectors around 50 centers; positives join nodes of one center, negatives join any two."""
    generator = np.random.default_rng(1)
    center = generator.integers(0, 50, size=N_NODES)
    order = np.argsort(center, kind="stable")
    vectors = generator.normal(size=(50, DIMENSIONS))[center] * 0.3 + generator.normal(size=(N_NODES, DIMENSIONS)) * 0.3
    at = generator.integers(0, N_NODES - 20, size=N_EXAMPLES)
    source = order[at].astype(np.int32)
    near = order[at + generator.integers(1, 20, size=N_EXAMPLES)]
    positive = np.arange(N_EXAMPLES) < N_EXAMPLES // 2
    target = np.where(positive, near, generator.integers(0, N_NODES, size=N_EXAMPLES)).astype(np.int32)
    halves = []
    for _ in range(REPEATS):
        shuffled = generator.permutation(N_EXAMPLES)
        halves.append((np.sort(shuffled[: N_EXAMPLES // 2]), np.sort(shuffled[N_EXAMPLES // 2 :])))
    return vectors.astype(np.float32), source, target, positive, halves
