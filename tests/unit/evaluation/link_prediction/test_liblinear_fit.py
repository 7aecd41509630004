"""LIBLINEAR through pointers is LIBLINEAR through its own list-of-dicts interface."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from liblinear.liblinearutil import predict, train

from evaluation.link_prediction.classifier import decision_values
from evaluation.link_prediction.features import TableFeatures
from evaluation.link_prediction.liblinear_fit import OPTIONS, fit_by_liblinear


def examples(n=300, n_features=7, seed=0):
    """Features with some zeros, and classes that they predict in part."""
    generator = np.random.default_rng(seed)
    values = generator.normal(size=(n, n_features)) * (generator.random((n, n_features)) < 0.8)
    positive = values[:, 0] + generator.normal(size=n) > 0
    return values, positive


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
    values, positive = examples(seed=seed)
    features = TableFeatures(values)
    order = np.random.default_rng(seed).permutation(len(values))
    training, test = np.sort(order[:150]), np.sort(order[150:])
    weights = fit_by_liblinear(features, training, positive[training])
    expected_weights, expected_decisions = plain_way(values[training], positive[training], values[test])
    assert np.array_equal(weights, expected_weights)
    assert np.array_equal(decision_values(features, test, weights), expected_decisions)


def test_fits_in_parallel_threads_equal_those_one_after_the_other():
    values, positive = examples(n=2000, n_features=20)
    features = TableFeatures(values)
    halves = [np.sort(np.random.default_rng(seed).permutation(2000)[:1000]) for seed in range(8)]

    def fit(half):
        return fit_by_liblinear(features, half, positive[half])

    with ThreadPoolExecutor(4) as pool:
        parallel = list(pool.map(fit, halves))
    assert all(np.array_equal(fit(half), weights) for half, weights in zip(halves, parallel, strict=True))
