"""Newton's method finds the minimum of LIBLINEAR's objective, also where features are awkward."""

import numpy as np
import pytest
from liblinear.liblinearutil import train

import evaluation.link_prediction.newton
from evaluation.errors import EvaluationError
from evaluation.link_prediction.features import TableFeatures
from evaluation.link_prediction.liblinear_fit import OPTIONS, fit_by_liblinear
from evaluation.link_prediction.newton import fit_by_newton

N, D = 2500, 6  # two blocks and a part of one


def problem(kind="plain", seed=0):
    generator = np.random.default_rng(seed)
    values = generator.normal(size=(N, D))
    positive = values @ [2.0, -1.0, 0.5, 0.0, 0.0, 0.0] + 0.3 + generator.logistic(size=N) > 0
    if kind == "separable":
        positive = values[:, 0] > 0.1
    elif kind == "offset":
        values += 1e5
    elif kind == "constant":
        values[:, 2:] = [0.0, 1.0, -3.0, 0.0]
    elif kind == "twice":
        values[:, 3:] = values[:, :3]
    elif kind == "units":
        values *= [1e4, 1e-4, 1.0, 1e2, 1e-2, 1.0]
    elif kind == "rare":
        positive = np.arange(N) == 7
    return values, positive


KINDS = ["plain", "separable", "offset", "constant", "twice", "units", "rare"]


def objective(values, positive, weights):
    margins = np.where(positive, 1, -1) * (values @ weights[:-1] + weights[-1])
    return weights @ weights / 2 + np.logaddexp(0, -margins).sum()


def gradient(values, positive, weights):
    rows, sign = np.c_[values, np.ones(len(values))], np.where(positive, 1.0, -1.0)
    return weights - (sign / (1 + np.exp(sign * (rows @ weights)))) @ rows


def fit(by, values, positive):
    return by(TableFeatures(values), np.arange(len(values)), positive)


@pytest.mark.parametrize("kind", KINDS)
def test_the_objective_is_not_above_that_of_liblinear(kind):
    values, positive = problem(kind)
    newton, liblinear = (
        objective(values, positive, fit(by, values, positive)) for by in (fit_by_newton, fit_by_liblinear)
    )
    assert newton <= liblinear * (1 + 1e-12)


@pytest.mark.parametrize("kind", KINDS)
def test_the_gradient_vanishes_at_the_weights(kind):
    values, positive = problem(kind)
    at_zero = np.linalg.norm(gradient(values, positive, np.zeros(D + 1)))
    assert np.linalg.norm(gradient(values, positive, fit(fit_by_newton, values, positive))) <= 1e-7 * at_zero


@pytest.mark.parametrize("seed", range(3))
def test_weights_are_those_of_liblinear_with_a_tiny_tolerance(seed):
    values, positive = problem(seed=seed)
    rows = [{j + 1: value for j, value in enumerate(row)} for row in values.tolist()]
    model = train(np.where(positive, 1, -1).tolist(), rows, f"{OPTIONS} -e 1e-10")
    weights, bias = model.get_decfun()
    expected = np.array([*weights, bias]) * model.get_labels()[0]
    assert fit(fit_by_newton, values, positive) == pytest.approx(expected, abs=1e-7)


def test_a_single_feature_has_the_minimum_that_can_be_had_by_hand():
    """Rows (1, +) and (-1, -): the bias is 0, and w solves w = 2 / (1 + exp(w))."""
    weights = fit(fit_by_newton, np.array([[1.0], [-1.0]]), np.array([True, False]))
    assert weights[1] == pytest.approx(0, abs=1e-9)
    assert weights[0] == pytest.approx(2 / (1 + np.exp(weights[0])), abs=1e-6)


def test_features_of_zeros_leave_everything_to_the_bias():
    positive = np.arange(N) < N // 4
    weights = fit(fit_by_newton, np.zeros((N, D)), positive)
    assert (weights[:-1] == 0).all()
    assert weights[-1] == pytest.approx(np.log(1 / 3), abs=1e-2)


def test_balanced_classes_without_any_feature_stay_at_zero():
    assert (fit(fit_by_newton, np.zeros((N, D)), np.arange(N) % 2 == 0) == 0).all()


def test_only_the_given_rows_count():
    values, positive = problem()
    rows = np.arange(0, N, 2)
    changed = values.copy()
    changed[1::2] = 1e9
    expected = fit(fit_by_newton, values[rows], positive[rows])
    assert np.array_equal(fit_by_newton(TableFeatures(changed), rows, positive[rows]), expected)


def test_a_fit_that_does_not_end_is_an_error(monkeypatch):
    monkeypatch.setattr(evaluation.link_prediction.newton, "MAX_STEPS", 1)
    with pytest.raises(EvaluationError, match="did not converge in 1 steps; `classifier: liblinear` may"):
        fit(fit_by_newton, *problem())


def test_a_singular_matrix_is_an_error():
    values, positive = problem()
    values[:, :2] = 1e9 * values[:, :1]
    with pytest.raises(EvaluationError, match="singular in float64"):
        fit(fit_by_newton, values, positive)
