"""Draws follow their weights, and nothing of weight zero is ever drawn."""

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from methods.kernels.random_stream import stream
from methods.kernels.sampling import alias_table, draw, draw_many, noise_table


@numba.njit
def draws_one_by_one(table, seed, n):
    state = stream(seed, 0)
    outcomes = np.empty(n, dtype=np.int64)
    for at in range(n):
        state, outcomes[at] = draw(table, state)
    return outcomes


@numba.njit
def draws_at_once(table, seed, n):
    outcomes = np.empty(n, dtype=np.int64)
    draw_many(table, stream(seed, 0), outcomes)
    return outcomes


def probabilities(table: np.ndarray) -> np.ndarray:
    """What the table gives exactly: each slice's threshold to itself, the rest to its alias, over n slices."""
    result = table["threshold"].astype(np.float64)
    np.add.at(result, table["alias"], 1.0 - table["threshold"].astype(np.float64))
    return result / len(table)


@given(st.lists(st.one_of(st.just(0.0), st.floats(1e-6, 1e6)), min_size=1, max_size=50).filter(any))
@settings(max_examples=200, deadline=None)
def test_table_holds_the_probabilities_of_its_weights(weights: list[float]) -> None:
    exact = np.array(weights) / np.sum(weights)
    np.testing.assert_allclose(probabilities(alias_table(weights)), exact, rtol=1e-5, atol=1e-7)


@given(st.integers(2, 400), st.integers(0, 1000))
@settings(max_examples=50, deadline=None)
def test_an_outcome_of_weight_zero_has_probability_exactly_zero(n: int, seed: int) -> None:
    weights = np.random.default_rng(seed).random(n) ** 8
    weights[1::2] = 0.0
    assert np.all(probabilities(alias_table(weights))[1::2] == 0.0)


def test_draws_follow_the_weights() -> None:
    weights = np.array([1.0, 2.0, 3.0, 4.0, 90.0])
    counts = np.bincount(draws_one_by_one(alias_table(weights), 7, 200_000), minlength=5)
    assert chisquare(counts, 200_000 * weights / weights.sum()).pvalue > 1e-3


def test_many_draws_at_once_are_the_same_draws() -> None:
    table = alias_table(np.arange(1, 1001))
    np.testing.assert_array_equal(draws_at_once(table, 3, 5_000), draws_one_by_one(table, 3, 5_000))


def test_noise_is_proportional_to_degree_to_the_three_quarters() -> None:
    degrees = np.array([1, 16, 81, 0])
    np.testing.assert_allclose(probabilities(noise_table(degrees)), np.array([1, 8, 27, 0]) / 36, rtol=1e-6)


@pytest.mark.parametrize("weights", [[], [0.0, 0.0], [1.0, -1.0], [1.0, float("nan")], [1.0, float("inf")]])
def test_weights_that_are_no_distribution_are_refused(weights: list[float]) -> None:
    with pytest.raises(ValueError, match="finite weights"):
        alias_table(weights)
