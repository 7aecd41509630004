"""One fit or score from order to files: starts the child process, watches it, writes what came of it."""

import fcntl
import hashlib
import json
import os
import shutil
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from harness.errors import UserError
from harness.files import file_sha256, read_json, write_json, write_text
from harness.kernel_cache import VARIABLE as KERNEL_CACHE
from harness.machine import describe_machine
from harness.one_line import one_line
from methods.contract import journal
from methods.contract.errors import MethodError
from methods.contract.registry import FOLDER, load_method, method_code
from methods.running.ending import ending_in_words, last_lines
from methods.running.environments import EnvironmentBuildError, interpreter
from methods.running.limits import Ending, Limits, run_limited
from methods.running.outputs import empty_array, save_array
from networks.errors import NetworkError

THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)

# One line for every time that a fit in this folder was killed from outside; to the workflow one more is a reason to run
# it again.
KILLED = ".killed"


@dataclass(frozen=True)
class Job:
    """What to do: fit a method to a network, or let it score the pairs of an example set. Parameters are complete."""

    kind: Literal["fit", "score"]
    method: str
    parameters: dict[str, Any]
    network: Path
    out: Path
    seed: int = 1
    threads: int = 1
    device: str = "auto"
    examples: Path | None = None

    @property
    def array_path(self) -> Path:
        return self.out / ("embeddings.npy" if self.kind == "fit" else "scores.npy")

    @property
    def record_path(self) -> Path:
        return self.out / f"{self.kind}.json"

    @property
    def log_path(self) -> Path:
        return self.out / f"{self.kind}.log"


def run_job(job: Job, limits: Limits) -> dict[str, Any]:
    """Do the job and write its array and its record; a method that fails is a result, a wrong order is an error.

    What a killed run left in `<out>/.work` is used if it stems from the same order, and thrown away if not.
    """
    for path in (job.network, job.examples):
        if path is not None and not path.is_file():
            raise NetworkError(f"{path}: no such file")
    try:
        job.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MethodError(f"{job.out}: no folder can be made there ({error.strerror})") from None
    with _alone(job.out):
        work = _work_folder(job)
        _keep_only_checkpoint(work)
        order = {
            "parent": os.getpid(),
            "kind": job.kind,
            "method": job.method,
            "parameters": job.parameters,
            "network": str(job.network.resolve()),
            "examples": None if job.examples is None else str(job.examples.resolve()),
            "seed": job.seed,
            "threads": job.threads,
            "device": job.device,
        }
        write_json(work / "job.json", order)
        try:
            python = interpreter(load_method(job.method).environment)
        except EnvironmentBuildError as error:
            nothing_ran = Ending(None, 0, 0.0, 0.0, 0)
            record = _record(job, nothing_ran, journal.Journal(), "failed", one_line(str(error)))
            _write(job, work, record)
            return record
        command = [str(python), "-m", "methods.running.child", str((work / "job.json").resolve())]
        ending = run_limited(command, _environment(job.threads, python), limits)
        notes = journal.read(work / "journal.jsonl")
        if notes.outcome.get("status") == "refused":
            if (work / "checkpoint.npz").exists():  # a disk that is full now may have room later
                _keep_only_checkpoint(work)
            else:
                shutil.rmtree(work)
            raise MethodError(notes.outcome["reason"])
        status, reason = _outcome(ending, notes, limits)
        record = _record(job, ending, notes, status, reason)
        _write(job, work, record)
    return record


def _write(job: Job, work: Path, record: dict[str, Any]) -> None:
    """The record comes last: where it exists, it belongs to the array beside it."""
    for outdated in (job.record_path, job.log_path, job.array_path):
        _remove(outdated)
    if record["status"] == "ok":
        (work / "array.npy").replace(job.array_path)
    else:
        save_array(job.array_path, empty_array(job.kind))
        write_text(job.log_path, last_lines(work / "log.txt") + f"{record['status']}: {record['reason']}\n")
    if record["status"] == "killed":
        with (job.out / KILLED).open("a", encoding="utf-8") as file:
            file.write(f"{record['reason']}\n")
    write_json(job.record_path, record)
    if record["status"] == "ok":
        shutil.rmtree(work)
    else:
        _keep_only_checkpoint(work)


def _outcome(ending: Ending, notes: journal.Journal, limits: Limits) -> tuple[str, str | None]:
    if notes.outcome:
        return notes.outcome["status"], notes.outcome.get("reason")
    if ending.stopped == "timeout":
        return "timeout", f"not done after {limits.wall_seconds:g} s, the limit"
    if ending.stopped == "oom":
        used, limit = ending.peak_bytes / 1e9, (limits.memory_bytes or 0) / 1e9
        return "oom", f"used {used:.2f} GB of memory, the limit is {limit:.2f} GB"
    if ending.exit_code == -signal.SIGKILL:
        return "killed", f"killed (SIGKILL) while it used {ending.peak_bytes / 1e9:.2f} GB of memory, below its limit"
    return "failed", f"the process {ending_in_words(ending.exit_code)} before the method returned"


def _record(job: Job, ending: Ending, notes: journal.Journal, status: str, reason: str | None) -> dict[str, Any]:
    """Seconds and memory are those of the whole child process; the epochs hold those of the training alone.

    A fit that went on from a checkpoint has taken the seconds that led to it, too, as it has done its epochs.
    """
    method = load_method(job.method)
    wall_before, cpu_before = notes.seconds_before
    record: dict[str, Any] = {
        "method": method.name,
        "label": method.label,
        "role": method.role,
        "parameters": job.parameters,
        "seed": job.seed,
        "threads": job.threads,
        "device": notes.device,
        "status": status,
        "reason": reason,
        "wall_seconds": wall_before + ending.wall_seconds,
        "cpu_seconds": cpu_before + ending.cpu_seconds,
        "peak_bytes": max(ending.peak_bytes, notes.outcome.get("peak_bytes", 0)),
        "epochs": notes.epochs,
        "facts": notes.facts,
        "versions": notes.versions,
        "machine": describe_machine(),
        "network": notes.network,
    }
    if status != "ok":
        return record
    shape, sha256 = notes.outcome["shape"], notes.outcome["sha256"]
    if job.kind == "fit":
        return record | {"embeddings": {"sha256": sha256, "rows": shape[0], "dimensions": shape[1]}}
    return record | {"scores": {"sha256": sha256, "rows": shape[0]}}


def _environment(threads: int, python: Path) -> dict[str, str]:
    """The child's environment: thread counts must stand there before numba, numpy and torch are loaded.

    In an environment of the method's own, its programs come first, and kernels compiled by another numba than ours have
    a folder of their own.
    """
    path = os.pathsep.join(filter(None, [str(FOLDER.parent), os.environ.get("PYTHONPATH")]))
    own = dict.fromkeys(THREAD_VARIABLES, str(threads))
    if python != Path(sys.executable):
        own[KERNEL_CACHE] = str(python.parents[1] / "kernels")
        own["PATH"] = os.pathsep.join(filter(None, [str(python.parent), os.environ.get("PATH")]))
    return dict(os.environ) | own | {"PYTHONPATH": path, "PYTHONHASHSEED": "0"}


def _work_folder(job: Job) -> Path:
    """The scratch folder beside the outputs; emptied if it was made for another order."""
    work = job.out / ".work"
    fingerprint = _fingerprint(job)
    try:
        fits = read_json(work / "fingerprint.json") == fingerprint
    except UserError:  # no such file, or one that is not JSON
        fits = False
    if not fits:
        shutil.rmtree(work, ignore_errors=True)
        write_json(work / "fingerprint.json", fingerprint)
    return work


def _fingerprint(job: Job) -> str:
    """What a checkpoint depends on: the data, the settings and the method's code."""
    parts: list[Any] = [job.kind, job.method, job.parameters, job.seed, job.threads, job.device]
    parts += [file_sha256(path) for path in (job.network, job.examples) if path is not None]
    parts += [[path.name, file_sha256(path)] for path in method_code(job.method)]
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def _keep_only_checkpoint(work: Path) -> None:
    if not work.is_dir():  # the method removed it, or put something else there
        _remove(work)
        return
    for path in work.iterdir():
        if path.name not in ("checkpoint.npz", "fingerprint.json"):
            _remove(path)


def _remove(path: Path) -> None:
    """Whatever stands there: a method may put a folder where a file belongs."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Keep a second process from the same folder; the lock goes with the process that holds it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise MethodError(
                f"{folder}: another process is writing here; wait for it or choose another --out"
            ) from None
        except OSError:
            pass  # some network file systems cannot lock a folder
        yield
    finally:
        os.close(descriptor)
