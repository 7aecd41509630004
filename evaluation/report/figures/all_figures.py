"""The figures of a run, `python -m evaluation figures`: SVG, PNG and PDF, equal bytes for equal results."""

import argparse
import math
from collections.abc import Iterable
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from evaluation.report.figures.link_prediction import draw_accuracy_time, draw_link_prediction, draw_operators
from evaluation.report.figures.style import SETTINGS, look_of
from evaluation.report.run_folder import Dataset, Method, RunFolder
from evaluation.report.scaling import draw_scaling
from evaluation.report.sensitivity import draw_sensitivity
from evaluation.report.tables.link_prediction import SUMMARY_WORDS, count, read_link_prediction
from evaluation.report.tables.reconstruction import Key, Reconstruction, read_reconstruction
from evaluation.report.tables.significance import SIGNIFICANCE_LEVEL, RankedMethods, ranked_methods
from evaluation.statistics.comparison import indistinguishable_groups
from evaluation.statistics.layers import covered_layers
from evaluation.statistics.repeats import Summary, largest_shape
from harness.files import atomic_path, write_text

# Without a date, equal figures are equal files.
FORMATS: dict[str, dict[str, str | None]] = {
    "svg": {"Date": None},
    "png": {"Software": None},
    "pdf": {"CreationDate": None, "ModDate": None},
}
MOST_COLUMNS = 4


def add_commands(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("figures", help="draw the figures of a run from its raw repeats")
    parser.add_argument("--run-folder", required=True, type=Path, help="results/<run>")
    parser.set_defaults(command=lambda arguments: write_figures(arguments.run_folder))


def write_figures(folder: Path) -> None:
    """Write figures/ of a run; a figure whose inputs the run does not have is not drawn."""
    run = RunFolder(folder)
    link_prediction = read_link_prediction(run)
    (folder / "figures").mkdir(exist_ok=True)
    with mpl.rc_context(SETTINGS):
        for name, drawn in (
            ("link_prediction", draw_link_prediction(run, link_prediction)),
            ("link_prediction_operators", draw_operators(run, link_prediction)),
            ("accuracy_time", draw_accuracy_time(run, link_prediction)),
            ("reconstruction", draw_reconstruction(run, read_reconstruction(run))),
            ("sensitivity", draw_sensitivity(run)),
            ("scaling", draw_scaling(run)),
            ("ranks", draw_ranks(run, ranked_methods(run, link_prediction, run.headline_protocol, "auc"))),
        ):
            if drawn is not None:
                figure, caption = drawn
                save(figure, folder / "figures", name)
                write_text(folder / "figures" / f"{name}.txt", caption + "\n")


def save(figure: Figure, folder: Path, name: str) -> None:
    # One layout for all formats: each would find its own, and that takes most of the time.
    figure.draw_without_rendering()
    figure.set_layout_engine("none")
    for suffix, metadata in FORMATS.items():
        with atomic_path(folder / f"{name}.{suffix}") as temporary:
            figure.savefig(temporary, format=suffix, metadata=metadata, bbox_inches="tight", pad_inches=0.05)


def panels(datasets: list[Dataset], height: float) -> tuple[Figure, list[Axes]]:
    """One panel per network, up to four in a row as in the paper, all on the same scales."""
    rows = math.ceil(len(datasets) / MOST_COLUMNS)
    columns = math.ceil(len(datasets) / rows)
    # Wide enough for the legend even if there is one network only.
    figure = Figure(figsize=(max(2.1 * columns, 4.2) + 0.4, height * rows), layout="constrained")
    axes = list(figure.subplots(rows, columns, squeeze=False, sharex=True, sharey=True).flat)
    for unused in axes[len(datasets) :]:
        unused.remove()
    for axis, dataset in zip(axes, datasets, strict=False):
        axis.set_title(dataset.label)
        axis.tick_params(labelbottom=True)  # also where no panel stands below
    return figure, axes[: len(datasets)]


def legend(figure: Figure, methods: Iterable[Method], more: Iterable[Line2D]) -> None:
    handles = [*(method_handle(method) for method in methods), *more]
    columns = min(6, len(handles))
    # matplotlib fills column by column; people read row by row.
    by_row = [handle for column in range(columns) for handle in handles[column::columns]]
    figure.legend(handles=by_row, loc="outside lower center", ncols=columns, columnspacing=1.2)


def method_handle(method: Method) -> Line2D:
    look = look_of(method)
    return Line2D(
        [],
        [],
        color=look.color,
        marker=look.marker,
        markerfacecolor=look.color if look.filled else "white",
        linestyle=look.line,
        label=method.label,
    )


def draw_reconstruction(run: RunFolder, results: Reconstruction) -> tuple[Figure, str] | None:
    """Precision@P over P for every network, with the ceiling and 95% bands."""
    datasets = [dataset for dataset in run.datasets if any(key.dataset == dataset.name for key in results.summaries)]
    if not datasets:
        return None
    shown = [method for method in run.evaluated_methods if any(key.method == method.name for key in results.summaries)]
    figure, axes = panels(datasets, height=2.3)
    for axis, dataset in zip(axes, datasets, strict=True):
        pairs_shown = sorted(pairs for name, pairs in results.ceilings if name == dataset.name)
        x = np.geomspace(pairs_shown[0], pairs_shown[-1], 200)
        top = np.minimum(1, results.edges_in_sample[dataset.name] / x)
        axis.fill_between(x, top, 1.0, color="#F2F2F2", linewidth=0)
        axis.plot(x, top, color="black", linewidth=0.8)
        for method in reversed(shown):  # the compared methods on top of the controls
            curve = {
                pairs: results.summaries[key]
                for pairs in pairs_shown
                if (key := Key(dataset.name, "dot", pairs, method.name)) in results.summaries
            }
            draw_curve(axis, method, curve)
        axis.set_xscale("log")
        axis.set_ylim(0, 1)
        axis.set_xlabel("number of pairs P")
    figure.supylabel("Precision@P", fontsize=SETTINGS["axes.labelsize"])
    legend(figure, shown, [Line2D([], [], color="black", linewidth=0.8, label="ceiling")])
    seeds, draws, _ = largest_shape(summary.shape for summary in results.summaries.values())
    bands = f"bands: 95% intervals over {covered_layers((seeds, draws, 1))}" if seeds * draws > 1 else "no bands"
    caption = (
        "Network reconstruction: the share of edges among the P most similar pairs (dot product) of sampled nodes. "
        f"Means of up to {count(seeds, 'training seed')} x {count(draws, 'draw')} of nodes (n = {seeds * draws}); "
        f"{bands}. No ranking can enter the gray area above the "
        "ceiling: where P is larger than the number of edges in a sample, they cannot fill it."
    )
    return figure, caption


def draw_curve(axis: Axes, method: Method, curve: dict[int, Summary]) -> None:
    look = look_of(method)
    known = {pairs: summary for pairs, summary in curve.items() if summary.mean is not None}
    x = np.array(list(known))
    mean, low, high = (
        np.array([np.nan if value is None else value for value in values])
        for values in (
            [summary.mean for summary in known.values()],
            [summary.ci_low for summary in known.values()],
            [summary.ci_high for summary in known.values()],
        )
    )
    axis.fill_between(x, np.clip(low, 0, 1), np.clip(high, 0, 1), color=look.color, alpha=0.18, linewidth=0)
    axis.plot(
        x,
        mean,
        color=look.color,
        marker=look.marker,
        markerfacecolor=look.color if look.filled else "white",
        linestyle=look.line,
        markersize=3,
        linewidth=1.4 if look.filled else 1.0,
    )


def draw_ranks(run: RunFolder, found: RankedMethods | None) -> tuple[Figure, str] | None:
    """Critical-difference diagram: average ranks on a line, bars join methods that do not differ."""
    if found is None or found.ranks.n_networks < 2:
        return None
    order = np.argsort(found.ranks.average, kind="stable")
    groups = indistinguishable_groups(found.ranks.average, found.ranks.critical_difference)
    n_left = math.ceil(len(order) / 2)
    first_label = 0.55 + 0.22 * len(groups)
    depth = first_label + 0.42 * (n_left - 1) + 0.3
    figure = Figure(figsize=(5.2, 0.75 * (depth + 1.0)), layout="constrained")
    axis = figure.subplots()
    worst = len(order)
    margin = 0.35 * (worst - 1)
    axis.set_xlim(1 - margin, worst + margin)
    axis.set_ylim(depth, -1.0)
    axis.axis("off")
    axis.plot([1, worst], [0, 0], color="black", linewidth=1)
    for rank in range(1, worst + 1):
        axis.plot([rank, rank], [0, -0.12], color="black", linewidth=1)
        axis.text(rank, -0.2, str(rank), ha="center", va="bottom")
    critical = min(found.ranks.critical_difference, worst - 1)
    suffix = "" if critical == found.ranks.critical_difference else " (off the scale)"
    axis.plot([1, 1 + critical], [-0.75, -0.75], color="black", linewidth=1.5, solid_capstyle="butt")
    for end in (1, 1 + critical):
        axis.plot([end, end], [-0.68, -0.82], color="black", linewidth=1)
    axis.text(1, -0.84, f"CD = {found.ranks.critical_difference:.2f}{suffix}", ha="left", va="bottom")
    for level, (best, last) in enumerate(groups):
        y = 0.22 + 0.22 * level
        axis.plot([best - 0.03, last + 0.03], [y, y], color="#404040", linewidth=3.5, solid_capstyle="butt")
    for place, index in enumerate(order):
        left = place < n_left
        y = first_label + 0.42 * (place if left else len(order) - 1 - place)
        rank, look = found.ranks.average[index], look_of(found.methods[index])
        end = 1 - 0.06 * margin if left else worst + 0.06 * margin
        axis.plot([rank, rank, end], [0, y, y], color=look.color, linewidth=1)
        axis.plot(rank, 0, look.marker, color=look.color, markerfacecolor=look.color if look.filled else "white")
        text = f"{found.methods[index].label} ({rank:.2f})"
        axis.text(
            end - 0.03 * margin if left else end + 0.03 * margin, y, text, ha="right" if left else "left", va="center"
        )
    caption = (
        f"Average ranks over n = {found.ranks.n_networks} networks by AUC, {SUMMARY_WORDS}, protocol "
        f"{run.headline_protocol}; 1 is best. Bars join methods whose ranks differ by no more than the critical "
        f"difference CD (Nemenyi test at {SIGNIFICANCE_LEVEL:g})"
    )
    caption += "." if np.isnan(found.ranks.friedman_p) else f"; Friedman test p = {found.ranks.friedman_p:.2g}."
    if found.left_out:
        names = ", ".join(method.label for method in found.left_out)
        caption += f" Left out because a network has no number for them: {names}."
    return figure, caption
