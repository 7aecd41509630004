"""The status line: how far the run is, one line per finished step instead of snakemake's paragraphs.

On a terminal the last line is alive: jobs done, running and waiting, the time left, and the speed of long fits. It sits
as a filter on snakemake's own terminal output, so errors and warnings pass untouched, and the full record stays in
.snakemake/log/.
"""

import atexit
import logging
import os
import shlex
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from snakemake.logging import logger
from snakemake_interface_logger_plugins.common import LogEvent

from methods.contract.progress import last_progress
from workflow.plan import Plan

# Where nobody watches (CI, a log file), a line at every tenth of the run is enough.
LINES_WITHOUT_TERMINAL = 10
SECONDS_BETWEEN_REDRAWS = 1.0
# What snakemake says of Ctrl-C.
INTERRUPTION = "Terminating processes on user request"
ERASE_LINE = "\r\x1b[K"


@dataclass(frozen=True)
class RunningJob:
    name: str
    output: str
    began: float

    @property
    def folder(self) -> Path:
        return Path(self.output).parent


class StatusLine(logging.Filter):
    """Turns job events into lines: `[ 55%] 12/22  fit college_msg train node2vec 1: 8 s`, and the living one below."""

    def __init__(self, stream: TextIO, plan: Plan | None = None) -> None:
        super().__init__()
        self.stream = stream
        self.cores = plan.cores if plan else 1
        # Core seconds by the file that a step makes, of all that is not there yet.
        self.ahead = {item.step.output: item.cost.cpu_seconds for item in plan.rest} if plan else {}
        self.expected = self.took = 0.0
        self.interrupted = False
        self.watched = stream.isatty()
        self.began = time.monotonic()
        self.running: dict[int, RunningJob] = {}
        self.done = self.total = self.shown_tenth = 0
        self.finished = ""
        self.over = threading.Event()
        self.writing = threading.Lock()

    def filter(self, record: logging.LogRecord) -> bool:
        facts: dict[str, Any] = record.__dict__
        event = facts.get("event")
        if record.getMessage().startswith(INTERRUPTION):
            self.interrupt()
        if self.interrupted:
            return False
        if record.levelno > logging.INFO:
            self.erase()
            return True
        if event == LogEvent.JOB_INFO:
            words = [facts["rule_name"], *map(str, facts["wildcards"].values())]
            output = str(next(iter(facts["output"]), ""))
            self.running[facts["jobid"]] = RunningJob(" ".join(words), output, time.monotonic())
        elif event == LogEvent.JOB_FINISHED:
            job = self.running.pop(facts["job_id"], None)
            if job is not None:
                seconds = time.monotonic() - job.began
                self.finished = f"{job.name}: {duration(seconds)}"
                self.expected += self.ahead.pop(job.output, 0)
                self.took += seconds
        elif event == LogEvent.PROGRESS:
            self.done, self.total = facts["done"], facts["total"]
            self.show()
        return False

    def show(self) -> None:
        """The step that just finished; on a terminal all of them, else one at every tenth of the run."""
        tenth = self.done * LINES_WITHOUT_TERMINAL // self.total
        if not self.watched and tenth == self.shown_tenth:
            return
        self.shown_tenth = tenth
        rest = "" if self.watched or self.done == self.total else f"; {self.counts()}"
        self.write(f"[{self.done / self.total:4.0%}] {self.done}/{self.total}  {self.finished}{rest}\n")
        if self.done == self.total:
            self.over.set()

    def counts(self) -> str:
        if not self.done:  # how many there are is said with the first that finishes
            return f"{len(self.running)} running"
        waiting = self.total - self.done - len(self.running)
        return f"{self.done} done, {len(self.running)} running, {waiting} waiting, about {duration(self.left())} left"

    def left(self) -> float:
        """Seconds to the end, by the costs of what is ahead and by how well they were met so far.

        Without costs (all files are there and are made anew), by the number of steps.
        """
        ahead = sum(self.ahead.values())
        if not ahead or not self.expected:
            return (time.monotonic() - self.began) / self.done * (self.total - self.done)
        slower = self.took / self.expected
        now = time.monotonic()
        begun = [
            min(now - job.began, self.ahead[job.output] * slower)
            for job in list(self.running.values())
            if job.output in self.ahead
        ]
        return (ahead * slower - sum(begun)) / self.cores

    def interrupt(self) -> None:
        """One line instead of snakemake's about every step that was ended."""
        if not self.interrupted:
            self.interrupted = True
            self.over.set()
            command = shlex.join(["snakemake", *sys.argv[1:]])
            self.write(
                f"interrupted: {self.done} finished steps are kept, fits under way go on from their last checkpoint; "
                f"to go on: {command}\n"
            )

    def living_line(self, width: int) -> str:
        """Where the run stands and what each running fit said last, as much of it as the terminal is wide."""
        fits = [f"{job.name}: {said}" for job in list(self.running.values()) if (said := last_progress(job.folder))]
        return " | ".join([self.counts(), *fits])[: width - 1]

    def keep_alive(self) -> None:
        while not self.over.wait(SECONDS_BETWEEN_REDRAWS):
            # Some terminals do not say how wide they are.
            self.write(self.living_line(os.get_terminal_size(self.stream.fileno()).columns or 80))
        self.erase()

    def write(self, text: str) -> None:
        with self.writing:
            self.stream.write(f"{ERASE_LINE if self.watched else ''}{text}")
            self.stream.flush()

    def erase(self) -> None:
        if self.watched:
            self.write("")

    def start(self) -> threading.Thread | None:
        """Begin to redraw the living line; nobody needs one without a terminal."""
        if not self.watched:
            return None
        redrawing = threading.Thread(target=self.keep_alive, daemon=True)
        redrawing.start()
        return redrawing

    def end(self) -> None:
        """The line is erased when the run is over, however it ends."""
        self.over.set()
        self.erase()


def duration(seconds: float) -> str:
    """Seconds as a person would say them."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def show_status_line(plan: Plan) -> None:
    """Put the status line on snakemake's terminal output; another logger plugin, if chosen, is left alone."""
    for handler in logger.handlers:
        if handler.name == "DefaultStreamHandler" and isinstance(handler, logging.StreamHandler):
            line = StatusLine(handler.stream, plan)
            handler.addFilter(line)
            line.start()
            atexit.register(line.end)
