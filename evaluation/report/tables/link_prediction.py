"""Link prediction in tables: everything in long form, and one table per network laid out as the paper's."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

from evaluation.report.run_folder import Dataset, Method, RunFolder
from evaluation.report.tables.formats import Table, number_text, write_csv, write_table
from evaluation.statistics.layers import covered_layers
from evaluation.statistics.repeats import LAYERS, Repeats, Summary, collect, largest_shape, mean_repeats, summarize

OPERATOR_LABELS = {
    "mean": "Mean",
    "hadamard": "Hadamard",
    "weighted_l1": "Weighted-L1",
    "weighted_l2": "Weighted-L2",
}
PAIR_SCORE = "score"  # what stands for an operator where a method scores pairs without an embedding
# The one number by which methods are compared. The operator Mean is left out: it tells how active two nodes are, not
# whether they belong together.
SUMMARY = "summary"
SUMMARIZED = ("hadamard", "weighted_l1", "weighted_l2")
SUMMARY_WORDS = "mean over Hadamard, Weighted-L1 and Weighted-L2"
PAPER_METRICS = {"auc": "AUC", "f1": "F1", "precision": "Precision", "recall": "Recall"}
LONG_COLUMNS = ["dataset", "protocol", "operator", "metric", "method", "mean", "sd", "ci_low", "ci_high", "n", "status"]


class Key(NamedTuple):
    """What one number is about; the order of the fields is the order of columns in the long table."""

    dataset: str
    protocol: str
    operator: str
    subset: str
    metric: str
    method: str


@dataclass(frozen=True)
class LinkPrediction:
    """Repeats and summaries of a whole run."""

    repeats: Mapping[Key, Repeats]
    summaries: Mapping[Key, Summary]
    differences: Mapping[Key, float]  # to LIBLINEAR, the largest of the repeats that it was fitted for as well

    def key(self, dataset: str, protocol: str, operator: str, metric: str, method: str) -> Key | None:
        """The cell of a method under an operator; a method that scores pairs has the same one under all of them."""
        for name in (operator, PAIR_SCORE):
            key = Key(dataset, protocol, name, "all", metric, method)
            if key in self.summaries:
                return key
        return None

    @cached_property
    def present_operators(self) -> dict[tuple[str, str], set[str]]:
        present: dict[tuple[str, str], set[str]] = {}
        for key in self.summaries:
            present.setdefault((key.dataset, key.protocol), set()).add(key.operator)
        return present

    def operators(self, dataset: str, protocol: str) -> list[str]:
        """The paper's operators that were run, or the score of pairs if no method has an embedding."""
        present = self.present_operators.get((dataset, protocol), set())
        return [name for name in OPERATOR_LABELS if name in present] or ([PAIR_SCORE] if present else [])


def read_link_prediction(run: RunFolder) -> LinkPrediction:
    """Aggregate every raw file of the run, in the order of run.json."""
    repeats: dict[Key, Repeats] = {}
    differences: dict[Key, float] = {}
    for dataset in run.datasets:
        found: dict[Key, Repeats] = {}
        for method in run.methods:
            rows = run.link_prediction(dataset.name, method.name)
            if rows is not None:
                of_method = collect(rows, ["protocol", "operator", "subset", "metric"], "value")
                differences |= differences_to_liblinear(rows, dataset.name, method.name)
                found |= {
                    Key(dataset.name, protocol, operator, subset, metric, method.name): values
                    for (protocol, operator, subset, metric), values in of_method.items()
                }
                found |= summaries_over_operators(dataset.name, method.name, of_method)
        # Methods side by side: the order of protocols, operators and metrics is that of the first method that has them.
        places = {key[:-1]: place for place, key in reversed(list(enumerate(found)))}
        repeats |= dict(sorted(found.items(), key=lambda item: places[item[0][:-1]]))
    summaries = dict(zip(repeats, summarize(list(repeats.values())), strict=True))
    return LinkPrediction(repeats, summaries, differences)


def differences_to_liblinear(rows: pd.DataFrame, dataset: str, method: str) -> dict[Key, float]:
    checked = rows[rows["by_liblinear"].notna() & rows["value"].notna()]
    distance = (checked["value"] - checked["by_liblinear"]).abs()
    largest: dict[Key, float] = {}
    columns = (checked[name] for name in ("protocol", "operator", "subset", "metric"))
    for protocol, operator, subset, metric, value in zip(*columns, distance, strict=True):
        key = Key(dataset, protocol, operator, subset, metric, method)
        largest[key] = max(float(value), largest.get(key, 0.0))
    return largest


def summaries_over_operators(
    dataset: str, method: str, repeats: Mapping[tuple[Any, ...], Repeats]
) -> dict[Key, Repeats]:
    """The mean over the summarized operators, repeat by repeat; a method that scores pairs needs none."""
    found = {}
    for protocol, operator, subset, metric in repeats:
        if operator == SUMMARIZED[0] and subset == "all":
            parts = [repeats.get((protocol, name, subset, metric)) for name in SUMMARIZED]
            known = [part for part in parts if part is not None]
            if len(known) == len(SUMMARIZED):
                found[Key(dataset, protocol, SUMMARY, subset, metric, method)] = mean_repeats(known)
    return found


def write_long_tables(
    folder: Path, results: LinkPrediction, ties: Mapping[tuple[str, str, str, str], set[str]]
) -> None:
    """link_prediction.csv, and beside it the subsets of examples and the standard deviation of each layer."""

    def numbers(summary: Summary) -> list[str]:
        means = (summary.mean, summary.sd, summary.ci_low, summary.ci_high)
        return [*(number_text(value) for value in means), str(summary.n), summary.status]

    def rows(of_subsets: bool) -> Iterator[list[str]]:
        for key, summary in results.summaries.items():
            if (key.subset != "all") == of_subsets:
                names = [key.dataset, key.protocol, key.operator]
                if of_subsets:
                    yield [*names, key.subset, key.metric, key.method, *numbers(summary)]
                else:
                    operator = SUMMARY if key.operator == PAIR_SCORE else key.operator
                    tied = key.method in ties.get((key.dataset, key.protocol, operator, key.metric), ())
                    yield [*names, key.metric, key.method, *numbers(summary), "yes" if tied else "no"]

    write_csv(folder / "link_prediction.csv", [*LONG_COLUMNS, "ties_with_best"], rows(of_subsets=False))
    if any(key.subset != "all" for key in results.summaries):
        columns = [*LONG_COLUMNS[:3], "subset", *LONG_COLUMNS[3:]]
        write_csv(folder / "link_prediction_subsets.csv", columns, rows(of_subsets=True))
    layers = [
        [
            *(key.dataset, key.protocol, key.operator, key.metric, key.method),
            *(number_text(summary.deviations[layer]) for layer in LAYERS),
            *map(str, summary.shape),
        ]
        for key, summary in results.summaries.items()
        if key.subset == "all" and summary.n
    ]
    if layers:
        header = [*LONG_COLUMNS[:5], *(f"sd_{layer}" for layer in LAYERS), "seeds", "draws", "splits"]
        write_csv(folder / "link_prediction_layers.csv", header, layers)


def write_paper_tables(folder: Path, run: RunFolder, results: LinkPrediction) -> None:
    """One table per network: operators x metrics in rows, methods in columns, as in the paper."""
    for dataset in run.datasets:
        table = paper_table(run, dataset, results)
        if table is not None:
            write_table(folder, table)


def paper_table(run: RunFolder, dataset: Dataset, results: LinkPrediction) -> Table | None:
    protocol = run.headline_protocol
    present = {key.method for key in results.summaries if (key.dataset, key.protocol) == (dataset.name, protocol)}
    methods = [method for method in run.evaluated_methods if method.name in present]
    operators = results.operators(dataset.name, protocol)
    if not methods or not operators:
        return None
    n_compared = sum(method.is_compared for method in methods)
    has_reduction = any(is_us(method) for method in methods) and any(is_them(method) for method in methods)
    rows: list[list[str]] = []
    bold, shapes = set(), set()
    for operator in operators:
        for metric, metric_label in PAPER_METRICS.items():
            cells: dict[Method, Summary] = {}
            for method in methods:
                key = results.key(dataset.name, protocol, operator, metric, method.name)
                if key is not None:
                    cells[method] = results.summaries[key]
            shapes |= {cell.shape for cell in cells.values() if cell.n}
            bold |= {(len(rows), 2 + column) for column in best_columns(methods, cells)}
            texts = [cell_text(cells.get(method)) for method in methods]
            texts[n_compared:n_compared] = [reduction_text(cells)] if has_reduction else []
            rows.append([OPERATOR_LABELS.get(operator, "Pair score"), metric_label, *texts])
    columns = [column_label(method) for method in methods]
    columns[n_compared:n_compared] = ["Error Reduction"] if has_reduction else []
    any_scores = operators != [PAIR_SCORE] and PAIR_SCORE in results.present_operators[dataset.name, protocol]
    caption = paper_caption(dataset, protocol, methods, shapes, has_reduction, any_scores, rows)
    caption += classifier_sentence(run, results, dataset.name, {method.name for method in methods})
    header = ["Operator", "Metric", *columns]
    return Table(f"link_prediction_{dataset.name}", header, rows, caption, labels=2, bold=frozenset(bold))


def is_us(method: Method) -> bool:
    return method.role == "proposed" and method.is_compared


def is_them(method: Method) -> bool:
    return method.role == "baseline" and method.is_compared


def column_label(method: Method) -> str:
    return method.label if method.is_compared else f"{method.label} †"


def cell_text(summary: Summary | None) -> str:
    """Four digits as in the paper; the status where there is no number, a star where some repeats are missing."""
    if summary is None:
        return "—"
    if summary.mean is None:
        return summary.status
    return number_text(summary.mean, 4) + ("*" if summary.status == "partial" else "")


def best_columns(methods: list[Method], cells: Mapping[Method, Summary]) -> list[int]:
    """Columns of the highest mean among the compared methods, all of them if the printed digits tie."""
    means = {
        column: number_text(cells[method].mean, 4)
        for column, method in enumerate(methods)
        if method.is_compared and method in cells and cells[method].mean is not None
    }
    return [column for column, text in means.items() if text == max(means.values(), key=float)]


def error_reduction(cells: Mapping[Method, Summary]) -> float | None:
    """((1 - them) - (1 - us)) / (1 - them), "them" being the best baseline; None where it does not exist."""
    us = [summary.mean for method, summary in cells.items() if is_us(method) and summary.mean is not None]
    them = [summary.mean for method, summary in cells.items() if is_them(method) and summary.mean is not None]
    if not us or not them or max(them) >= 1:
        return None
    return (max(us) - max(them)) / (1 - max(them))


def reduction_text(cells: Mapping[Method, Summary]) -> str:
    reduction = error_reduction(cells)
    return "—" if reduction is None else number_text(100 * reduction, 1) + "%"


def paper_caption(
    dataset: Dataset,
    protocol: str,
    methods: list[Method],
    shapes: set[tuple[int, int, int]],
    has_reduction: bool,
    any_scores: bool,
    rows: list[list[str]],
) -> str:
    """What the numbers are means of, and what the marks in this table mean."""
    sentences = [f"Link prediction on {dataset.label}, protocol {protocol}."]
    if shapes:
        sentences.append(means_of(shapes).capitalize() + " (link_prediction.csv has them).")
    sentences.append("Bold: the best compared method of the row.")
    if has_reduction:
        sentences.append(
            "Error reduction is ((1 - them) - (1 - us)) / (1 - them), with the best baseline as them and the proposed "
            "method as us."
        )
    if any(not method.is_compared for method in methods):
        sentences.append("† controls and variants, shown for reference: not counted as baselines, never bold.")
    if any_scores:
        sentences.append("A method that scores pairs uses no operator: its numbers are the same in every block.")
    texts = [text for row in rows for text in row]
    if any(text.endswith("*") for text in texts):
        sentences.append("* some repeats have no value, see status.csv.")
    return " ".join(sentences)


def classifier_sentence(run: RunFolder, results: LinkPrediction, dataset: str, methods: set[str]) -> str:
    """Which solver the numbers come from, and how far LIBLINEAR's are from them where both were fitted."""
    classifier = run.section("link_prediction").get("classifier", "liblinear")
    if classifier == "liblinear":
        return " Classifier: LIBLINEAR."
    largest = {
        label: max(
            (
                difference
                for key, difference in results.differences.items()
                if (key.dataset, key.protocol, key.subset, key.metric)
                == (dataset, run.headline_protocol, "all", metric)
                and key.method in methods
            ),
            default=None,
        )
        for metric, label in PAPER_METRICS.items()
        if metric in ("auc", "f1")
    }
    sentence = " Classifier: LIBLINEAR's objective, minimised by Newton's method"
    parts = [f"{difference:.2g} in {label}" for label, difference in largest.items() if difference is not None]
    if not parts:
        return f"{sentence}."
    return f"{sentence}. Largest difference to LIBLINEAR in the first split of each cell: {', '.join(parts)}."


def means_of(shapes: Iterable[tuple[int, int, int]]) -> str:
    """What stands behind the numbers of a table."""
    shape = seeds, draws, splits = largest_shape(shapes)
    repeats = f"{count(seeds, 'training seed')} x {count(draws, 'draw')} x {count(splits, 'split')}"
    return f"means of up to {repeats} (n = {seeds * draws * splits}); their intervals cover {covered_layers(shape)}"


def count(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


def write_ablation_table(folder: Path, run: RunFolder, results: LinkPrediction) -> None:
    """F1 under Weighted-L2 with its interval, as the paper's: each method that has ablation variants, then these."""
    bases = list(dict.fromkeys(method.variant_of for method in run.methods if method.purpose == "ablation"))
    shown = [
        method
        for base in bases
        for method in run.methods
        if method.name == base or (method.variant_of == base and method.purpose == "ablation")
    ]
    keys = {
        (method.name, dataset.name): results.key(dataset.name, run.headline_protocol, "weighted_l2", "f1", method.name)
        for method in shown
        for dataset in run.datasets
    }
    variants = {method.name for method in shown if method.purpose == "ablation"}
    if not any(key is not None for (method, _), key in keys.items() if method in variants):
        return
    cells = {place: None if key is None else results.summaries[key] for place, key in keys.items()}
    rows = [
        [method.label, *(interval_text(cells[method.name, dataset.name]) for dataset in run.datasets)]
        for method in shown
    ]
    caption = (
        f"F1 under Weighted-L2 of variants of the method with 95% intervals, protocol {run.headline_protocol}: "
        f"{means_of(cell.shape for cell in cells.values() if cell is not None)}."
    )
    header = ["Method", *(dataset.label for dataset in run.datasets)]
    write_table(folder, Table("ablation", header, rows, caption))


def interval_text(summary: Summary | None) -> str:
    """The cell with its interval in brackets, where there is one, cut at 0 and 1, where every metric ends."""
    if summary is None or summary.mean is None or summary.ci_low is None or summary.ci_high is None:
        return cell_text(summary)
    return f"{cell_text(summary)} [{max(summary.ci_low, 0):.3f}, {min(summary.ci_high, 1):.3f}]"
