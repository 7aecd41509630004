"""Whole fits of EHNA at the sizes of the paper's networks: seconds per contact, minutes, and peak memory.

`python -m benchmarks ehna_scaling` measures all sizes and keeps the rows, some three quarters of an hour on two cores;
`python -m benchmarks.ehna_scaling Digg` measures only the smallest and the one named, and prints the rows.
"""

import multiprocessing
import os
import resource
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from benchmarks.__main__ import line
from benchmarks.ehna import choice_text, compile_kernels, timed
from benchmarks.measurement import Measurement
from methods.contract.registry import load_method
from methods.contract.run import Run
from methods.ehna.fit import fit
from networks.network import TemporalNetwork
from networks.synthetic import generate

# Nodes, contacts, and the minutes that a fit may take.
SIZES = {
    "DBLP (HTNE)": (28_085, 236_894, 1.5),
    "Digg": (279_630, 1_731_653, 12.0),
    "Tmall": (577_314, 4_807_545, 35.0),
}
SMALLEST = "DBLP (HTNE)"
FLAT = 1 / 1.2  # the target: no more than 20% dearer per contact
LIMIT_GB = 6


@dataclass(frozen=True)
class Cost:
    seconds: float
    peak_gb: float
    choice: str


def measure(names: list[str] | None = None) -> Iterator[Measurement]:
    """Rows of all sizes, or of these; the smallest is always measured, because the others are compared with it."""
    setting = f"default settings, {os.cpu_count()} threads"
    smallest = cost_at(SMALLEST)
    for name, (n_nodes, n_edges, minutes) in SIZES.items():
        if names and name not in (SMALLEST, *names):
            continue
        cost = smallest if name == SMALLEST else cost_at(name)
        data = f"generated: {n_nodes} nodes, {n_edges} edges; {setting}; {cost.choice}"
        limit = f"{data}; peer is the limit"
        at = f"EHNA at {name}'s size"
        yield Measurement(f"{at}: whole fit", cost.seconds / 60, minutes, "minutes", limit, 1, True)
        yield Measurement(f"{at}: peak memory", cost.peak_gb, LIMIT_GB, "GB", limit, 1, True)
        if name != SMALLEST:
            ours, peer = cost.seconds / n_edges * 1e6, smallest.seconds / SIZES[SMALLEST][1] * 1e6
            growth = f"{data}; peer is the size of {SMALLEST}: {smallest.choice}"
            yield Measurement(f"{at}: seconds per contact", ours, peer, "us per contact", growth, FLAT, True)


def cost_at(name: str) -> Cost:
    n_nodes, n_edges, _ = SIZES[name]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "network.arrow"
        generate(n_nodes, n_edges, seed=1).save(path)
        # A process of its own, because a peak never falls.
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
            return process.submit(fit_whole, path).result()


def fit_whole(path: Path) -> Cost:
    """With checkpoints, as the workflow fits."""
    params, threads = load_method("ehna").defaults, os.cpu_count() or 1
    compile_kernels(params, threads)
    network = TemporalNetwork.load(path)
    run = Run(seed=1, threads=threads, folder=path.parent)
    seconds, _ = timed(fit, network, params, run)
    return Cost(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9, choice_text(run))


if __name__ == "__main__":
    unknown = set(sys.argv[1:]) - set(SIZES)
    if unknown:
        sys.exit(f"no size named {', '.join(sorted(unknown))}; there are {', '.join(SIZES)}")
    for measurement in measure(sys.argv[1:]):
        print(line(measurement), flush=True)
