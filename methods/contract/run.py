"""Run: what a method is told about its circumstances, and where it reports what it did."""

import json
import resource
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from harness.files import atomic_path
from harness.schema import shown
from methods.contract import journal
from methods.contract.errors import MethodError
from methods.contract.progress import progress_bar

# Where a checkpoint keeps the epochs that led to it and the facts so far; not a name that a method would give an array.
_RUN = "epochs and facts of the run"


@dataclass
class Epoch:
    """One pass over a method's unit of work: how much was done, and the seconds it took."""

    work: int
    unit: str
    wall_seconds: float
    cpu_seconds: float


@dataclass
class Run:
    """Seed, threads and device of one fit; epochs, facts and checkpoints come back through it.

    Results are repeatable bit for bit for the same seed when `threads` is 1. `folder` is for checkpoints and scratch
    files; `journal` is a file that gets every epoch and fact as it comes, so that they outlive a fit that is killed.
    `began` is when it began by wall and CPU clock; a fit that goes on from a checkpoint began so much earlier.
    """

    seed: int
    threads: int = 1
    device: str = "cpu"
    folder: Path | None = None
    epochs: list[Epoch] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    journal: Path | None = None
    began: tuple[float, float] = field(default_factory=lambda: _clocks())

    @contextmanager
    def epoch(self, work: int, unit: str) -> Iterator[Epoch]:
        """Time one epoch that handles `work` items, `unit` naming them ("edges", "tokens", "samples").

        Where the amount is known only at the end, set the `work` of the epoch that this yields.
        """
        if not isinstance(unit, str) or not unit.isprintable() or not unit.strip():
            raise MethodError(f"an epoch needs the unit of its work, a word such as 'edges', not {shown(unit)}")
        epoch = Epoch(_amount(work), unit, 0.0, 0.0)
        began = _clocks()
        yield epoch
        epoch.wall_seconds, epoch.cpu_seconds = _seconds_since(began)
        epoch.work, epoch.unit = _amount(epoch.work), unit
        self.epochs.append(epoch)
        if self.journal is not None:
            journal.append(self.journal, epoch=asdict(epoch))

    def report(self, **facts: Any) -> None:
        """Keep a fact about the fit (a loss, a share of discarded walks) for `fit.json`.

        A `note` is a sentence for the reader of the tables: the fit did less than it was asked to, and why.
        """
        if not isinstance(facts.get("note", ""), str):
            raise MethodError(f"a note is a text, not {shown(facts['note'])}")
        self.facts.update(facts)
        if self.journal is not None:
            journal.append(self.journal, facts=facts)

    def progress(self, total: int, unit: str, description: str = "") -> "tqdm[Any]":
        """A progress bar with rate and time left, for a terminal or for the status line of the workflow."""
        return progress_bar(total, unit, description, self.folder)

    def save_checkpoint(self, **arrays: NDArray[Any]) -> None:
        """Store the state after an epoch, with what was reported until then; a fit without a folder keeps none."""
        if self.folder is None:
            return
        so_far = {
            "epochs": [asdict(epoch) for epoch in self.epochs],
            "facts": journal.plain(self.facts),
            "seconds": _seconds_since(self.began),
        }
        with atomic_path(self.folder / "checkpoint.npz") as temporary, temporary.open("wb") as file:
            np.savez(file, **arrays, **{_RUN: np.array(json.dumps(so_far))})  # type: ignore[arg-type]

    def load_checkpoint(self) -> dict[str, NDArray[Any]] | None:
        """The state that an earlier, interrupted fit of the same network, parameters and seed left, if any.

        The epochs and seconds that led to it, and its facts, count as this run's. A file that cannot be read is as good
        as none.
        """
        if self.folder is None or not (self.folder / "checkpoint.npz").exists():
            return None
        try:
            with np.load(self.folder / "checkpoint.npz", allow_pickle=False) as stored:
                arrays = dict(stored)
        except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
            print(f"the checkpoint in {self.folder} cannot be read ({error}); starting anew", file=sys.stderr)
            return None
        if _RUN in arrays:
            so_far = json.loads(str(arrays.pop(_RUN)))
            self.epochs = [Epoch(**epoch) for epoch in so_far["epochs"]]
            wall, cpu = so_far["seconds"]
            self.began = self.began[0] - wall, self.began[1] - cpu
            if self.journal is not None:
                journal.append(self.journal, epochs=so_far["epochs"], seconds_before=so_far["seconds"])
            self.report(**so_far["facts"] | {"epochs_before_resuming": len(self.epochs)})
        return arrays


def _amount(work: Any) -> int:
    """The number of items of an epoch, which the tables divide by seconds."""
    if isinstance(work, bool) or not isinstance(work, int | float | np.integer | np.floating) or not 0 <= work < 2**63:
        raise MethodError(f"the work of an epoch is a number of items, 0 or more, not {shown(work)}")
    return int(work)


def _clocks() -> tuple[float, float]:
    """Wall clock, and CPU time of this process and of the programs that it started and waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.perf_counter(), time.process_time() + children.ru_utime + children.ru_stime


def _seconds_since(began: tuple[float, float]) -> tuple[float, float]:
    wall, cpu = _clocks()
    return wall - began[0], cpu - began[1]
