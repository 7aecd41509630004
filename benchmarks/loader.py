"""The loader: a 5-million-row edge list to a stored network, against `pandas.read_csv` alone on the same file."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.measurement import Measurement, best_seconds
from networks.prepare import prepare_file

ROWS = 5_000_000
NODES = 577_314  # as many as Tmall has
SECONDS = 100_000_000


def measure() -> Iterator[Measurement]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for in_order in (True, False):
            yield _measure(folder, in_order)


def _measure(folder: Path, in_order: bool) -> Measurement:
    """Rows in order of time, as most sources have them, or not, as in KONECT's Digg."""
    raw = folder / "contacts.txt"
    write_contacts(raw, in_order)

    def ours() -> None:
        prepare_file(raw, options={"time_format": "unix"}).save(folder / "network.arrow")

    def peer() -> None:
        pd.read_csv(raw, sep=" ", header=None)

    ours()  # compiles the kernels, which is done once per machine
    # In turns, so that a busy spell of the machine meets both.
    seconds = [(best_seconds(ours, 1), best_seconds(peer, 1)) for _ in range(5)]
    order = "sorted" if in_order else "unsorted"
    return Measurement(
        name=f"loader: edge list to stored network, {order}",
        ours=min(own for own, _ in seconds),
        peer=min(others for _, others in seconds),
        unit="s",
        data=f"{ROWS:,} rows `u v t` of {NODES:,} nodes, {order} in time; peer: pandas.read_csv, which only reads",
        target=1 / 3,
        lower_is_better=True,
    )


def write_contacts(path: Path, in_order: bool) -> None:
    random = np.random.default_rng(1)
    time = random.integers(1_200_000_000, 1_200_000_000 + SECONDS, ROWS)
    contacts = {
        "source": (random.random(ROWS) ** 4 * NODES).astype(np.int64),  # a few nodes have most of the contacts
        "target": random.integers(0, NODES, ROWS),
        "time": np.sort(time) if in_order else time,
    }
    pd.DataFrame(contacts).to_csv(path, sep=" ", header=False, index=False)
