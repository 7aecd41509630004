"""Runs a program under limits on time and memory, and measures it together with all processes it starts."""

import ctypes
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

import psutil

# Memory can grow by some 5 GB a second, so a limit may be passed by a quarter of a gigabyte before it is noticed.
POLL_SECONDS = 0.05
# Processes that left the session are found by their parents, which means reading the state of all processes.
SEARCH_SECONDS = 0.5
_PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True)
class Limits:
    """None is no limit. Memory is what the processes hold in RAM, shared pages counted once."""

    wall_seconds: float | None = None
    memory_bytes: int | None = None


@dataclass(frozen=True)
class Ending:
    """How a program ended: by itself, with an exit code (negative: a signal), or stopped at a limit."""

    stopped: Literal["oom", "timeout"] | None
    exit_code: int
    wall_seconds: float
    cpu_seconds: float
    peak_bytes: int


def run_limited(command: list[str], environment: dict[str, str], limits: Limits) -> Ending:
    """Run a program to its end or to a limit; when this returns or raises, no process of it is left.

    Meanwhile no other thread may start a process: it would be taken for one of the program's.
    """
    with _adopting_orphans():
        return _run(command, environment, limits)


@contextmanager
def _adopting_orphans() -> Iterator[None]:
    """Let Linux hand us the processes whose parent ended; a program that detaches itself is lost to us otherwise."""
    if sys.platform != "linux":
        yield
        return
    prctl = ctypes.CDLL(None, use_errno=True).prctl
    prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    try:
        yield
    finally:
        prctl(_PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)


def _run(command: list[str], environment: dict[str, str], limits: Limits) -> Ending:
    cpu_before, start = _children_cpu_seconds(), time.perf_counter()
    others = set(psutil.Process().children())
    process = subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=2,  # what a method prints is no result of ours
        start_new_session=True,  # a session tells its processes from others, and Ctrl-C comes to us alone
    )
    tree = _ProcessTree(process.pid, others)
    stopped: Literal["oom", "timeout"] | None = None
    peak = 0
    try:
        while stopped is None:
            try:
                process.wait(POLL_SECONDS)
                break
            except subprocess.TimeoutExpired:
                pass
            used = tree.memory_bytes()
            peak = max(peak, used)
            if limits.memory_bytes is not None and used > limits.memory_bytes:
                stopped = "oom"
            elif limits.wall_seconds is not None and time.perf_counter() - start > limits.wall_seconds:
                stopped = "timeout"
    finally:
        wall = time.perf_counter() - start
        tree.kill()
        process.wait()
    return Ending(stopped, process.returncode, wall, _children_cpu_seconds() - cpu_before, peak)


class _ProcessTree:
    """The processes of one session, and those that descend from its first process but left the session.

    Our own children are of the tree as well, those that outlived their parent, except for `others`.
    """

    def __init__(self, first: int, others: set[psutil.Process]) -> None:
        self.first = first
        self.others = others
        self.seen: set[psutil.Process] = set()
        self.searched = -SEARCH_SECONDS

    def members(self, search: bool) -> list[psutil.Process]:
        """Living processes of the tree; with `search`, those that left the session are looked for too."""
        pids = {pid for pid in psutil.pids() if _session(pid) == self.first}
        found: set[psutil.Process] = set()
        for pid in pids:
            try:
                found.add(psutil.Process(pid))
            except psutil.NoSuchProcess:
                continue
        if search:
            found |= set(psutil.Process().children()) - self.others
            for process in list(found | self.seen):
                try:
                    found.update(process.children(recursive=True))
                except psutil.NoSuchProcess:
                    continue
        self.seen |= found
        self.seen = {process for process in self.seen if process.is_running()}
        return list(self.seen)

    def memory_bytes(self) -> int:
        search = time.monotonic() - self.searched > SEARCH_SECONDS
        if search:
            self.searched = time.monotonic()
        members = self.members(search)
        return sum(_memory_bytes(process, alone=len(members) == 1) for process in members)

    def kill(self) -> None:
        """End all of them; a process that forks while we look is met in the next round."""
        for _ in range(10):
            alive = [process for process in self.members(search=True) if _alive(process)]
            if not alive:
                break
            for process in alive:
                try:
                    process.kill()
                except psutil.NoSuchProcess:
                    continue
            time.sleep(0.01)
        adopted = set(psutil.Process().children()) - self.others
        psutil.wait_procs([process for process in adopted if process.pid != self.first], timeout=1)


def _session(pid: int) -> int | None:
    try:
        return os.getsid(pid)
    except (ProcessLookupError, PermissionError):
        return None


def _alive(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _memory_bytes(process: psutil.Process, alone: bool) -> int:
    """Resident memory; among several processes the share of pages that each holds, or forks would count twice."""
    try:
        if not alone and psutil.LINUX:
            return int(process.memory_full_info().pss)
        return int(process.memory_info().rss)
    except (psutil.NoSuchProcess, psutil.AccessDenied):
        return 0


def _children_cpu_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
