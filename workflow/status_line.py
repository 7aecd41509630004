"""The status line: how far the run is, one line per finished step instead of snakemake's paragraphs.

It sits as a filter on snakemake's own terminal output, so errors and warnings pass untouched, and the full record
stays in .snakemake/log/.
"""

import logging
import time
from typing import Any, TextIO

from snakemake.logging import logger
from snakemake_interface_logger_plugins.common import LogEvent

# Where nobody watches (CI, a log file), a line at every tenth of the run is enough.
LINES_WITHOUT_TERMINAL = 10


class StatusLine(logging.Filter):
    """Turns job events into lines: `[ 55%] 12/22  fit college_msg train node2vec 1: 8 s; 2 running, 1 min left`."""

    def __init__(self, stream: TextIO) -> None:
        super().__init__()
        self.stream = stream
        self.began = time.monotonic()
        self.running: dict[int, tuple[str, float]] = {}
        self.finished = ""
        self.shown = 0

    def filter(self, record: logging.LogRecord) -> bool:
        facts: dict[str, Any] = record.__dict__
        event = facts.get("event")
        if record.levelno > logging.INFO:
            return True
        if event == LogEvent.JOB_INFO:
            words = [facts["rule_name"], *map(str, facts["wildcards"].values())]
            self.running[facts["jobid"]] = (" ".join(words), time.monotonic())
        elif event == LogEvent.JOB_FINISHED:
            name, began = self.running.pop(facts["job_id"], ("", time.monotonic()))
            self.finished = f"{name}: {duration(time.monotonic() - began)}"
        elif event == LogEvent.PROGRESS:
            self.show(facts["done"], facts["total"])
        return False

    def show(self, done: int, total: int) -> None:
        tenth = done * LINES_WITHOUT_TERMINAL // total
        if not self.stream.isatty() and tenth == self.shown:
            return
        self.shown = tenth
        left = (time.monotonic() - self.began) / done * (total - done)
        rest = f"; {len(self.running)} running, about {duration(left)} left" if done < total else ""
        self.stream.write(f"[{done / total:4.0%}] {done}/{total}  {self.finished}{rest}\n")
        self.stream.flush()


def duration(seconds: float) -> str:
    """Seconds as a person would say them."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def show_status_line() -> None:
    """Put the status line on snakemake's terminal output; another logger plugin, if chosen, is left alone."""
    for handler in logger.handlers:
        if handler.name == "DefaultStreamHandler" and isinstance(handler, logging.StreamHandler):
            handler.addFilter(StatusLine(handler.stream))
