"""Rows of plain integers, read straight from the bytes: the fast path for edge lists.

An integer is plain if it is written in the one shortest way ("7", "-12", not "007" or "+7"), so that the text of a
label can be had back exactly from its value.
"""

import mmap
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import numba
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from networks.parse.layout import WHITESPACE, Layout
from networks.parse.raw_file import decompressor

PLAIN_INTEGER = re.compile(r"-?[1-9][0-9]{0,17}|0", re.ASCII)
BLOCKS_PER_THREAD = 4


def read_integers(path: Path, layout: Layout) -> list[NDArray[np.int64]] | None:
    """The columns at layout.positions if all their cells are plain integers in regular rows, otherwise None."""
    cells = layout.first_line.split(layout.character)
    if not all(p < len(cells) and PLAIN_INTEGER.fullmatch(cells[p]) for p in layout.positions):
        return None
    with _contents(path) as contents:
        start = _start_of_rows(contents, layout)
        if start is None:
            return None
        return _read_blocks(np.frombuffer(contents, dtype=np.uint8), _block_ends(contents, start), layout)


@contextmanager
def _contents(path: Path) -> Iterator[mmap.mmap | bytes]:
    opener = decompressor(path)
    if opener is not None:
        with opener(path) as file:
            yield file.read()
        return
    with path.open("rb") as file:
        # Not closed here: the arrays over it may live a little longer, and it goes with them.
        yield mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)


def _start_of_rows(contents: mmap.mmap | bytes, layout: Layout) -> int | None:
    """Where the first row begins; None if lines end otherwise than the layout's reader saw them end."""
    start = 0
    for _ in range(layout.skipped):
        start = contents.find(b"\n", start) + 1
        if start == 0:
            return None
    first = layout.first_line.encode()
    return start if contents[start : start + len(first)] == first else None


def _block_ends(contents: mmap.mmap | bytes, start: int) -> list[int]:
    """Cut the rows into blocks that end with a line, a few for every thread that Arrow would use."""
    size = (len(contents) - start) // (BLOCKS_PER_THREAD * pa.cpu_count()) + 1
    ends = [start]
    while ends[-1] < len(contents):
        newline = contents.find(b"\n", min(ends[-1] + size, len(contents)))
        ends.append(newline + 1 if newline >= 0 else len(contents))
    return ends


def _read_blocks(data: NDArray[np.uint8], ends: list[int], layout: Layout) -> list[NDArray[np.int64]] | None:
    slots = np.full(max(layout.positions) + 1, -1, dtype=np.int64)
    slots[list(layout.positions)] = np.arange(len(layout.positions))
    separator = ord(layout.character)
    blocks = list(pairwise(ends))
    with ThreadPoolExecutor(pa.cpu_count()) as pool:
        lines = list(pool.map(lambda block: _count_lines(data, *block), blocks))
        first_rows = np.cumsum([0, *lines])
        values = np.empty((len(layout.positions), first_rows[-1]), dtype=np.int64)

        def read(block: tuple[int, int], first_row: int, n_lines: int) -> bool:
            white = layout.separator == WHITESPACE
            return bool(_read_rows(data, *block, separator, white, slots, values, first_row) == first_row + n_lines)

        if not all(pool.map(read, blocks, first_rows, lines)):
            return None
    return list(values)


@numba.njit(cache=True, nogil=True)
def _count_lines(data, start, end):
    count = 0
    for at in range(start, end):
        count += data[at] == 10
    return count + (end > start and data[end - 1] != 10)


@numba.njit(cache=True, nogil=True)
def _read_rows(data, start, end, separator, white, slots, values, row):
    """Read the lines from `start` to `end` into values[slot, row]; return the row after the last, or -1.

    A column's slot is -1 if it is to be skipped. Whatever the careful reader might understand differently gives -1:
    empty cells between white space, other white space, quotes, carriage returns.
    """
    newline, carriage_return, quote, minus, zero, nine = 10, 13, 34, 45, 48, 57
    at = start
    while at < end:
        for column in range(len(slots)):
            if column > 0:
                if at >= end or data[at] != separator:
                    return -1
                at += 1
            cell = at
            if slots[column] < 0:
                while at < end and data[at] != separator and data[at] != newline:
                    if data[at] < 32 or data[at] == quote or (white and data[at] == 32):
                        return -1
                    at += 1
                if white and at == cell:
                    return -1
                continue
            negative = at < end and data[at] == minus
            if negative:
                at += 1
            digits = at
            value = np.int64(0)
            while at < end and data[at] >= zero and data[at] <= nine:
                value = value * 10 + np.int64(data[at] - zero)
                at += 1
            # 18 digits always fit in an int64.
            if at == digits or at - digits > 18 or (data[digits] == zero and (at - digits > 1 or negative)):
                return -1
            values[slots[column], row] = -value if negative else value
        if at < end and data[at] == separator:
            while at < end and data[at] != newline:
                if data[at] == carriage_return or (data[at] == quote and not white):
                    return -1
                at += 1
        if at < end:
            if data[at] != newline:
                return -1
            at += 1
        row += 1
    return row
