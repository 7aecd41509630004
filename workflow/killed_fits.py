"""Fits that something outside killed are marked cells in the tables, and tried again by the next run.

A step runs again when one of its params differs from the last time: how often its fit was killed is one of them.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from methods.running.job import KILLED


def times_killed(folder: str) -> Callable[[Any], int]:
    """For a rule's params: how often the fit in this folder, a pattern of the rule's wildcards, was killed."""

    def count(wildcards: Any) -> int:
        log = Path(folder.format(**wildcards)) / KILLED
        return len(log.read_text(encoding="utf-8").splitlines()) if log.exists() else 0

    return count
