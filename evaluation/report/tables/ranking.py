"""Ranking in tables: MRR of one positive against its stored negatives, by network and operator."""

from pathlib import Path
from typing import NamedTuple

from evaluation.report.run_folder import Method, RunFolder
from evaluation.report.tables.formats import Table, number_text, write_csv, write_table
from evaluation.report.tables.link_prediction import (
    OPERATOR_LABELS,
    PAIR_SCORE,
    best_columns,
    cell_text,
    column_label,
    count,
)
from evaluation.statistics.repeats import Repeats, Summary, collect, largest_shape, summarize

COLUMNS = [
    *("dataset", "operator", "queries", "metric", "method"),
    *("mean", "sd", "ci_low", "ci_high", "n", "status"),
]


class Key(NamedTuple):
    dataset: str
    operator: str
    queries: str
    metric: str
    method: str


def write_ranking(folder: Path, run: RunFolder) -> None:
    """ranking.csv with everything; Markdown and LaTeX with the MRR over all queries."""
    summaries = read_ranking(run)
    if not summaries:
        return
    rows = [
        [
            *key,
            *(number_text(value) for value in (summary.mean, summary.sd, summary.ci_low, summary.ci_high)),
            *(str(summary.n), summary.status),
        ]
        for key, summary in summaries.items()
    ]
    write_csv(folder / "ranking.csv", COLUMNS, rows)
    write_table(folder, wide_table(run, summaries), formats=["md", "tex"])


def read_ranking(run: RunFolder) -> dict[Key, Summary]:
    repeats: dict[Key, Repeats] = {}
    for dataset in run.datasets:
        for method in run.evaluated_methods:
            rows = run.ranking(dataset.name, method.name)
            if rows is not None:
                for (operator, subset, metric), values in collect(
                    rows, ["operator", "subset", "metric"], "value"
                ).items():
                    repeats[Key(dataset.name, operator, subset, metric, method.name)] = values
    # Draws share no training: nothing connects them as it does classifier splits.
    return dict(zip(repeats, summarize(list(repeats.values()), test_to_train=0.0), strict=True))


def wide_table(run: RunFolder, summaries: dict[Key, Summary]) -> Table:
    methods = [method for method in run.evaluated_methods if any(key.method == method.name for key in summaries)]
    rows: list[list[str]] = []
    bold = set()
    for dataset in run.datasets:
        present = {key.operator for key in summaries if key.dataset == dataset.name}
        for operator in [name for name in OPERATOR_LABELS if name in present] or sorted(present):
            cells: dict[Method, Summary] = {}
            for method in methods:
                for name in (operator, PAIR_SCORE):
                    if found := summaries.get(Key(dataset.name, name, "all", "mrr", method.name)):
                        cells[method] = found
                        break
            bold |= {(len(rows), 2 + column) for column in best_columns(methods, cells)}
            label = OPERATOR_LABELS.get(operator, "Pair score")
            rows.append([dataset.label, label, *(cell_text(cells.get(method)) for method in methods)])
    header = ["Network", "Operator", *(column_label(method) for method in methods)]
    return Table("ranking", header, rows, caption(run, summaries, methods), labels=2, bold=frozenset(bold))


def caption(run: RunFolder, summaries: dict[Key, Summary], methods: list[Method]) -> str:
    sizes = run.section("ranking")
    seeds, draws, _ = largest_shape(summary.shape for summary in summaries.values())
    sentences = [
        f"Mean reciprocal rank of a held-out contact among it and up to {sizes['negatives']} stored negatives with the "
        f"same source, up to half of them partners from training; up to {sizes['queries']:,} queries a network, means "
        f"of up to {count(seeds, 'training seed')} x {count(draws, 'draw')}. Hits@10, and queries whose pair training "
        "saw (repeated) or did not (new), are in ranking.csv.",
        "Bold: the best compared method of the row.",
    ]
    if any(not method.is_compared for method in methods):
        sentences.append("† controls and variants, shown for reference, never bold.")
    if any(key.operator == PAIR_SCORE for key in summaries):
        sentences.append("A method that scores pairs uses no operator: its numbers are the same in every row.")
    return " ".join(sentences)
