"""Repeats of one method as arrays of seeds x draws x splits, and their summaries."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluation.statistics.layers import TEST_TO_TRAIN, complete_block, deviation_per_layer, estimate_mean

CONFIDENCE_LEVEL = 0.95
LAYERS = ("seed", "draw", "split", "seed_by_draw", "residual")


@dataclass(frozen=True, eq=False)
class Repeats:
    """Values of one quantity, NaN where a repeat has none; `status` is ok, partial, or why there is no value at all."""

    values: NDArray[np.float64]
    seeds: NDArray[np.int64]
    draws: NDArray[np.int64]
    splits: NDArray[np.int64]
    status: str


@dataclass(frozen=True)
class Summary:
    """Mean, spread over all repeats, 95% interval of the mean, number of values; None where it does not exist."""

    mean: float | None
    sd: float | None
    ci_low: float | None
    ci_high: float | None
    n: int
    status: str
    shape: tuple[int, int, int]
    deviations: dict[str, float | None]


def collect(rows: pd.DataFrame, keys: Sequence[str], value: str) -> dict[tuple[Any, ...], Repeats]:
    """Arrays by the values of `keys`, in the order in which these first occur."""
    names = list(rows[list(keys)].drop_duplicates().itertuples(index=False, name=None))
    codes = rows.groupby(list(keys), sort=False).ngroup().to_numpy()
    statuses = rows["status"].to_numpy()
    usable = np.flatnonzero(statuses == "ok")
    usable = usable[np.argsort(codes[usable], kind="stable")]
    bounds = np.searchsorted(codes[usable], np.arange(len(names) + 1))
    layers = [rows[layer].to_numpy(np.int64)[usable] for layer in ("seed", "draw", "split")]
    numbers = rows[value].to_numpy(np.float64)[usable]
    failures = [Counter[str]() for _ in names]
    for position in np.flatnonzero(statuses != "ok"):
        failures[codes[position]][statuses[position]] += 1
    found = {}
    for code, name in enumerate(names):
        part = slice(bounds[code], bounds[code + 1])
        (seeds, s), (draws, d), (splits, k) = (np.unique(layer[part], return_inverse=True) for layer in layers)
        values = np.full((len(seeds), len(draws), len(splits)), np.nan)
        values[s, d, k] = numbers[part]
        found[name] = Repeats(values, seeds, draws, splits, status_of(failures[code], values))
    return found


def mean_repeats(parts: Sequence[Repeats]) -> Repeats:
    """The mean of several quantities, repeat by repeat, over the seeds, draws and splits that all of them have."""
    seeds, draws, splits = (
        reduce(np.intersect1d, [getattr(part, layer) for part in parts]) for layer in ("seeds", "draws", "splits")
    )
    rows = [
        [np.searchsorted(part.seeds, seeds), np.searchsorted(part.draws, draws), np.searchsorted(part.splits, splits)]
        for part in parts
    ]
    values = [part.values[np.ix_(*places)] for part, places in zip(parts, rows, strict=True)]  # noqa: PD011
    status = next((part.status for part in parts if part.status != "ok"), "ok")
    return Repeats(np.mean(values, axis=0), seeds, draws, splits, status)


def status_of(failures: Counter[str], values: NDArray[np.float64]) -> str:
    """ok if nothing is missing, partial if something is, else the most frequent reason for having nothing."""
    if values.size == 0:
        return failures.most_common(1)[0][0]
    return "partial" if failures or np.isnan(values).any() else "ok"


def summarize(repeats: Sequence[Repeats], test_to_train: float = TEST_TO_TRAIN) -> list[Summary]:
    """Summaries of many arrays at once: those of equal shape are stacked, since one by one would take minutes."""
    blocks = [complete_block(one.values) for one in repeats]
    summaries: list[Summary | None] = [None] * len(blocks)
    by_shape: dict[tuple[int, ...], list[int]] = {}
    for index, block in enumerate(blocks):
        by_shape.setdefault(block.shape, []).append(index)
    for shape, indices in by_shape.items():
        if 0 in shape:
            for index in indices:
                status = repeats[index].status
                # Values that share no complete block: too few to say anything about.
                status = "undefined" if status in ("ok", "partial") else status
                nothing = dict.fromkeys(LAYERS, None)
                summaries[index] = Summary(None, None, None, None, 0, status, (0, 0, 0), nothing)
            continue
        stacked = np.stack([blocks[index] for index in indices])
        estimate = estimate_mean(stacked, test_to_train)
        low, high = estimate.interval(CONFIDENCE_LEVEL)
        deviations = deviation_per_layer(stacked)
        count = stacked[0].size
        spread = stacked.std(axis=(1, 2, 3), ddof=1) if count > 1 else np.full(len(stacked), np.nan)
        for row, index in enumerate(indices):
            summaries[index] = Summary(
                float(estimate.mean[row]),
                number(spread[row]),
                number(low[row]),
                number(high[row]),
                count,
                repeats[index].status,
                (shape[0], shape[1], shape[2]),
                {layer: number(values[row]) for layer, values in deviations.items()},
            )
    return [summary for summary in summaries if summary is not None]


def largest_shape(shapes: Iterable[tuple[int, int, int]]) -> tuple[int, int, int]:
    """The most seeds, draws and splits that any of several summaries has."""
    seeds, draws, splits = (max(counts) for counts in zip(*shapes, strict=True))
    return seeds, draws, splits


def number(value: Any) -> float | None:
    """NaN is how arrays say that there is no number; tables say it with an empty cell."""
    return None if np.isnan(value) else float(value)
