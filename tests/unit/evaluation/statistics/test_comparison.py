"""Comparisons of methods: false alarms stay at the stated level, real differences are found, ranks and groups."""

import numpy as np
import pytest
from scipy import stats

from evaluation.statistics.comparison import compare, holm, indistinguishable_groups, rank_methods

LEVEL = 0.05
COMPARISONS = 200


def simulate_scores(random, shape, difference=0.0, seed_effect=0.05, n_examples=200):
    """Scores of two methods, each (COMPARISONS, seeds, draws, splits), as link prediction makes them.

    A score is the mean over the test half of the examples. An example has a difficulty that both methods share and an
    affinity to each method of its own; half of the examples (the positives) are the same in all draws, the negatives
    are new in each. Every training seed moves all scores of its method. The methods differ by `difference`.
    """
    seeds, draws, splits = shape
    half = n_examples // 2

    def per_example(scale, *leading):
        shared = scale * random.normal(size=(COMPARISONS, *leading, 1, half))
        positives = np.broadcast_to(shared, (*shared.shape[:-2], draws, half))
        negatives = scale * random.normal(size=(COMPARISONS, *leading, draws, half))
        return np.concatenate([positives, negatives], axis=-1)

    order = random.random((COMPARISONS, draws, splits, n_examples)).argsort(axis=-1)
    tested = (order < n_examples // 2) / (n_examples / 2)
    difficulty = per_example(1.0)
    scores = []
    for advantage in (difference, 0.0):
        seed = seed_effect * random.normal(size=(COMPARISONS, seeds, 1, 1))
        example = difficulty[:, None] + per_example(0.5)[:, None] + per_example(0.2, seeds)
        scores.append(advantage + seed + np.einsum("csdn,cdkn->csdk", example, tested))
    return scores


@pytest.mark.parametrize("shape", [(5, 3, 10), (3, 1, 10), (5, 10, 1), (3, 2, 5)])
def test_two_copies_of_one_method_differ_no_more_often_than_stated(shape):
    p_values = compare(*simulate_scores(np.random.default_rng(1), shape)).p_value()
    false_alarms = int(np.count_nonzero(p_values <= LEVEL))
    assert false_alarms <= LEVEL * COMPARISONS
    assert stats.binomtest(false_alarms, COMPARISONS, LEVEL, alternative="greater").pvalue > 0.01


def test_two_equal_embeddings_differ_no_more_often_than_stated():
    first, second = simulate_scores(np.random.default_rng(2), (1, 1, 10), seed_effect=0.0)
    false_alarms = int(np.count_nonzero(compare(first, second).p_value() <= LEVEL))
    assert stats.binomtest(false_alarms, COMPARISONS, LEVEL, alternative="greater").pvalue > 0.01


@pytest.mark.parametrize("shape", [(5, 3, 10), (1, 1, 10)])
def test_the_simulation_would_catch_a_test_that_takes_repeats_for_independent(shape):
    first, second = simulate_scores(np.random.default_rng(3), shape)
    naive = stats.ttest_rel(first.reshape(COMPARISONS, -1), second.reshape(COMPARISONS, -1), axis=1).pvalue
    assert np.count_nonzero(naive <= LEVEL) > 4 * LEVEL * COMPARISONS


def test_a_real_difference_is_found():
    first, second = simulate_scores(np.random.default_rng(4), (5, 3, 10), difference=0.4)
    estimate = compare(first, second)
    assert np.count_nonzero(estimate.p_value() <= LEVEL) > 0.9 * COMPARISONS
    assert estimate.mean.mean() == pytest.approx(0.4, abs=0.02)


def test_identical_scores_have_p_one():
    values = np.random.default_rng(5).normal(size=(3, 2, 4))
    assert compare(values, values).p_value() == 1


def test_a_method_with_one_seed_stands_against_every_seed_of_the_other():
    many, one = np.array([0.5, 0.6, 0.7]).reshape(3, 1, 1), np.full((1, 1, 1), 0.2)
    assert compare(many, one).p_value() == pytest.approx(stats.ttest_1samp([0.3, 0.4, 0.5], 0).pvalue)


def test_holm_multiplies_the_smallest_by_the_number_of_tests_and_never_falls():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == pytest.approx([1.0, 1.0])


def test_holm_does_not_count_tests_without_a_p_value():
    adjusted = holm([0.01, float("nan"), 0.02])
    assert adjusted[[0, 2]] == pytest.approx([0.02, 0.02])
    assert np.isnan(adjusted[1])


def test_holm_keeps_the_family_wise_error():
    p_values = np.random.default_rng(6).random((2000, 6))
    alarms = sum(bool((holm(row) <= LEVEL).any()) for row in p_values)
    assert stats.binomtest(alarms, 2000, LEVEL, alternative="greater").pvalue > 0.01


def test_critical_difference_is_the_published_one():
    # Demsar (2006), section 3.2.2: 14 data sets, 4 classifiers, alpha 0.05: q = 2.569, CD = 1.25.
    ranks = rank_methods(np.random.default_rng(7).random((14, 4)), LEVEL)
    assert ranks.critical_difference == pytest.approx(1.25, abs=0.005)


def test_ranks_are_one_for_the_best_and_shared_by_ties():
    ranks = rank_methods(np.array([[0.9, 0.5, 0.5], [0.8, 0.7, 0.6]]), LEVEL)
    assert ranks.average.tolist() == [1.0, 2.25, 2.75]
    assert ranks.n_networks == 2


def test_friedman_is_undefined_when_all_methods_tie():
    assert np.isnan(rank_methods(np.ones((3, 4)), LEVEL).friedman_p)


def test_groups_join_ranks_within_the_critical_difference_and_skip_those_inside_a_longer_one():
    assert indistinguishable_groups(np.array([1.0, 1.5, 2.0, 4.0]), 1.1) == [(1.0, 2.0)]
    assert indistinguishable_groups(np.array([1.0, 2.0, 3.0]), 1.0) == [(1.0, 2.0), (2.0, 3.0)]
    assert indistinguishable_groups(np.array([1.0, 3.0]), 1.0) == []
