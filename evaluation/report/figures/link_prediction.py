"""Figures of link prediction: sorted methods under both protocols, each operator, and accuracy against time."""

import math
import statistics
from collections.abc import Sequence
from typing import Any, NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from evaluation.report.figures.style import look_of
from evaluation.report.run_folder import Dataset, Method, RunFolder
from evaluation.report.tables.board import spoken
from evaluation.report.tables.link_prediction import (
    OPERATOR_LABELS,
    SUMMARY,
    SUMMARY_WORDS,
    LinkPrediction,
    count,
)
from evaluation.statistics.layers import covered_layers
from evaluation.statistics.repeats import Summary, largest_shape

Drawn = tuple[Figure, str]
CHANCE: Any = {"color": "#404040", "linewidth": 0.6, "linestyle": (0, (2, 2))}
COLUMNS = 3


def summaries(
    run: RunFolder, results: LinkPrediction, dataset: Dataset, protocol: str, operator: str
) -> dict[Method, Summary]:
    """AUC of the evaluated methods."""
    keys = {
        method: results.key(dataset.name, protocol, operator, "auc", method.name) for method in run.evaluated_methods
    }
    return {method: results.summaries[key] for method, key in keys.items() if key is not None}


def draw_link_prediction(run: RunFolder, results: LinkPrediction) -> Drawn | None:
    """One panel per network: methods sorted by the headline's number, which is joined with the strict one's."""
    protocols = run.shown_protocols
    found = [
        (dataset, [summaries(run, results, dataset, protocol, SUMMARY) for protocol in protocols])
        for dataset in run.datasets
    ]
    found = [(dataset, cells) for dataset, cells in found if cells[0]]
    if not found:
        return None
    most = max(len(cells[0]) for _, cells in found)
    rows = math.ceil(len(found) / COLUMNS)
    figure = Figure(
        figsize=(2.75 * min(COLUMNS, len(found)) + 0.3, (0.17 * most + 0.75) * rows + 0.35), layout="constrained"
    )
    axes = list(figure.subplots(rows, min(COLUMNS, len(found)), squeeze=False).flat)
    for unused in axes[len(found) :]:
        unused.remove()
    for axis, (dataset, cells) in zip(axes, found, strict=False):
        axis.set_title(dataset.label)
        draw_panel(axis, cells)
    marks = [
        Line2D([], [], color="black", marker="o", linestyle="none", markerfacecolor=face, label=spoken(protocol))
        for protocol, face in zip(protocols, ("black", "white"), strict=False)
    ]
    figure.legend(handles=marks, loc="outside lower center", ncols=2)
    shape = largest_shape(one.shape for _, cells in found for part in cells for one in part.values())
    caption = (
        f"Link prediction: AUC, {SUMMARY_WORDS}, with 95% intervals; sorted by {spoken(protocols[0])}, controls and "
        f"variants below the line. Means of up to {count(shape[0], 'training seed')} x {count(shape[1], 'draw')} x "
        f"{count(shape[2], 'split')} (n = {math.prod(shape)}); the intervals cover {covered_layers(shape)}. The dashed "
        "line is chance; a word stands for a method without a number (see status.csv)."
    )
    return figure, caption


def draw_panel(axis: Axes, cells: Sequence[dict[Method, Summary]]) -> None:
    first = cells[0]
    order = sorted(first, key=lambda method: (not method.is_compared, -(first[method].mean or 0)))
    for y, method in enumerate(order):
        look = look_of(method)
        means = []
        for part, face in zip(cells, (look.color, "white"), strict=False):
            one = part.get(method)
            if one is None or one.mean is None:
                continue
            means.append(one.mean)
            if one.ci_low is not None and one.ci_high is not None:
                axis.plot([max(one.ci_low, 0), min(one.ci_high, 1)], [y, y], color=look.color, linewidth=1.6, alpha=0.5)
            axis.plot(one.mean, y, "o", color=look.color, markerfacecolor=face, zorder=3)
        if len(means) == 2:
            axis.plot(means, [y, y], color=look.color, linewidth=0.7, zorder=1)
        if not means:
            where = axis.get_yaxis_transform()
            axis.text(0.02, y, first[method].status, color=look.color, transform=where, fontsize=6, va="center")
    compared = sum(method.is_compared for method in order)
    if 0 < compared < len(order):
        axis.axhline(compared - 0.5, color="#808080", linewidth=0.8)
    axis.axvline(0.5, **CHANCE)
    axis.set_yticks(range(len(order)), [method.label for method in order])
    for label, method in zip(axis.get_yticklabels(), order, strict=True):
        label.set_color(look_of(method).color)
        label.set_fontweight("bold" if method.is_compared else "normal")
    axis.set_ylim(len(order) - 0.5, -0.5)
    axis.tick_params(axis="y", length=0)
    axis.grid(visible=False, axis="y")
    axis.set_xlabel("AUC")


def draw_operators(run: RunFolder, results: LinkPrediction) -> Drawn | None:
    """Networks in rows, operators in columns, both protocols: the numbers behind the summary."""
    datasets = [
        dataset
        for dataset in run.datasets
        if summaries(run, results, dataset, run.headline_protocol, "mean")
        and not {*OPERATOR_LABELS}.isdisjoint(results.operators(dataset.name, run.headline_protocol))
    ]
    if not datasets:
        return None
    most = max(len(summaries(run, results, dataset, run.headline_protocol, "mean")) for dataset in datasets)
    figure = Figure(figsize=(8.6, (0.16 * most + 0.6) * len(datasets)), layout="constrained")
    axes = figure.subplots(len(datasets), len(OPERATOR_LABELS), squeeze=False, sharex=True)
    for row, dataset in zip(axes, datasets, strict=True):
        for axis, operator in zip(row, OPERATOR_LABELS, strict=True):
            cells = [summaries(run, results, dataset, protocol, operator) for protocol in run.shown_protocols]
            axis.set_title(f"{dataset.label}, {OPERATOR_LABELS[operator]}", fontsize=7)
            if cells[0]:
                draw_panel(axis, cells)
            axis.tick_params(axis="y", labelsize=5.5)
            axis.set_xlabel("")
    caption = (
        f"AUC under each operator, sorted in every panel; filled: {spoken(run.headline_protocol)}"
        + (f", hollow: {spoken(run.strict_protocol)}" if run.strict_protocol else "")
        + ". Lines through the marks are 95% intervals, the dashed line is chance."
    )
    return figure, caption


def draw_accuracy_time(run: RunFolder, results: LinkPrediction) -> Drawn | None:
    """One point per method: AUC against the CPU seconds of its fit on the training edges, both with intervals."""
    seconds: dict[tuple[str, str], list[float]] = {}
    for dataset, edges, method, records in run.fits():
        done = [float(record["cpu_seconds"]) for record in records if is_measured(record)]
        if edges == "train" and done:
            seconds[dataset.name, method.name] = done
    shown = [
        dataset for dataset in run.datasets if any((dataset.name, one.name) in seconds for one in run.evaluated_methods)
    ]
    protocols = run.shown_protocols
    if not shown or not results.summaries:
        return None
    figure = Figure(figsize=(2.6 * len(shown) + 0.4, 2.3 * len(protocols) + 0.2), layout="constrained")
    axes = figure.subplots(len(protocols), len(shown), squeeze=False, sharex=True)
    for row, protocol in zip(axes, protocols, strict=True):
        for axis, dataset in zip(row, shown, strict=True):
            points = [
                Point(method, statistics.fmean(spent), one.mean, one, spent)
                for method, one in summaries(run, results, dataset, protocol, SUMMARY).items()
                if method.variant_of is None
                and one.mean is not None
                and (spent := seconds.get((dataset.name, method.name))) is not None
            ]
            for point in points:
                draw_point(axis, point, points)
            axis.axhline(0.5, **CHANCE)
            axis.set_xscale("log")
            axis.margins(x=0.3, y=0.12)
            axis.xaxis.set_major_locator(LogLocator(numticks=6))
            axis.xaxis.set_minor_locator(NullLocator())
            axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            axis.tick_params(labelbottom=True)
            axis.set_title(f"{dataset.label}, {spoken(protocol)}", fontsize=7)
        row[0].set_ylabel("AUC")
    for axis in axes[-1]:
        axis.set_xlabel("CPU seconds of one fit")
    repeats = max(map(len, seconds.values()))
    spread = f"the range of {count(repeats, 'fit')}" if repeats > 1 else "absent: there is one fit of each method"
    caption = (
        f"Accuracy against time: AUC ({SUMMARY_WORDS}) and the CPU seconds of a fit on the training edges, all "
        "threads together; up and to the left is better. Vertical intervals: 95%, as on the board; horizontal ones are "
        f"{spread}. Hollow: controls. The dashed line is chance. n = {repeats} per point in time."
    )
    return figure, caption


def is_measured(record: dict[str, Any]) -> bool:
    return record.get("status") == "ok" and float(record.get("cpu_seconds") or 0) > 0


class Point(NamedTuple):
    method: Method
    seconds: float
    auc: float
    summary: Summary
    spent: list[float]


def draw_point(axis: Axes, point: Point, points: Sequence[Point]) -> None:
    look = look_of(point.method)
    x, y, one = point.seconds, point.auc, point.summary
    if one.ci_low is not None and one.ci_high is not None:
        axis.plot([x, x], [max(one.ci_low, 0), min(one.ci_high, 1)], color=look.color, linewidth=1.2)
    if len(point.spent) > 1:
        axis.plot([min(point.spent), max(point.spent)], [y, y], color=look.color, linewidth=1.2)
    axis.plot(x, y, look.marker, color=look.color, markerfacecolor=look.color if look.filled else "white")
    # Names stand to the right, but to the left where another mark is close on that side.
    height = max(other.auc for other in points) - min(other.auc for other in points)
    crowded = any(x < other.seconds < 6 * x and abs(other.auc - y) < 0.06 * height for other in points)
    place: Any = {"xytext": (-4, 3), "ha": "right"} if crowded else {"xytext": (4, 3), "ha": "left"}
    axis.annotate(point.method.label, (x, y), textcoords="offset points", fontsize=6, color=look.color, **place)
