"""Tables about the run itself: its networks, what fitting cost, and the cells that have no number."""

import statistics
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from evaluation.report.run_folder import Dataset, Method, RunFolder
from evaluation.report.sensitivity import sensitivity_repeats
from evaluation.report.tables.formats import Table, number_text, write_csv, write_table
from harness.machine import machine_text

BUSY = 0.9  # of the wall time; a fit that computes all the time has at least one CPU second per second
STATUS_COLUMNS = ["task", "dataset", "method", "seed", "protocol", "status", "reason", "cells"]


def write_datasets(folder: Path, run: RunFolder) -> None:
    """Nodes and temporal edges of every network, ours beside the paper's where the paper has it."""
    rows = []
    for dataset, audit in run.audits():
        nodes, edges = audit["nodes"], audit["temporal_edges"]
        paper = dataset.paper or {}
        rows.append(
            [
                dataset.label,
                f"{nodes:,}",
                f"{edges:,}",
                f"{audit['distinct_pairs']:,}",
                number_text(audit["repeated_share"], 3),
                "yes" if audit.get("bipartite") else "no",
                f"{audit['times']['distinct']:,}",
                *beside(nodes, paper.get("nodes")),
                *beside(edges, paper.get("edges")),
            ]
        )
    if not rows:
        return
    header = [
        *("Network", "Nodes", "Temporal edges", "Distinct pairs", "Repeated share", "Bipartite", "Distinct times"),
        *("Nodes in the paper", "Difference", "Edges in the paper", "Difference"),
    ]
    caption = "Networks as prepared; the repeated share is that of edges whose pair met before."
    if all(not row[7] and not row[9] for row in rows):
        header, rows = header[:7], [row[:7] for row in rows]
    else:
        caption += " Differences are ours minus the paper's."
    write_table(folder, Table("datasets", header, rows, caption))


def beside(ours: int, paper: int | None) -> list[str]:
    """The paper's count and how far ours is from it."""
    return ["", ""] if paper is None else [f"{paper:,}", f"{ours - paper:+,}" if ours != paper else "0"]


def measured_fits(run: RunFolder) -> tuple[bool, list[tuple[Dataset, Method, list[dict[str, Any]]]]]:
    """The fits to take costs from: the timed ones (True) if the run has any, else those of the main tables."""
    timed = [(dataset, method, [record]) for dataset, method, record in run.timings()]
    fits = [(dataset, method, records) for dataset, edges, method, records in run.fits() if edges == "train"]
    return bool(timed), timed or fits


def write_efficiency(folder: Path, run: RunFolder) -> None:
    """Seconds per epoch (wall and CPU), threads, throughput and peak memory: of timed fits if the run has any."""
    timed, fits = measured_fits(run)
    if not fits:
        return
    rows = [
        [dataset.label, method.label + (" ‡" if waited(records) else ""), *cost_cells(records)]
        for dataset, method, records in fits
    ]
    header = [
        *("Network", "Method", "Threads", "Fits", "Wall s/epoch", "CPU s/epoch", "Units/s", "Unit"),
        *("Wall s", "Peak MB", "Status"),
    ]
    machines = sorted({machine_text(record["machine"]) for *_, records in fits for record in records})
    alone = (
        "each fit had the machine to itself"
        if timed
        else "means over training seeds; fits ran beside other jobs, so the times are upper bounds"
    )
    caption = (
        f"Cost of fitting the training edges: {alone}. An epoch is one pass over a method's own unit of work, so "
        f"seconds per epoch compare within a method only. Machine: {'; '.join(machines)}."
    )
    if any(row[1].endswith("‡") for row in rows):
        caption += (
            f" ‡ not so: CPU seconds are less than {BUSY:.0%} of the wall seconds: the fit waited for processor or "
            "disk, so its wall time is an upper bound."
        )
    write_table(folder, Table("efficiency", header, rows, caption, labels=2))


def waited(records: list[dict[str, Any]]) -> bool:
    """Whether some fit had less than one core to itself; a tenth of a second is within the clocks' noise."""
    return any(
        record["cpu_seconds"] < BUSY * record["wall_seconds"] - 0.1
        for record in records
        if record.get("status") == "ok" and record.get("cpu_seconds") is not None
    )


def cost_cells(records: list[dict[str, Any]]) -> list[str]:
    """What the fits of one method on one network cost, as the cells of its row."""
    done = [record for record in records if record.get("status") == "ok"]
    cost = costs(done) if done else [None] * 5
    texts = [number_text(value, digits) for value, digits in zip(cost, (3, 3, 0, 1, 0), strict=True)]
    failures = Counter(record.get("status") or "failed" for record in records if record not in done)
    status = "ok" if not failures else "partial" if done else failures.most_common(1)[0][0]
    threads = sorted({record.get("threads", 1) for record in records})
    units = sorted({epoch["unit"] for record in done for epoch in record.get("epochs", [])})
    return ["/".join(map(str, threads)), str(len(done)), *texts[:3], "/".join(units), *texts[3:], status]


def costs(records: list[dict[str, Any]]) -> list[float | None]:
    """Wall and CPU seconds per epoch, units per second, wall seconds and peak megabytes of a whole fit."""
    epochs = [epoch for record in records for epoch in record.get("epochs", [])]
    wall, cpu, work = (sum(epoch[key] for epoch in epochs) for key in ("wall_seconds", "cpu_seconds", "work"))
    return [
        wall / len(epochs) if epochs else None,
        cpu / len(epochs) if epochs else None,
        work / wall if wall else None,
        statistics.fmean(record["wall_seconds"] for record in records),
        max(record["peak_bytes"] for record in records) / 1e6,
    ]


def write_status(folder: Path, run: RunFolder) -> None:
    """One row per reason for which cells have no number, and per note of a fit that did less than it was asked to.

    The table is empty if every cell has a number and no fit a note.
    """
    counts: Counter[tuple[str, ...]] = Counter()
    for task, network, name, record in all_fits(run):
        if record.get("status") != "ok":
            reason = (record.get("status") or "failed", record.get("reason") or "")
            counts[task, network, name, str(record.get("seed", "")), "", *reason] += 1
        elif note := record.get("facts", {}).get("note"):
            counts[task, network, name, str(record.get("seed", "")), "", "note", note] = 0
    for dataset in run.datasets:
        for method in run.methods:
            for task, rows in (
                ("link prediction", run.link_prediction(dataset.name, method.name)),
                ("ranking", run.ranking(dataset.name, method.name)),
                ("reconstruction", run.reconstruction(dataset.name, method.name)),
            ):
                if rows is not None:
                    counts.update(failures(task, rows))
    for parameter, value, rows in sensitivity_repeats(run):
        counts.update(failures(f"sensitivity, {parameter} = {value}", rows))
    write_csv(folder / "status.csv", STATUS_COLUMNS, ([*key, str(number)] for key, number in counts.items()))


def all_fits(run: RunFolder) -> Iterator[tuple[str, str, str, dict[str, Any]]]:
    """Task, network, method and record of every fit but those of the sensitivity, whose repeats say the same."""
    for dataset, edges, method, records in run.fits():
        for record in records:
            yield f"fit on {edges} edges", dataset.name, method.name, record
    for network in [*(dataset.name for dataset in run.datasets), *run.scaling_networks.values()]:
        for method in run.timed_methods:
            if (timed := run.timed_fit(network, method.name)) is not None:
                yield "timed fit", network, method.name, timed
    for dataset, method, tuned in run.choices():
        for number, trial in enumerate(tuned["trials"]):
            yield f"tuning, trial {number}", dataset.name, method.name, trial


def failures(task: str, rows: pd.DataFrame) -> Iterator[tuple[str, ...]]:
    """One key per repeat without a number.

    A subset without examples (no new pair, say) is a fact about the network, not a missing cell.
    """
    failed = rows[(rows["status"] != "ok") & (rows["subset"] == "all" if "subset" in rows else True)]
    protocols = failed["protocol"] if "protocol" in failed else [""] * len(failed)
    columns = (failed["dataset"], failed["method"], failed["seed"].astype(str), protocols)
    for *names, status, reason in zip(*columns, failed["status"], failed["reason"], strict=True):
        yield (task, *names, status, reason)
