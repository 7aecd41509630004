"""Metrics of rankings that can be worked out by hand."""

import numpy as np
import pytest

from evaluation.link_prediction.metrics import METRICS, metrics, metrics_of_subsets


def values(score, positive, predicted=None):
    score, positive = np.array(score, dtype=np.float64), np.array(positive, dtype=bool)
    predicted = score > 0 if predicted is None else np.array(predicted, dtype=bool)
    return {name: outcome.value for name, outcome in metrics(score, predicted, positive).items()}


def test_a_perfect_ranking_reaches_one_everywhere():
    assert values([3, 2, -1, -2], [1, 1, 0, 0]) == dict.fromkeys(METRICS, 1.0)


def test_constant_scores_give_half_the_auc_and_the_middle_rank():
    measured = values([5] * 5, [1, 0, 0, 0, 0])
    assert measured["auc"] == 0.5
    assert measured["mrr"] == 1 / 3, "one positive and four tied negatives: ranks 1 to 5, middle 3"
    assert measured["ap"] == 0.2


def test_a_ranking_by_hand():
    # ranks against the negatives only: the positives at 4, 2 and 1 have 0, 1 and 1.5 negatives above them
    measured = values([4, 3, 2, 1, 1], [1, 0, 1, 1, 0])
    assert measured["auc"] == pytest.approx((2 + 1 + 0.5) / 6, abs=1e-15)
    assert measured["mrr"] == pytest.approx((1 + 1 / 2 + 1 / 2.5) / 3, abs=1e-15)
    assert measured["ap"] == pytest.approx((1 + 2 / 3 + 3 / 5) / 3, abs=1e-15)


def test_hits_at_ten_counts_positives_with_a_middle_rank_up_to_ten():
    negatives_above = [20.0] * 9
    assert values([10, *negatives_above, 0], [1] + [0] * 10)["hits_at_10"] == 1
    assert values([10, *negatives_above, 10], [1] + [0] * 10)["hits_at_10"] == 0, "tied with one: rank 10.5"


def test_threshold_metrics_use_the_prediction_and_not_the_rank():
    measured = values([4, 3, 2, 1], [1, 1, 0, 0], predicted=[1, 0, 1, 0])
    assert (measured["precision"], measured["recall"], measured["f1"]) == (0.5, 0.5, 0.5)


def test_precision_without_a_predicted_positive_is_zero_as_f1_and_recall_are():
    outcomes = metrics(np.array([-1.0, -2.0]), np.array([False, False]), np.array([True, False]))
    assert outcomes["precision"].value == outcomes["recall"].value == outcomes["f1"].value == 0


@pytest.mark.parametrize(("only", "missing"), [(True, "negative"), (False, "positive")])
def test_one_class_only_gives_no_number_but_a_reason(only, missing):
    outcomes = metrics(np.arange(3.0), np.ones(3, dtype=bool), np.full(3, only))
    assert [outcome.value for outcome in outcomes.values()] == [None] * len(METRICS)
    assert all(f"no {missing} example" in outcome.reason for outcome in outcomes.values())


def test_a_subset_is_measured_as_if_the_rest_did_not_exist():
    generator = np.random.default_rng(3)
    score = generator.integers(0, 6, size=60).astype(np.float64)
    positive, predicted, in_subset = generator.random((3, 60)) < 0.5
    of_subset = metrics_of_subsets(score, predicted, positive, {"some": in_subset})["some"]
    assert of_subset == metrics(score[in_subset], predicted[in_subset], positive[in_subset])
