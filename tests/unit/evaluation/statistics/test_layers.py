"""Layered repeats: variance per layer and intervals that know which repeats are independent."""

import numpy as np
import pytest
from scipy import stats

from evaluation.statistics.layers import (
    complete_block,
    covered_layers,
    deviation_per_layer,
    estimate_mean,
    mean_squares,
)


def simulate(random, shape, repeats, seed=0.0, draw=0.0, split=0.0, seed_by_draw=0.0, residual=0.0):
    """Arrays (repeats, seeds, draws, splits) with the given standard deviation per layer."""
    seeds, draws, splits = shape
    return (
        seed * random.normal(size=(repeats, seeds, 1, 1))
        + draw * random.normal(size=(repeats, 1, draws, 1))
        + split * random.normal(size=(repeats, 1, draws, splits))
        + seed_by_draw * random.normal(size=(repeats, seeds, draws, 1))
        + residual * random.normal(size=(repeats, seeds, draws, splits))
    )


def test_sums_of_squares_add_up_to_the_total():
    values = np.random.default_rng(1).normal(size=(4, 3, 5))
    squares = mean_squares(values)
    total = sum(getattr(squares, layer) * degrees for layer, degrees in squares.degrees.items())
    assert total == pytest.approx(((values - values.mean()) ** 2).sum())


def test_standard_deviation_of_each_layer_is_recovered():
    truth = {"seed": 4.0, "draw": 3.0, "split": 2.0, "seed_by_draw": 1.5, "residual": 1.0}
    values = simulate(np.random.default_rng(2), (60, 60, 60), 1, **truth)[0]
    found = deviation_per_layer(values)
    assert {layer: pytest.approx(value, rel=0.25) for layer, value in truth.items()} == found


@pytest.mark.parametrize(
    ("shape", "unknown"),
    [
        ((1, 3, 5), {"seed", "seed_by_draw", "residual"}),
        ((3, 1, 5), {"draw", "seed_by_draw"}),
        ((3, 4, 1), {"split", "residual"}),
        ((1, 1, 1), {"seed", "draw", "split", "seed_by_draw", "residual"}),
    ],
)
def test_layers_without_repeats_have_no_deviation(shape, unknown):
    found = deviation_per_layer(np.random.default_rng(3).normal(size=shape))
    assert {layer for layer, value in found.items() if np.isnan(value)} == unknown


def test_one_seed_and_one_draw_give_the_variance_of_nadeau_and_bengio():
    splits = np.array([0.80, 0.82, 0.79, 0.83, 0.81])
    estimate = estimate_mean(splits.reshape(1, 1, 5), test_to_train=0.25)
    assert estimate.mean == pytest.approx(0.81)
    assert estimate.standard_error**2 == pytest.approx((1 / 5 + 0.25) * splits.var(ddof=1))
    reach = stats.t.ppf(0.975, 4) * estimate.standard_error
    assert estimate.interval() == pytest.approx((0.81 - reach, 0.81 + reach))


def test_seeds_alone_give_students_interval():
    values = np.array([0.5, 0.6, 0.8])
    low, high = estimate_mean(values.reshape(3, 1, 1)).interval()
    expected = stats.t.interval(0.95, 2, loc=values.mean(), scale=stats.sem(values))
    assert (low, high) == pytest.approx(expected)


def test_more_splits_do_not_narrow_the_interval_when_seeds_vary():
    random = np.random.default_rng(4)
    seeds = random.normal(size=(5, 1, 1))
    widths = []
    for splits in (5, 500):
        low, high = estimate_mean(seeds + 0.01 * random.normal(size=(5, 1, splits))).interval()
        widths.append(float(high - low))
    assert widths[1] == pytest.approx(widths[0], rel=0.05)


@pytest.mark.parametrize("shape", [(3, 10, 1), (5, 3, 10), (10, 2, 10), (2, 2, 10)])
@pytest.mark.parametrize("layer", ["seed", "draw"])
def test_interval_covers_the_true_mean_at_least_as_often_as_it_says(shape, layer):
    deviations = {"seed": 0.3, "draw": 0.3, "split": 0.3, "seed_by_draw": 0.3, "residual": 0.3} | {layer: 1.0}
    low, high = estimate_mean(simulate(np.random.default_rng(5), shape, 2000, **deviations)).interval(0.95)
    covered = int(np.count_nonzero((low <= 0) & (high >= 0)))
    assert stats.binomtest(covered, 2000, 0.95, alternative="less").pvalue > 0.01


def test_p_value_of_a_single_layer_is_students():
    values = np.array([0.1, 0.3, 0.2, 0.4, -0.1])
    found = estimate_mean(values.reshape(5, 1, 1)).p_value()
    assert found == pytest.approx(stats.ttest_1samp(values, 0).pvalue)


def test_p_value_is_the_level_at_which_the_interval_just_reaches_zero():
    estimate = estimate_mean(0.8 + np.random.default_rng(8).normal(size=(4, 3, 5)))
    low, high = estimate.interval(1 - float(estimate.p_value()))
    assert min(abs(low), abs(high)) == pytest.approx(0, abs=1e-9)


def test_differences_without_variation_have_no_p_value_unless_they_are_zero():
    assert np.isnan(estimate_mean(np.full((2, 2, 2), 0.5)).p_value())
    assert estimate_mean(np.zeros((2, 2, 2))).p_value() == 1
    assert np.isnan(estimate_mean(np.full((1, 1, 1), 0.5)).p_value())


def test_interval_of_a_single_value_is_undefined():
    estimate = estimate_mean(np.array([[[0.7]]]))
    assert estimate.mean == 0.7
    assert np.isnan(estimate.interval()).all()


def test_interval_of_equal_values_has_no_width():
    assert [float(end) for end in estimate_mean(np.full((2, 2, 2), 0.7)).interval()] == [
        pytest.approx(0.7),
        pytest.approx(0.7),
    ]


def test_stacked_arrays_are_handled_one_by_one():
    values = np.random.default_rng(7).normal(size=(6, 3, 2, 4))
    together = estimate_mean(values)
    apart = [estimate_mean(part) for part in values]
    assert together.standard_error == pytest.approx([float(one.standard_error) for one in apart])
    assert together.p_value() == pytest.approx([float(one.p_value()) for one in apart])


@pytest.mark.parametrize(
    ("shape", "holes", "left"),
    [
        ((3, 2, 2), np.s_[1], (2, 2, 2)),
        ((3, 2, 10), np.s_[0, 1, 4], (3, 2, 9)),
        ((5, 1, 10), np.s_[[0, 1, 2], 0, [3, 3, 7]], (5, 1, 8)),
    ],
    ids=["a failed seed", "one missing split", "scattered holes"],
)
def test_holes_cost_as_little_as_possible(shape, holes, left):
    values = np.ones(shape)
    values[holes] = np.nan
    assert complete_block(values).shape == left


def test_where_everything_is_missing_nothing_is_left():
    assert complete_block(np.full((2, 1, 3), np.nan)).size == 0


def test_words_say_when_an_interval_knows_nothing_of_training():
    assert covered_layers((3, 2, 10)) == "training seeds, draws and splits"
    assert covered_layers((1, 1, 10)) == "splits of one fit, not what another training seed would give"
    assert covered_layers((1, 1, 1)) == "a single value: no interval"
