"""Cost against size: seconds per epoch on generated networks of growing size, with the fitted slope."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from evaluation.report.figures.style import look_of
from evaluation.report.run_folder import Method, RunFolder
from evaluation.report.tables.formats import Table, number_text, write_table
from harness.machine import machine_text


@dataclass(frozen=True)
class Growth:
    """Seconds per epoch of one method at several numbers of edges, and the power law through them."""

    method: Method
    machine: str
    edges: list[int]
    seconds: list[float]

    @property
    def slope(self) -> float | None:
        """Least squares in logarithms: 1 is linear growth."""
        if len(self.edges) < 2:
            return None
        return float(np.polyfit(np.log(self.edges), np.log(self.seconds), 1)[0])


def read_growth(run: RunFolder) -> list[Growth]:
    found = []
    for method in run.timed_methods:
        records = {edges: run.timed_fit(network, method.name) for edges, network in run.scaling_networks.items()}
        known = {edges: record for edges, record in records.items() if record is not None and did_its_work(record)}
        if known:
            seconds = [float(np.mean([epoch["wall_seconds"] for epoch in one["epochs"]])) for one in known.values()]
            machine = machine_text(next(iter(known.values()))["machine"])
            found.append(Growth(method, machine, list(known), seconds))
    return found


def did_its_work(record: dict[str, Any]) -> bool:
    """A fit with a note did less than it was asked to: its seconds say nothing about the size."""
    return record["status"] == "ok" and "note" not in record.get("facts", {})


def write_scaling(folder: Path, run: RunFolder) -> None:
    growth = read_growth(run)
    if not growth:
        return
    sizes = sorted({edges for one in growth for edges in one.edges})
    rows = [
        [
            one.method.label,
            *(number_text(dict(zip(one.edges, one.seconds, strict=True)).get(edges), 3) for edges in sizes),
            number_text(one.slope, 2),
        ]
        for one in growth
    ]
    caption = (
        "Wall seconds per epoch on generated networks by number of edges; the slope is the exponent of the fitted "
        f"power law (1: linear). Machine: {growth[0].machine}. An epoch is a method's own unit: compare "
        "the slopes, not the seconds. Fits that failed, or did less than they were asked to, are left out (status.csv)."
    )
    header = ["Method", *(f"{edges:,} edges" for edges in sizes), "Slope"]
    write_table(folder, Table("scaling", header, rows, caption))


def draw_scaling(run: RunFolder) -> tuple[Figure, str] | None:
    # Two points make a line of anything: the table has them.
    growth = [one for one in read_growth(run) if len(one.edges) > 2]
    if not growth:
        return None
    figure = Figure(figsize=(4.6, 3.0), layout="constrained")
    axis = figure.subplots()
    for one in growth:
        look = look_of(one.method)
        slope = "" if one.slope is None else f" ({one.slope:.2f})"
        axis.plot(
            one.edges,
            one.seconds,
            color=look.color,
            marker=look.marker,
            markerfacecolor=look.color if look.filled else "white",
            linestyle=look.line,
            label=one.method.label + slope,
        )
    axis.set_xscale("log")
    axis.set_yscale("log")
    sizes = sorted({edges for one in growth for edges in one.edges})
    axis.set_xticks(sizes, [f"{edges:,}" for edges in sizes])
    axis.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda seconds, _: f"{seconds:g}"))
    for one_axis in (axis.xaxis, axis.yaxis):
        one_axis.set_minor_locator(NullLocator())
    axis.set_xlabel("number of edges")
    axis.set_ylabel("wall seconds per epoch")
    figure.legend(loc="outside right upper", title="method (slope)")
    caption = (
        "Cost against size: wall seconds per epoch of one timed fit on generated networks with five edges per node; in "
        "brackets the exponent of the fitted power law (1 is linear growth), n = 1 fit per point. An epoch is a "
        "method's own unit of work, so compare slopes between methods, not seconds. "
        f"Machine: {growth[0].machine}."
    )
    return figure, caption
