"""Whichever way the classifier is fitted: its direction, and what it refuses."""

import numpy as np
import pytest

from evaluation.errors import EvaluationError
from evaluation.link_prediction.classifier import CLASSIFIERS, decision_values, train_classifier
from evaluation.link_prediction.features import TableFeatures

GENERATOR = np.random.default_rng(0)
VALUES = GENERATOR.normal(size=(300, 7))
POSITIVE = VALUES[:, 0] + GENERATOR.normal(size=300) > 0
FEATURES = TableFeatures(VALUES)


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_weights_point_to_the_positive_class_whichever_comes_first(classifier):
    order = np.argsort(POSITIVE, kind="stable")
    for rows in (order, order[::-1]):
        weights = train_classifier(CLASSIFIERS[classifier], FEATURES, rows, POSITIVE[rows])
        decisions = decision_values(FEATURES, rows, weights)
        assert decisions[POSITIVE[rows]].mean() > 0 > decisions[~POSITIVE[rows]].mean()


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_one_class_only_is_refused(classifier):
    with pytest.raises(EvaluationError, match=r"one class only \(4 positive, 0 negative\)"):
        train_classifier(CLASSIFIERS[classifier], FEATURES, np.arange(4), np.ones(4, dtype=bool))


def test_equal_rows_have_equal_decisions_wherever_they_stand():
    weights = GENERATOR.normal(size=8)
    decisions = decision_values(FEATURES, np.tile(np.arange(7), 500), weights).reshape(500, 7)
    assert (decisions == decisions[0]).all()
