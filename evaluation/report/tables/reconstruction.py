"""Network reconstruction in tables: Precision@P with the ceiling that no method can pass."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from evaluation.report.run_folder import Method, RunFolder
from evaluation.report.tables.formats import Table, number_text, write_csv, write_table
from evaluation.report.tables.link_prediction import best_columns, cell_text, column_label, count
from evaluation.statistics.repeats import Repeats, Summary, collect, summarize

COLUMNS = [
    *("dataset", "similarity", "pairs", "method", "mean", "sd", "ci_low", "ci_high", "n"),
    *("ceiling", "edges_in_sample", "status"),
]


class Key(NamedTuple):
    dataset: str
    similarity: str
    pairs: int
    method: str


@dataclass(frozen=True)
class Reconstruction:
    """Summaries of a run; per network and P the ceiling, and per network the edges in a sample, as means over draws."""

    summaries: Mapping[Key, Summary]
    ceilings: Mapping[tuple[str, int], float]
    edges_in_sample: Mapping[str, float]


def read_reconstruction(run: RunFolder) -> Reconstruction:
    repeats: dict[Key, Repeats] = {}
    ceilings: dict[tuple[str, int], float] = {}
    edges: dict[str, float] = {}
    for dataset in run.datasets:
        found: dict[Key, Repeats] = {}
        for method in run.evaluated_methods:
            rows = run.reconstruction(dataset.name, method.name)
            if rows is None:
                continue
            of_method = collect(rows.assign(split=1), ["similarity", "pairs"], "precision")
            found |= {
                Key(dataset.name, similarity, pairs, method.name): values
                for (similarity, pairs), values in of_method.items()
            }
            draws = rows.drop_duplicates(["draw", "pairs"])
            for pairs, ceiling in draws.groupby("pairs")["ceiling"].mean().items():
                ceilings.setdefault((dataset.name, int(str(pairs))), float(ceiling))
            edges.setdefault(dataset.name, float(draws.drop_duplicates("draw")["edges_in_sample"].mean()))
        places = {key[:-1]: place for place, key in reversed(list(enumerate(found)))}
        repeats |= dict(sorted(found.items(), key=lambda item: places[item[0][:-1]]))
    # Draws of nodes are independent of each other: nothing is shared as between classifier splits.
    summaries = dict(zip(repeats, summarize(list(repeats.values()), test_to_train=0.0), strict=True))
    return Reconstruction(summaries, ceilings, edges)


def write_reconstruction(folder: Path, run: RunFolder, results: Reconstruction) -> None:
    """reconstruction.csv with everything; Markdown and LaTeX with the dot product at powers of ten, as the paper's."""
    if not results.summaries:
        return
    rows = [
        [
            *(key.dataset, key.similarity, str(key.pairs), key.method),
            *(number_text(value) for value in (summary.mean, summary.sd, summary.ci_low, summary.ci_high)),
            str(summary.n),
            number_text(results.ceilings[key.dataset, key.pairs]),
            number_text(results.edges_in_sample[key.dataset], 1),
            summary.status,
        ]
        for key, summary in results.summaries.items()
    ]
    write_csv(folder / "reconstruction.csv", COLUMNS, rows)
    write_table(folder, wide_table(run, results), formats=["md", "tex"])


def wide_table(run: RunFolder, results: Reconstruction) -> Table:
    methods = [
        method for method in run.evaluated_methods if any(key.method == method.name for key in results.summaries)
    ]
    labels = {dataset.name: dataset.label for dataset in run.datasets}
    rows: list[list[str]] = []
    bold = set()
    for dataset, pairs in results.ceilings:
        if not is_power_of_ten(pairs):
            continue
        cells: dict[Method, Summary] = {}
        for method in methods:
            key = Key(dataset, "dot", pairs, method.name)
            if key in results.summaries:
                cells[method] = results.summaries[key]
        bold |= {(len(rows), 2 + column) for column in best_columns(methods, cells)}
        texts = [cell_text(cells.get(method)) for method in methods]
        rows.append([labels[dataset], f"{pairs:,}", *texts, number_text(results.ceilings[dataset, pairs], 4)])
    seeds, draws, _ = max(summary.shape for summary in results.summaries.values())
    caption = (
        f"Precision@P of the P most similar pairs by dot product among sampled nodes: means of up to "
        f"{count(seeds, 'training seed')} x {count(draws, 'draw')} of nodes. The ceiling is what a perfect ranking "
        "reaches, min(1, edges in the sample / P). Bold: the best compared method of the row."
    )
    if any(not method.is_compared for method in methods):
        caption += " † controls and variants, shown for reference, never bold."
    header = ["Network", "P", *(column_label(method) for method in methods), "Ceiling"]
    return Table("reconstruction", header, rows, caption, labels=2, bold=frozenset(bold))


def is_power_of_ten(number: int) -> bool:
    return str(number).strip("0") == "1"
