"""The shared rows give LIBLINEAR the same problem as its own list-of-dicts interface."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from liblinear.liblinearutil import predict, train

from evaluation.classifier import OPTIONS, decision_values, empty_rows, fit_logistic_regression
from evaluation.errors import EvaluationError


def examples(n=300, features=7, seed=0):
    """Features with some zeros, and classes that they predict in part."""
    generator = np.random.default_rng(seed)
    values = generator.normal(size=(n, features)) * (generator.random((n, features)) < 0.8)
    positive = values[:, 0] + generator.normal(size=n) > 0
    rows = empty_rows(n, features)
    rows.values[:] = values
    return rows, values, positive


def plain_way(values, positive, test_values):
    """LIBLINEAR as its readme shows it: a list of dicts for training, another for prediction."""
    as_dicts = [
        [{j + 1: value for j, value in enumerate(row)} for row in part.tolist()] for part in (values, test_values)
    ]
    model = train(np.where(positive, 1, -1).tolist(), as_dicts[0], OPTIONS)
    weights, bias = model.get_decfun()
    _, _, decisions = predict([], as_dicts[1], model, "-q")
    # A decision is for the class of the first training example unless that is -1 (LIBLINEAR then swaps the two).
    assert model.get_labels()[0] == 1
    return np.array([*weights, bias]), np.array(decisions)[:, 0]


@pytest.mark.parametrize("seed", range(5))
def test_weights_and_decisions_equal_those_of_the_plain_way(seed):
    rows, values, positive = examples(seed=seed)
    generator = np.random.default_rng(seed)
    order = generator.permutation(len(values))
    training, test = np.sort(order[:150]), np.sort(order[150:])
    weights = fit_logistic_regression(rows, training, positive[training])
    expected_weights, expected_decisions = plain_way(values[training], positive[training], values[test])
    assert np.array_equal(weights, expected_weights)
    assert np.array_equal(decision_values(rows, test, weights), expected_decisions)


def test_weights_point_to_the_positive_class_whichever_comes_first():
    rows, _, positive = examples()
    chosen = np.arange(len(positive))
    for order in (chosen, chosen[::-1]):
        weights = fit_logistic_regression(rows, order, positive[order])
        decisions = decision_values(rows, order, weights)
        assert decisions[positive[order]].mean() > 0 > decisions[~positive[order]].mean()


def test_one_class_only_is_refused():
    rows, _, _ = examples(n=4)
    with pytest.raises(EvaluationError, match=r"one class only \(4 positive, 0 negative\)"):
        fit_logistic_regression(rows, np.arange(4), np.ones(4, dtype=bool))


def test_fits_in_parallel_threads_equal_those_one_after_the_other():
    rows, _, positive = examples(n=2000, features=20)
    halves = [np.sort(np.random.default_rng(seed).permutation(2000)[:1000]) for seed in range(8)]

    def fit(half):
        return fit_logistic_regression(rows, half, positive[half])

    with ThreadPoolExecutor(4) as pool:
        parallel = list(pool.map(fit, halves))
    assert all(np.array_equal(fit(half), weights) for half, weights in zip(halves, parallel, strict=True))
