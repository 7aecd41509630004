"""The board: compared methods by mean rank over networks, who ties with the best, and the verdict in one sentence.

One rule everywhere: methods are judged by the mean over Hadamard, Weighted-L1 and Weighted-L2; controls and variants
have numbers but neither ranks nor wins.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluation.report.run_folder import Method, RunFolder
from evaluation.report.tables.formats import Table, number_text, p_text, write_csv, write_table
from evaluation.report.tables.link_prediction import (
    SUMMARY,
    SUMMARY_WORDS,
    LinkPrediction,
    cell_text,
    column_label,
    count,
    means_of,
)
from evaluation.report.tables.significance import SIGNIFICANCE_LEVEL, estimates, matched, ranked_methods
from evaluation.statistics.comparison import holm
from evaluation.statistics.layers import Values
from evaluation.statistics.repeats import number
from harness.files import write_text

Cell = tuple[str, str, str, str]  # dataset, protocol, operator, metric
RANK_COLUMNS = [
    *("protocol", "operator", "metric", "method", "average_rank", "ties_with_best"),
    *("critical_difference", "friedman_p", "networks"),
]


@dataclass(frozen=True)
class Standing:
    """Under one protocol, operator and metric: ranked methods with their mean ranks, the best first, and who ties."""

    protocol: str
    ranked: list[Method]
    ranks: dict[str, float]
    tied: set[str]
    left_out: list[Method]
    n_networks: int
    critical_difference: float | None
    friedman_p: float | None

    @property
    def leaders(self) -> list[Method]:
        return [method for method in self.ranked if self.ranks[method.name] == self.ranks[self.ranked[0].name]]


def ties_with_best(run: RunFolder, results: LinkPrediction) -> dict[Cell, set[str]]:
    """Per cell the best compared method and those that a paired test with Holm's correction does not tell from it.

    A method that could not be tested (a single value each) does not count as a tie.
    """
    compared = [method.name for method in run.evaluated_methods if method.is_compared]
    cells: dict[Cell, set[str]] = {}
    families: list[tuple[Cell, list[str]]] = []
    found: list[tuple[Values, Values]] = []
    wanted = dict.fromkeys((key.dataset, key.protocol, key.metric) for key in results.summaries if key.subset == "all")
    for dataset, protocol, metric in wanted:
        for operator in (SUMMARY, *results.operators(dataset, protocol)):
            keys = {name: results.key(dataset, protocol, operator, metric, name) for name in compared}
            known = {
                name: (key, mean)
                for name, key in keys.items()
                if key is not None and (mean := results.summaries[key].mean) is not None
            }
            if not known:
                continue
            best = max(known, key=lambda name: known[name][1])
            cell = (dataset, protocol, operator, metric)
            cells[cell] = {best}
            others = []
            for name, (key, _) in known.items():
                pair = None if name == best else matched(results.repeats[known[best][0]], results.repeats[key])
                if pair is not None:
                    others.append(name)
                    found.append(pair)
            families.append((cell, others))
    p_values = estimates(found)[:, 3]
    start = 0
    for cell, others in families:
        adjusted = holm(p_values[start : start + len(others)])
        cells[cell] |= {name for name, p in zip(others, adjusted, strict=True) if p > SIGNIFICANCE_LEVEL}
        start += len(others)
    return cells


def standing(
    run: RunFolder,
    results: LinkPrediction,
    ties: dict[Cell, set[str]],
    protocol: str,
    operator: str = SUMMARY,
    metric: str = "auc",
) -> Standing | None:
    """Over several networks methods tie within the critical difference of ranks, on a single one by paired tests."""
    found = ranked_methods(run, results, protocol, metric, operator)
    if found is None:
        return None
    average = {method.name: float(rank) for method, rank in zip(found.methods, found.ranks.average, strict=True)}
    critical, friedman = None, None
    if found.ranks.n_networks > 1:
        critical, friedman = found.ranks.critical_difference, number(found.ranks.friedman_p)
        reach = min(average.values()) + found.ranks.critical_difference
        tied = {name for name, rank in average.items() if rank <= reach}
    else:
        tied = set().union(*(names for cell, names in ties.items() if cell[1:] == (protocol, operator, metric))) & set(
            average
        )
    ranked = sorted(found.methods, key=lambda method: average[method.name])
    return Standing(protocol, ranked, average, tied, found.left_out, found.ranks.n_networks, critical, friedman)


def write_ranks(folder: Path, run: RunFolder, results: LinkPrediction, ties: dict[Cell, set[str]]) -> None:
    """ranks.csv: every protocol, operator and metric; the critical difference needs more than one network."""
    rows = []
    for protocol, operator, metric in dict.fromkeys(cell[1:] for cell in ties):
        found = standing(run, results, ties, protocol, operator, metric)
        if found is not None:
            facts = [number_text(found.critical_difference, 4), p_text(found.friedman_p), str(found.n_networks)]
            for method in found.ranked:
                tied = "yes" if method.name in found.tied else "no"
                rank = number_text(found.ranks[method.name], 4)
                rows.append([protocol, operator, metric, method.name, rank, tied, *facts])
    if rows:
        write_csv(folder / "ranks.csv", RANK_COLUMNS, rows)


def write_board(folder: Path, run: RunFolder, results: LinkPrediction, ties: dict[Cell, set[str]]) -> None:
    """tables/board and verdict.txt, by AUC under the headline protocol and the strict one."""
    standings = [one for protocol in run.shown_protocols if (one := standing(run, results, ties, protocol)) is not None]
    if not standings:
        return
    write_text(folder / "verdict.txt", verdict(run, standings) + "\n")
    write_table(folder, board_table(run, results, ties, standings))


def board_table(
    run: RunFolder, results: LinkPrediction, ties: dict[Cell, set[str]], standings: list[Standing]
) -> Table:
    """Methods in rows, the compared ones by rank; ranks and numbers under both protocols side by side."""
    evaluated = {key.method for key in results.summaries}
    methods = [method for method in run.evaluated_methods if method.name in evaluated]
    first = standings[0].ranks
    methods.sort(key=lambda method: (not method.is_compared, first.get(method.name, np.inf)))
    protocols = [one.protocol for one in standings]
    header = ["Method", *(f"Mean rank, {spoken(protocol)}" for protocol in protocols)]
    header += [f"{dataset.label}, {spoken(protocol)}" for dataset in run.datasets for protocol in protocols]
    rows: list[list[str]] = []
    bold = set()
    shapes = set()
    for method in methods:
        row = [column_label(method)]
        for one in standings:
            rank = one.ranks.get(method.name)
            row.append("" if rank is None else number_text(rank, 2))
        for dataset in run.datasets:
            for protocol in protocols:
                key = results.key(dataset.name, protocol, SUMMARY, "auc", method.name)
                summary = None if key is None else results.summaries[key]
                shapes |= {summary.shape} if summary is not None and summary.n else set()
                if method.name in ties.get((dataset.name, protocol, SUMMARY, "auc"), ()):
                    bold.add((len(rows), len(row)))
                row.append(cell_text(summary))
        rows.append(row)
    behind = means_of(shapes) if shapes else "no repeats"
    caption = (
        f"AUC, {SUMMARY_WORDS}; sorted by the mean rank over networks under {spoken(protocols[0])}; {behind}. "
        f"Bold: the best of the column and methods that a paired test does not tell from it at "
        f"{SIGNIFICANCE_LEVEL:g} (corrected resampled t-test, Holm). † controls and variants: no rank, never bold."
    )
    return Table("board", header, rows, caption, bold=frozenset(bold))


def verdict(run: RunFolder, standings: list[Standing]) -> str:
    """Who leads under each protocol, and from whom the statistics cannot tell the leader."""
    parts = []
    for one in standings:
        leaders = [method.label for method in one.leaders]
        others = [method.label for method in one.ranked if method.name in one.tied and method not in one.leaders]
        verb = "leads" if len(leaders) == 1 else "share the lead"
        tie = f"not separable from {listed(others)}" if others else "ahead of all others"
        if len(others) > 1 and len(others) + len(leaders) == len(one.ranked):
            tie = "not separable from any other"
        if len(leaders) == len(one.ranked):
            tie = "no other method is ranked"
        parts.append(f"{listed(leaders)} {verb} under {spoken(one.protocol)}, {tie}")
    networks, seeds = standings[0].n_networks, len(run.seeds)
    return f"{'; '.join(parts)} ({count(networks, 'network')}, {count(seeds, 'seed')})."


def spoken(protocol: str) -> str:
    """The protocol in words for a heading."""
    return "the paper's protocol" if protocol == "paper" else protocol.replace("_", "-")


def listed(names: list[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
