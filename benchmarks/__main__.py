"""`python -m benchmarks [NAME …]`: run benchmarks and put their rows into results/benchmarks.json."""

import argparse
import importlib
from pathlib import Path
from typing import Any

from benchmarks.measurement import Measurement
from harness.command_line import run_command
from harness.errors import UserError
from harness.files import read_json, write_json
from harness.machine import describe_machine

FOLDER = Path(__file__).parent
RESULTS = Path("results/benchmarks.json")
NOT_BENCHMARKS = {"__init__", "__main__", "measurement"}


def benchmark_names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in NOT_BENCHMARKS)


def measure(arguments: argparse.Namespace) -> None:
    names = arguments.names or benchmark_names()
    unknown = set(names) - set(benchmark_names())
    if unknown:
        raise UserError(f"no benchmark named {', '.join(sorted(unknown))}; there are {', '.join(benchmark_names())}")
    for name in names:
        others, rows = rows_of_others(name), []
        for measurement in importlib.import_module(f"benchmarks.{name}").measure():
            print(line(measurement), flush=True)
            rows.append({"benchmark": name} | measurement.as_row() | {"machine": describe_machine()})
            # After each measurement, so that a stopped run keeps what it measured.
            write_json(RESULTS, others + rows)


def rows_of_others(name: str) -> list[dict[str, Any]]:
    """The stored rows of all other benchmarks that still exist: a benchmark's own rows are replaced as a set."""
    stored = read_json(RESULTS) if RESULTS.exists() else []
    return [row for row in stored if row.get("benchmark") in {*benchmark_names()} - {name}]


def line(measurement: Measurement) -> str:
    target = "" if measurement.target is None else f" (target {measurement.target:g})"
    load = measurement.facts.get("load")
    loaded = f", load {load[0]:.1f} to {load[1]:.1f}" if isinstance(load, list) else ""
    return (
        f"{measurement.name}: ours {measurement.ours:.4g}, peer {measurement.peer:.4g} {measurement.unit}, "
        f"ratio {measurement.ratio:.2f}{target} [{measurement.data}{loaded}]"
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"one of: {', '.join(benchmark_names())} (default: all)"
    )
    parser.set_defaults(command=measure)
    return run_command(parser)


if __name__ == "__main__":
    raise SystemExit(main())
