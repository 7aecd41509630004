"""Metrics agree with scikit-learn on any input, ties included."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, f1_score, precision_score, recall_score, roc_auc_score

from evaluation.link_prediction.metrics import metrics


@st.composite
def rankings(draw):
    """Scores (few distinct values, so that ties are common, or any), classes with both present, predictions."""
    n = draw(st.integers(2, 60))
    few = st.integers(-3, 3).map(float)
    any_value = st.floats(-1e6, 1e6, allow_nan=False)
    score = draw(st.lists(draw(st.sampled_from([few, any_value])), min_size=n, max_size=n))
    positive = draw(st.lists(st.booleans(), min_size=n, max_size=n).filter(lambda flags: len(set(flags)) == 2))
    return np.array(score), np.array(positive)


def value_of(name, score, positive):
    return metrics(score, score > 0, positive)[name].value


@given(rankings())
def test_metrics_equal_those_of_scikit_learn(ranking):
    score, positive = ranking
    predicted = score > 0
    measured = {name: outcome.value for name, outcome in metrics(score, predicted, positive).items()}
    assert measured["auc"] == pytest.approx(roc_auc_score(positive, score), abs=1e-12)
    assert measured["ap"] == pytest.approx(average_precision_score(positive, score), abs=1e-12)
    assert measured["recall"] == pytest.approx(recall_score(positive, predicted), abs=1e-12)
    assert measured["f1"] == pytest.approx(f1_score(positive, predicted), abs=1e-12)
    if predicted.any():
        assert measured["precision"] == pytest.approx(precision_score(positive, predicted), abs=1e-12)


@given(rankings())
def test_middle_ranks_equal_those_counted_one_by_one(ranking):
    score, positive = ranking
    negatives = score[~positive]
    ranks = [1 + np.sum(negatives > s) + np.sum(negatives == s) / 2 for s in score[positive]]
    assert value_of("mrr", score, positive) == pytest.approx(np.mean([1 / rank for rank in ranks]), abs=1e-12)
    assert value_of("hits_at_10", score, positive) == pytest.approx(np.mean([rank <= 10 for rank in ranks]), abs=1e-12)
