"""Cells of a delimited file as columns of text: at speed if the file is regular, line by line if it is not."""

import csv
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
from numpy.typing import NDArray

from networks.errors import NetworkError
from networks.parse.layout import WHITESPACE, Layout
from networks.parse.raw_file import DAMAGED, decompressor, numbered_lines, open_expanded

ROWS_PER_CHUNK = 1 << 16
BYTES_PER_READ = 1 << 20


def cut_fast(path: Path, layout: Layout) -> list[pa.ChunkedArray] | None:
    """The columns at layout.positions, or None if the file is not regular enough (or damaged) to be cut this way.

    White space is cut at the first kind that the first line uses; a cell that is empty or holds the other kind then
    means that columns may be out of step. In a column asked for, the caller will find it: no label, time or weight is
    like that. Files with quotes are left to the careful reader: an open quote would make Arrow take the rest of the
    file for one cell, without a word.
    """
    names = [f"f{position}" for position in range(max(layout.positions) + 1)]
    used = [names[position] for position in layout.positions]
    opener = decompressor(path)
    try:
        if layout.separator != WHITESPACE and _holds(path, b'"'):
            return None
        with opener(path) if opener else pa.memory_map(str(path)) as file:
            table = pyarrow.csv.read_csv(
                file,
                pyarrow.csv.ReadOptions(autogenerate_column_names=True, skip_rows=layout.skipped),
                pyarrow.csv.ParseOptions(delimiter=layout.character, quote_char=False),
                pyarrow.csv.ConvertOptions(
                    column_types={name: pa.string() for name in names},
                    include_columns=names if layout.separator == WHITESPACE else used,
                ),
            )
    except (pa.ArrowException, KeyError, *DAMAGED):
        return None
    columns = [table.column(name) for name in used]
    skipped = [column for name, column in zip(table.column_names, table.columns, strict=True) if name not in used]
    return None if any(_out_of_step(column) for column in skipped) else columns


def _holds(path: Path, mark: bytes) -> bool:
    with open_expanded(path) as file:
        return any(mark in block for block in iter(lambda: file.read(BYTES_PER_READ), b""))


def _out_of_step(column: pa.ChunkedArray) -> bool:
    return bool(pc.any(pc.or_(pc.equal(column, ""), pc.match_substring_regex(column, "[ \t]"))).as_py())


@dataclass
class BadRows:
    """Rows of a file that cannot be read: at most `allowed` are left out and remembered, one more is an error."""

    path: Path
    allowed: int = 0
    reasons: dict[int, str] = field(default_factory=dict)  # by line number

    def add(self, line: int, reason: str, cause: Exception | None = None) -> None:
        if len(self.reasons) == self.allowed:
            many = f" (one bad row more than the {self.allowed} that may be skipped)" if self.allowed else ""
            raise NetworkError(f"{self.path}:{line}: {reason}{many}") from cause
        self.reasons[line] = reason


def cut_carefully(
    path: Path, layout: Layout, missing: Sequence[str | None], bad: BadRows
) -> tuple[list[pa.ChunkedArray], NDArray[np.int64]]:
    """The columns at layout.positions, and the line number of every row.

    `missing` gives for each column what stands for a cell that the line lacks, None if it must be there.
    """
    chunks: list[list[pa.Array]] = [[] for _ in layout.positions]
    rows: list[list[str]] = [[] for _ in layout.positions]
    line_numbers = array("q")
    needed = 1 + max(place for place, text in zip(layout.positions, missing, strict=True) if text is None)

    def store() -> None:
        for column, values in zip(chunks, rows, strict=True):
            column.append(pa.array(values, pa.string()))
            values.clear()

    for number, line in numbered_lines(path):
        if number <= layout.skipped or not line.strip():
            continue
        try:
            cells = layout.cut(line)
        except csv.Error as error:
            bad.add(number, f"cannot be cut into cells ({error})", error)
            continue
        if len(cells) < needed:
            bad.add(number, f"has {len(cells)} columns where at least {needed} are needed")
            continue
        for values, position, default in zip(rows, layout.positions, missing, strict=True):
            values.append(cells[position] if position < len(cells) else cast(str, default))
        line_numbers.append(number)
        if len(line_numbers) % ROWS_PER_CHUNK == 0:
            store()
    store()
    columns = [pa.chunked_array(column, pa.string()) for column in chunks]
    return columns, np.frombuffer(line_numbers, dtype=np.int64)
