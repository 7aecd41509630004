"""Which differences between methods hold up: paired tests per cell, and average ranks over networks."""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from evaluation.report.run_folder import Method, RunFolder
from evaluation.report.tables.formats import Table, number_text, p_text, write_csv, write_table
from evaluation.report.tables.link_prediction import SUMMARY, SUMMARY_WORDS, LinkPrediction, is_us
from evaluation.statistics.comparison import Ranks, compare, holm, rank_methods
from evaluation.statistics.layers import Values, complete_block, covered_layers
from evaluation.statistics.repeats import Repeats, number

SIGNIFICANCE_LEVEL = 0.05
COLUMNS = [
    *("dataset", "protocol", "operator", "metric", "first", "second", "difference", "ci_low", "ci_high"),
    *("p_value", "p_holm", "seeds", "draws", "splits", "covers"),
]


class Pairing(NamedTuple):
    """Two methods in one cell of the results, and what a test of their difference speaks about."""

    dataset: str
    protocol: str
    operator: str
    metric: str
    first: Method
    second: Method
    covers: str


@dataclass(frozen=True)
class Difference:
    """First minus second method; p-values are None where the repeats allow none."""

    pairing: Pairing
    mean: float
    ci_low: float | None
    ci_high: float | None
    p_value: float | None
    p_holm: float | None
    shape: tuple[int, ...]


def pairings(run: RunFolder, results: LinkPrediction) -> Iterator[tuple[Pairing, Values, Values]]:
    """The proposed method against every other one, or all pairs where none is proposed, with their matched values."""
    us = [method for method in run.evaluated_methods if is_us(method)]
    if us:
        pairs = [(first, second) for first in us for second in run.evaluated_methods if second not in us]
    else:
        pairs = list(itertools.combinations(run.evaluated_methods, 2))
    cells = dict.fromkeys((key.dataset, key.protocol, key.metric) for key in results.summaries if key.subset == "all")
    for dataset, protocol, metric in cells:
        for operator in (SUMMARY, *results.operators(dataset, protocol)):
            for first, second in pairs:
                keys = [results.key(dataset, protocol, operator, metric, method.name) for method in (first, second)]
                if keys[0] is None or keys[1] is None:
                    continue
                repeats = results.repeats[keys[0]], results.repeats[keys[1]]
                values = matched(*repeats)
                if values is not None:
                    covers = covered_layers(values[0].shape)
                    if values[0].shape[1:] == (1, 1):
                        covers = "nothing: neither draws nor splits were repeated"
                    single = [m.label for m, r in zip((first, second), repeats, strict=True) if len(r.seeds) == 1]
                    if single and values[0].shape[0] > 1:
                        covers += f" (a single one of {single[0]})"
                    yield Pairing(dataset, protocol, operator, metric, first, second, covers), *values


def matched(first: Repeats, second: Repeats) -> tuple[Values, Values] | None:
    """Values on the draws and splits that both have, first seed against first seed; None if they share nothing.

    Seeds of two methods have nothing to do with each other, so any matching is as good; a method with one seed keeps
    it and is set against all of the other's.
    """
    _, *draws = np.intersect1d(first.draws, second.draws, return_indices=True)
    _, *splits = np.intersect1d(first.splits, second.splits, return_indices=True)
    counts = len(first.seeds), len(second.seeds)
    seeds = [np.arange(count if min(counts) == 1 else min(counts)) for count in counts]
    left, right = np.broadcast_arrays(
        *(repeats.values[np.ix_(seeds[i], draws[i], splits[i])] for i, repeats in enumerate((first, second)))
    )
    difference = complete_block(left - right)
    if difference.size == 0:
        return None
    # Where repeats are missing, only the differences that exist can be kept as a block.
    return (left, right) if difference.shape == left.shape else (difference, np.zeros_like(difference))


def differences(run: RunFolder, results: LinkPrediction) -> list[Difference]:
    """All comparisons. Holm's correction runs over the methods within one network, protocol, operator and metric."""
    found = list(pairings(run, results))
    numbers = estimates([(first, second) for _, first, second in found])
    families: dict[tuple[str, ...], list[int]] = {}
    for index, (pairing, _, _) in enumerate(found):
        families.setdefault(pairing[:4], []).append(index)
    adjusted = np.empty(len(found))
    for indices in families.values():
        adjusted[indices] = holm(numbers[indices, 3])
    return [
        Difference(pairing, float(mean), number(low), number(high), number(p_value), number(p_holm), first.shape)
        for (pairing, first, _), (mean, low, high, p_value), p_holm in zip(found, numbers, adjusted, strict=True)
    ]


def estimates(pairs: Sequence[tuple[Values, Values]]) -> Values:
    """Mean difference, the ends of its interval and the p-value for each pair of matched values."""
    by_shape: dict[tuple[int, ...], list[int]] = {}
    for index, (first, _) in enumerate(pairs):
        by_shape.setdefault(first.shape, []).append(index)
    numbers = np.empty((len(pairs), 4))
    for shape, indices in by_shape.items():
        # Together, since the p-value is found by bisection and one by one would take minutes.
        estimate = compare(np.stack([pairs[i][0] for i in indices]), np.stack([pairs[i][1] for i in indices]))
        numbers[indices] = np.stack(
            [estimate.mean, *estimate.interval(1 - SIGNIFICANCE_LEVEL), estimate.p_value()], axis=1
        )
        if shape[1:] == (1, 1):
            # Seeds alone do not show how far another choice of examples would move both methods: with five seeds, two
            # copies of one method would differ "significantly" in 40% of all cases.
            numbers[indices, 1:] = np.nan
    return numbers


def write_significance(folder: Path, run: RunFolder, results: LinkPrediction) -> None:
    found = differences(run, results)
    if not found:
        return
    rows = [
        [
            *(*item.pairing[:4], item.pairing.first.name, item.pairing.second.name),
            *(number_text(value) for value in (item.mean, item.ci_low, item.ci_high)),
            *(p_text(item.p_value), p_text(item.p_holm), *map(str, item.shape), item.pairing.covers),
        ]
        for item in found
    ]
    write_csv(folder / "significance.csv", COLUMNS, rows)
    write_table(folder, overview(run, found), formats=["md"])


def overview(run: RunFolder, found: list[Difference]) -> Table:
    """Differences in the summary: one row per network and protocol, one column per other method."""
    cells = {
        (pairing.dataset, pairing.protocol, pairing.first, pairing.second): item
        for item in found
        if (pairing := item.pairing).protocol in run.shown_protocols
        and (pairing.operator, pairing.metric) == (SUMMARY, "auc")
    }
    labels = {dataset.name: dataset.label for dataset in run.datasets}
    seconds = list(dict.fromkeys(second for *_, second in cells))
    rows: list[list[str]] = []
    bold = set()
    for dataset, protocol, first in dict.fromkeys(key[:3] for key in cells):
        texts = []
        for column, second in enumerate(seconds):
            item = cells.get((dataset, protocol, first, second))
            texts.append("" if item is None else f"{item.mean:+.4f}")
            if item is not None and item.p_holm is not None and item.p_holm <= SIGNIFICANCE_LEVEL:
                bold.add((len(rows), 3 + column))
        rows.append([labels[dataset], protocol.replace("_", " "), first.label, *texts])
    covers = "; ".join(dict.fromkeys(item.pairing.covers for item in cells.values()))
    caption = (
        f"Difference in AUC ({SUMMARY_WORDS}): the method of the row minus that of the "
        f"column. Bold: significant at {SIGNIFICANCE_LEVEL:g} by the corrected resampled t-test (Nadeau and Bengio "
        f"2003) with Holm's correction over the methods. The tests cover {covers}. "
        "All operators, metrics and protocols, with intervals and p-values: significance.csv."
    )
    header = ["Network", "Protocol", "Method", *(second.label for second in seconds)]
    return Table("significance", header, rows, caption, labels=3, bold=frozenset(bold))


@dataclass(frozen=True)
class RankedMethods:
    """Methods with a score on every network, their ranks, and the ones left out because a score is missing."""

    methods: list[Method]
    ranks: Ranks
    left_out: list[Method]


def ranked_methods(
    run: RunFolder, results: LinkPrediction, protocol: str, metric: str, operator: str = SUMMARY
) -> RankedMethods | None:
    """Ranks of the compared methods over networks; None without two of them that have a number on every network."""
    candidates = [method for method in run.evaluated_methods if method.is_compared]
    scores: dict[Method, dict[str, float]] = {}
    for method in candidates:
        for network in (dataset.name for dataset in run.datasets):
            key = results.key(network, protocol, operator, metric, method.name)
            mean = None if key is None else results.summaries[key].mean
            if mean is not None:
                scores.setdefault(method, {})[network] = mean
    # A network that gives nobody a number (no examples of both classes) says nothing about anybody.
    networks = {network for of_method in scores.values() for network in of_method}
    ranked = [method for method, of_method in scores.items() if len(of_method) == len(networks)]
    if len(ranked) < 2:
        return None
    ranks = rank_methods(np.array([list(scores[method].values()) for method in ranked]).T, SIGNIFICANCE_LEVEL)
    return RankedMethods(ranked, ranks, [method for method in candidates if method not in ranked])
