"""Parameter sensitivity: link prediction as one parameter of a method changes, as a table and a figure."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from evaluation.repeats_file import LINK_PREDICTION_COLUMNS, read_repeats
from evaluation.report.figures.style import SETTINGS
from evaluation.report.run_folder import RunFolder
from evaluation.report.tables.formats import Table, number_text, write_csv, write_table
from evaluation.report.tables.link_prediction import OPERATOR_LABELS, cell_text, count, means_of
from evaluation.statistics.layers import covered_layers
from evaluation.statistics.repeats import Summary, collect, summarize

METRIC = "auc"
LONG_COLUMNS = ["parameter", "value", "operator", "metric", "mean", "sd", "ci_low", "ci_high", "n", "status"]
# Four grays, markers and lines: the operators are not methods, so they do not take the methods' colors.
LINES = {
    "mean": ("#9A9A9A", "s", ":"),
    "hadamard": ("#737373", "^", "-."),
    "weighted_l1": ("#454545", "o", "--"),
    "weighted_l2": ("#000000", "D", "-"),
}


@dataclass(frozen=True)
class Sensitivity:
    """Summaries by (parameter, value as text, operator, metric), and the values of each parameter in order."""

    protocol: str
    dataset: str
    method: str
    settings: dict[str, list[Any]]
    summaries: dict[tuple[str, str, str, str], Summary]


def read_sensitivity(run: RunFolder) -> Sensitivity | None:
    """The experiment that run.json describes, or None if the run has none."""
    section = run.section("sensitivity")
    if not section:
        return None
    labels = {entry["name"]: entry["label"] for key in ("datasets", "methods") for entry in run.description[key]}
    summaries: dict[tuple[str, str, str, str], Summary] = {}
    for parameter, value, rows in sensitivity_repeats(run):
        repeats = collect(rows[rows["subset"] == "all"], ["operator", "metric"], "value")
        for (operator, metric), summary in zip(repeats, summarize(list(repeats.values())), strict=True):
            summaries[parameter, value, operator, metric] = summary
    return Sensitivity(
        run.headline_protocol,
        labels.get(section["dataset"], section["dataset"]),
        labels.get(section["method"], section["method"]),
        section["parameters"],
        summaries,
    )


def sensitivity_repeats(run: RunFolder) -> Iterator[tuple[str, str, pd.DataFrame]]:
    """Parameter, value as text, and all repeats with that value."""
    section = run.section("sensitivity")
    for parameter, values in section.get("parameters", {}).items():
        for value in map(text_of, values):
            folder = run.path / "link_prediction" / section["dataset"] / section["method"]
            if f"{parameter}={value}" not in run.settings_of_main_fits:
                folder /= f"{parameter}={value}"
            files = [folder / f"seed-{seed}.csv" for seed in section.get("seeds", run.seeds)]
            rows = pd.concat([read_repeats(path, LINK_PREDICTION_COLUMNS) for path in files], ignore_index=True)
            yield parameter, value, rows[rows["protocol"] == run.headline_protocol]


def text_of(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def write_sensitivity(folder: Path, run: RunFolder) -> None:
    found = read_sensitivity(run)
    if found is None:
        return
    long = [
        [*key, *(number_text(value) for value in (one.mean, one.sd, one.ci_low, one.ci_high)), str(one.n), one.status]
        for key, one in found.summaries.items()
    ]
    write_csv(folder / "sensitivity_long.csv", LONG_COLUMNS, long)
    rows = [
        [
            parameter,
            text_of(value),
            *(
                cell_text(found.summaries.get((parameter, text_of(value), operator, METRIC)))
                for operator in OPERATOR_LABELS
            ),
        ]
        for parameter, values in found.settings.items()
        for value in values
    ]
    caption = (
        f"AUC of {found.method} on {found.dataset} (protocol {found.protocol}) when one parameter changes and the "
        f"others stay as they are: {means_of(summary.shape for summary in found.summaries.values())} "
        "(sensitivity_long.csv has them)."
    )
    write_table(
        folder, Table("sensitivity", ["Parameter", "Value", *OPERATOR_LABELS.values()], rows, caption, labels=2)
    )


def draw_sensitivity(run: RunFolder) -> tuple[Figure, str] | None:
    """One panel per parameter, one line with its 95% band per operator."""
    found = read_sensitivity(run)
    # Two points make a line of any numbers: the table has them.
    settings = {} if found is None else {name: values for name, values in found.settings.items() if says_more(values)}
    if found is None or not settings:
        return None
    columns = min(4, len(settings))
    rows = math.ceil(len(settings) / columns)
    figure = Figure(figsize=(max(2.1 * columns, 4.2) + 0.4, 2.2 * rows), layout="constrained")
    axes = list(figure.subplots(rows, columns, squeeze=False, sharey=True).flat)
    for unused in axes[len(settings) :]:
        unused.remove()
    for axis, (parameter, values) in zip(axes, settings.items(), strict=False):
        x = positions(axis, values)
        for operator in OPERATOR_LABELS:
            draw_line(
                axis, x, [found.summaries.get((parameter, text_of(v), operator, METRIC)) for v in values], operator
            )
        axis.set_xlabel(parameter.replace("_", " "))
    figure.supylabel("AUC", fontsize=SETTINGS["axes.labelsize"])
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=4, columnspacing=1.2)
    shape = max(summary.shape for summary in found.summaries.values())
    caption = (
        f"Sensitivity of {found.method} on {found.dataset}: AUC as one parameter changes, protocol {found.protocol}. "
        f"Means of up to "
        f"{count(shape[0], 'training seed')} x {count(shape[1], 'draw')} x {count(shape[2], 'split')} "
        f"(n = {math.prod(shape)}); bands: 95% intervals that cover {covered_layers(shape)}."
    )
    return figure, caption


def says_more(values: list[Any]) -> bool:
    return len(values) > 2 or any(isinstance(value, str | bool) for value in values)


def positions(axis: Axes, values: list[Any]) -> list[float]:
    """Numbers where they belong, powers of two on a log scale as in the paper, anything else side by side."""
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        if len(values) > 2 and all(value > 0 and math.log2(value).is_integer() for value in values):
            axis.set_xscale("log", base=2)
        axis.set_xticks(values, [f"{value:g}" for value in values])
        return [float(value) for value in values]
    axis.set_xticks(range(len(values)), [text_of(value) for value in values])
    return [float(place) for place in range(len(values))]


def draw_line(axis: Axes, x: list[float], summaries: list[Summary | None], operator: str) -> None:
    color, marker, line = LINES[operator]

    def numbers(name: str) -> list[float]:
        found = [getattr(summary, name) if summary is not None else None for summary in summaries]
        return [np.nan if value is None else value for value in found]

    low, high = np.clip(numbers("ci_low"), 0, 1), np.clip(numbers("ci_high"), 0, 1)
    axis.fill_between(x, low, high, color=color, alpha=0.1, linewidth=0)
    axis.plot(
        x,
        numbers("mean"),
        color=color,
        marker=marker,
        markersize=3.5,
        linestyle=line,
        linewidth=1.2,
        label=OPERATOR_LABELS[operator],
    )
