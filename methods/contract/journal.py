"""The journal of a fit: lines that the child process appends as it goes, so that a killed fit leaves what it did."""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from harness.one_line import one_line


@dataclass
class Journal:
    """What the lines add up to. What is empty was not reached before the process ended.

    `seconds_before` are the wall and CPU seconds that led to the checkpoint from which the fit went on.
    """

    network: dict[str, Any] = field(default_factory=dict)
    device: str | None = None
    versions: dict[str, str] = field(default_factory=dict)
    epochs: list[dict[str, Any]] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    outcome: dict[str, Any] = field(default_factory=dict)
    seconds_before: tuple[float, float] = (0.0, 0.0)


def append(path: Path, **entry: Any) -> None:
    """Add one line; `epoch` adds to the list of epochs, any other key replaces what earlier lines said."""
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(plain(entry), allow_nan=False) + "\n")


def read(path: Path) -> Journal:
    journal = Journal()
    if not path.exists():
        return journal
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        try:
            entry = json.loads(line)
        except ValueError:
            continue  # the process was killed in the middle of this line
        if not isinstance(entry, dict):
            continue
        for key, value in entry.items():
            if key == "epoch":
                journal.epochs.append(value)
            elif key in ("versions", "facts"):
                getattr(journal, key).update(value)
            else:
                setattr(journal, key, value)
    return journal


def plain(value: Any) -> Any:
    """The value in the types of JSON: numpy's numbers and arrays as Python's, all else as one line of text.

    NaN, infinity and whole numbers beyond 64 bits are null: what reads the record cannot count with them.
    """
    if isinstance(value, np.generic | np.ndarray):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {one_line(str(key)): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int):
        return int(value) if abs(value) < 2**63 else None
    return one_line(str(value))
