"""Layout: how the rows of a delimited text file are cut, found from the options and the top of the file."""

import csv
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.schema import nearest
from networks.errors import NetworkError
from networks.parse.raw_file import numbered_lines

WHITESPACE = "whitespace"
# What no name in a header is like: a number, or the word for one that is missing.
NUMERIC_START = re.compile(r"[+-]?(\.?[0-9]|(nan|inf|infinity)$)", re.IGNORECASE)


@dataclass(frozen=True)
class Layout:
    """Positions count from 0; `separator` is one character or WHITESPACE (any run of spaces and tabs).

    `first_line` is the first line as cut, before which `skipped` lines (comments, header) stand.
    """

    separator: str
    positions: tuple[int, ...]
    skipped: int
    first_line: str
    header: tuple[str, ...] = ()
    comments: tuple[str, ...] = ()

    @property
    def character(self) -> str:
        """The one character between the cells of a regular file: for white space, the kind that the first line uses."""
        if self.separator != WHITESPACE:
            return self.separator
        return "\t" if "\t" in self.first_line else " "

    def cut(self, line: str) -> list[str]:
        return cut_line(line, self.separator)


def cut_line(line: str, separator: str) -> list[str]:
    """The cells of one line. Only separators other than white space know quotes; csv.Error for an open quote."""
    if separator == WHITESPACE:
        return re.split(r"[ \t]+", line.strip(" \t"))
    return next(csv.reader([line], delimiter=separator, strict=True))


def look_at_top(
    path: Path,
    columns: Sequence[str | int],
    separator: str = "auto",
    header: bool | None = None,
    comment: str = "#%",
) -> Layout:
    """Skip comment lines, find the separator and the header, and turn `columns` into positions.

    Comments stand at the top only: further down a line that begins with "#" is a row (a hashtag may be a label).
    Without a word on it, the first line is a header if a column is asked for by name, or if no cell begins like a
    number.
    """
    lines = numbered_lines(path)
    comments, skipped, first = _first_line(lines, tuple(comment))
    if first is None:
        raise NetworkError(f"{path}: has no rows")
    if separator == "auto":
        # Three columns need two separators; a lone tab or comma belongs to something else.
        separator = next((mark for mark in (",", "\t", ";") if first.count(mark) >= 2), WHITESPACE)
    elif separator in (" ", WHITESPACE, "\\s+"):
        separator = WHITESPACE
    elif separator == "\\t":
        separator = "\t"
    # Arrow and the reader of integers compare single bytes.
    if separator != WHITESPACE and not (len(separator) == 1 and separator.isascii() and separator != "\0"):
        raise NetworkError(f"separator {separator!r}: give one character (ASCII, no NUL), or {WHITESPACE!r}")
    try:
        cells = [cell.strip() for cell in cut_line(first, separator)]
    except csv.Error as error:
        raise NetworkError(f"{path}:{skipped + 1}: cannot be cut into cells ({error})") from error
    if header is None:
        named = any(isinstance(column, str) and not column.isdecimal() for column in columns)
        header = named or not any(NUMERIC_START.match(cell) for cell in cells)
    positions = tuple(_position(path, column, cells if header else None) for column in columns)
    if len(set(positions)) < len(positions):
        raise NetworkError(f"columns {', '.join(map(str, columns))}: name different ones")
    if not header:
        return Layout(separator, positions, skipped, first, comments=comments)
    _, blank, second = _first_line(lines, ())
    if second is None:
        raise NetworkError(f"{path}: has a header but no rows")
    return Layout(separator, positions, skipped + 1 + blank, second, tuple(cells), comments)


def _first_line(lines: Iterator[tuple[int, str]], marks: tuple[str, ...]) -> tuple[tuple[str, ...], int, str | None]:
    """Comments, the number of lines skipped, and the first line that is neither a comment nor blank."""
    comments: list[str] = []
    skipped = 0
    for _, line in lines:
        if line.strip() and not line.startswith(marks or ("\0",)):
            return tuple(comments), skipped, line
        if line.strip():
            comments.append(line)
        skipped += 1
    return tuple(comments), skipped, None


def _position(path: Path, column: str | int, header: list[str] | None) -> int:
    """Columns are named as in the header, or by their position counted from 1."""
    if header is not None and column in header:
        return header.index(str(column))
    if isinstance(column, int) or column.isdecimal():
        if int(column) < 1:
            raise NetworkError(f"column {column}: positions count from 1")
        return int(column) - 1
    raise NetworkError(f"{path}: has no column {column!r}{nearest(column, header or [])}")
