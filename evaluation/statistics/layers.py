"""Repeats on several layers: how much each layer varies, and a confidence interval of the mean that respects them.

Repeats are an array of seeds x draws x splits. Training seeds are crossed with draws of examples (every seed is judged
on the same draws); the classifier splits belong to their draw and are the same for every seed. The model is

    y_sdk = mean + seed_s + draw_d + split_k(d) + (seed x draw)_sd + residual_sdk

with independent effects, and its variance components follow from equating mean squares with their expectations.
Ten splits of one embedding are not ten runs: what is averaged over splits shares one seed and one set of examples.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

Values = NDArray[np.float64]

# Test examples per training example in a classifier split (section V-E of the paper: half and half).
TEST_TO_TRAIN = 1.0


@dataclass(frozen=True)
class MeanSquares:
    """Mean squares of the layers (arrays over whatever was stacked in front) with their degrees of freedom."""

    seed: Values
    draw: Values
    split: Values
    seed_by_draw: Values
    residual: Values
    shape: tuple[int, int, int]

    @property
    def degrees(self) -> dict[str, int]:
        seeds, draws, splits = self.shape
        return {
            "seed": seeds - 1,
            "draw": draws - 1,
            "split": draws * (splits - 1),
            "seed_by_draw": (seeds - 1) * (draws - 1),
            "residual": (seeds - 1) * draws * (splits - 1),
        }


@dataclass(frozen=True)
class MeanEstimate:
    """A mean with the variance that each layer adds to it, and that layer's degrees of freedom.

    The critical value is the mean of the layers' Student quantiles, weighted with their variances (Cochran and Cox,
    1957). Satterthwaite's degrees of freedom would be too many where a layer has two or three repeats: a layer that
    happens to vary little is then trusted. (10 seeds and 2 draws rejected 9.6% instead of 5% in a simulation, against
    3.7% with these weights.)
    """

    mean: Values
    variances: dict[str, Values]
    degrees: dict[str, int]

    @property
    def standard_error(self) -> Values:
        """NaN where nothing was repeated, 0 where nothing varied."""
        if not self.variances:
            return np.full_like(self.mean, np.nan)
        return np.sqrt(np.asarray(sum(self.variances.values())))

    def critical_value(self, p_value: Values) -> Values:
        """How many standard errors the mean is away from a value that a two-sided test rejects at this level."""
        total = np.asarray(sum(self.variances.values()))
        weighted = sum(
            variance * stats.t.isf(p_value / 2, self.degrees[layer]) for layer, variance in self.variances.items()
        )
        with np.errstate(invalid="ignore"):
            return np.where(total == 0, 0.0, weighted / total)

    def interval(self, level: float = 0.95) -> tuple[Values, Values]:
        """NaN where nothing was repeated, of zero width where nothing varied."""
        if not self.variances:
            return self.standard_error, self.standard_error
        reach = self.critical_value(np.asarray(1 - level)) * self.standard_error
        return self.mean - reach, self.mean + reach

    def p_value(self) -> Values:
        """Two-sided, that the true mean is 0, by bisection; 1e-16 stands for anything smaller.

        Without variation it is 1 if the mean is 0, and NaN if it is not: nothing says how surprising that is.
        """
        if not self.variances:
            return self.standard_error
        with np.errstate(divide="ignore", invalid="ignore"):
            distance = np.abs(self.mean) / self.standard_error
        low, high = np.full_like(self.mean, -16.0), np.zeros_like(self.mean)  # exponents of ten
        for _ in range(50):
            middle = (low + high) / 2
            rejected = distance > self.critical_value(10**middle)
            low, high = np.where(rejected, low, middle), np.where(rejected, middle, high)
        # Differences that are equal but for the rounding of their subtraction do not vary.
        constant = self.standard_error <= 1e-12 * np.abs(self.mean)
        return np.where(constant, np.where(self.mean == 0, 1.0, np.nan), 10**high)


def mean_squares(values: Values) -> MeanSquares:
    """Mean squares of a complete array (..., seeds, draws, splits); 0 for a layer without a repeat."""
    seeds, draws, splits = values.shape[-3:]
    grand = values.mean(axis=(-3, -2, -1), keepdims=True)
    by_seed = values.mean(axis=(-2, -1), keepdims=True)
    by_draw = values.mean(axis=(-3, -1), keepdims=True)
    by_cell = values.mean(axis=-1, keepdims=True)
    by_split = values.mean(axis=-3, keepdims=True)

    def mean_square(deviations: Values, copies: int, degrees: int) -> Values:
        squares: Values = copies * np.sum(deviations**2, axis=(-3, -2, -1))
        return squares / degrees if degrees > 0 else np.zeros_like(squares)

    return MeanSquares(
        seed=mean_square(by_seed - grand, draws * splits, seeds - 1),
        draw=mean_square(by_draw - grand, seeds * splits, draws - 1),
        split=mean_square(by_split - by_draw, seeds, draws * (splits - 1)),
        seed_by_draw=mean_square(by_cell - by_seed - by_draw + grand, splits, (seeds - 1) * (draws - 1)),
        residual=mean_square(values - by_cell - by_split + by_draw, 1, (seeds - 1) * draws * (splits - 1)),
        shape=(seeds, draws, splits),
    )


def deviation_per_layer(values: Values) -> dict[str, Values]:
    """Standard deviation of each layer's effect; NaN where it cannot be told from the others, 0 where none shows.

    Expected mean squares with r, ab, c, b, a for the variances of residual, seed x draw, split, draw, seed:
    residual r; seed x draw r + K ab; split r + S c; draw r + K ab + S c + S K b; seed r + K ab + D K a,
    where there are S seeds, D draws and K splits. Without a repeat of one layer, what it adds to another's mean square
    cannot be separated: with one seed, the draws' deviation holds the interaction too, and so on.
    """
    squares = mean_squares(values)
    seeds, draws, splits = squares.shape
    absent = np.full_like(squares.seed, np.nan)
    without_seed = squares.seed_by_draw if draws > 1 else squares.residual

    def deviation(excess: Values, copies: int, known: bool) -> Values:
        return np.sqrt(np.maximum(excess, 0) / copies) if known else absent

    return {
        "seed": deviation(squares.seed - without_seed, draws * splits, seeds > 1),
        "draw": deviation(
            squares.draw - squares.split - squares.seed_by_draw + squares.residual, seeds * splits, draws > 1
        ),
        "split": deviation(squares.split - squares.residual, seeds, splits > 1),
        "seed_by_draw": deviation(squares.seed_by_draw - squares.residual, splits, seeds > 1 and draws > 1),
        "residual": deviation(squares.residual, 1, seeds > 1 and splits > 1),
    }


def estimate_mean(values: Values, test_to_train: float = TEST_TO_TRAIN) -> MeanEstimate:
    """The mean of a complete array (..., seeds, draws, splits) and how far each layer lets it stray.

    The variance of the mean is MS_seed / N + MS_draw / N + test_to_train * MS_split / S for N values: seeds and draws
    are independent units, splits are not. A split reuses the examples of all others, so its variance does not shrink
    with their number; Nadeau and Bengio (2003) put the share that stays at n_test / n_train. With one seed and one
    draw the formula is theirs: (1/K + n_test/n_train) times the variance over K splits. MS_draw holds the splits'
    own 1/K part when there are several draws. With one split per draw the draws take the splits' place, since they
    share their positives. `test_to_train` is 0 for draws that share nothing. Leaving out the usual - MS_seed_by_draw
    errs on the safe side and keeps every term positive.
    """
    squares = mean_squares(values)
    seeds, draws, splits = squares.shape
    count = seeds * draws * splits
    shared = test_to_train / seeds
    variances = {
        "seed": squares.seed / count,
        "draw": squares.draw * (1 / count + (shared if splits == 1 else 0)),
        "split": squares.split * (shared + (1 / count if draws == 1 else 0)),
    }
    repeated = {layer: variance for layer, variance in variances.items() if squares.degrees[layer] > 0}
    return MeanEstimate(np.asarray(values.mean(axis=(-3, -2, -1))), repeated, squares.degrees)


def covered_layers(shape: tuple[int, ...]) -> str:
    """What an interval from this many seeds, draws and splits speaks about, in words for a caption."""
    names = [name for name, count in zip(("training seeds", "draws", "splits"), shape, strict=True) if count > 1]
    if not names:
        return "a single value: no interval"
    text = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    return text if shape[0] > 1 else f"{text} of one fit, not what another training seed would give"


def complete_block(values: Values) -> Values:
    """A part of a (seeds, draws, splits) array with NaN for missing values that is complete.

    As long as a value is missing, the seed, draw or split goes of which the largest share is missing: first of all the
    seed of a failed fit, which misses everything.
    """
    while np.isnan(values).any():
        missing = [np.isnan(values).mean(axis=others) for others in ((1, 2), (0, 2), (0, 1))]
        layer = int(np.argmax([shares.max() for shares in missing]))
        values = np.delete(values, int(np.argmax(missing[layer])), axis=layer)
    return values
