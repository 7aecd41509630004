"""How far a fit is, for someone who watches: a bar on a terminal, else one line in the fit's scratch folder.

The line is no log: it is replaced every few seconds and goes away with the folder. The status line of the workflow
reads it, so that a long fit shows its speed and time left although its words go to a file.
"""

import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

from tqdm import tqdm

FILE = "progress.txt"
SECONDS_BETWEEN_LINES = 2.0
LINE = "{desc} {percentage:.0f}%, {rate_fmt}, {remaining} left"


class LastLine:
    """What tqdm writes to, keeping only the last thing said."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, text: str) -> None:
        line = text.strip()
        if line:
            # A fit does not fail because nobody can be told how far it is.
            with suppress(OSError):
                self.path.write_text(line, encoding="utf-8")

    def flush(self) -> None:
        """Written already."""


def progress_bar(total: int, unit: str, description: str, folder: Path | None) -> "tqdm[Any]":
    """A tqdm bar with rate and time left; `folder` is where the line goes if stderr is no terminal."""
    if sys.stderr.isatty() or folder is None:
        return tqdm(total=total, unit=" " + unit, unit_scale=True, desc=description, disable=None, file=sys.stderr)
    return tqdm(
        total=total,
        unit=" " + unit,
        unit_scale=True,
        desc=description,
        file=LastLine(folder / FILE),
        bar_format=LINE,
        mininterval=SECONDS_BETWEEN_LINES,
        miniters=1,
    )


def last_progress(folder: Path) -> str:
    """What the fit that works in `folder` said last; nothing if it has not said anything."""
    try:
        return (folder / ".work" / FILE).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
