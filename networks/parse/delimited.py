"""Delimited text, one contact per line: SNAP, HTNE, CSV with or without a header, and whatever looks like them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from networks.errors import NetworkError
from networks.parse.cells import BadRows, cut_carefully, cut_fast
from networks.parse.contacts import Column, Contacts
from networks.parse.encode import encode_labels
from networks.parse.integers import read_integers
from networks.parse.layout import WHITESPACE, Layout, look_at_top
from networks.parse.raw_file import DAMAGED
from networks.parse.times import UnreadableCellError, check_time_format, merged_times, time_unit, to_numbers

UNREADABLE = "unreadable"
TIME_OF_DAY = re.compile(r"[0-9]{1,2}:[0-9]{2}")


def read_delimited(
    path: Path,
    *,
    columns: Sequence[str | int] | None = None,
    separator: str = "auto",
    time_format: str = "number",
    header: bool | None = None,
    prefixes: Sequence[str] | None = None,
    skip_bad_rows: int = 0,
) -> Contacts:
    """Read contacts from the columns source, target, time, named as in the header or counted from 1.

    Without `columns` these are the first three, which a header may name, but no more: a fourth could be the time.
    `separator` is one character or "whitespace"; `time_format` is number, unix, year, iso or a strptime pattern;
    lines at the top that begin with # or % are skipped; `prefixes` are put before the labels of
    sources and targets, for a bipartite network whose sides are numbered apart (user 7 is not item 7).
    White space around a cell is not part of it. Of rows that cannot be read, up to `skip_bad_rows` are left out.
    """
    check_time_format(time_format)
    wanted = (1, 2, 3) if columns is None else columns
    if len(wanted) != 3:
        raise NetworkError(f"columns {list(wanted)}: name three of them, source, target and time")
    if prefixes is not None and (len(prefixes) != 2 or prefixes[0] == prefixes[1]):
        raise NetworkError(f"prefixes {list(prefixes)}: give two that differ, for sources and for targets")
    layout = look_at_top(path, wanted, separator, header)
    if header is None and layout.header and _begins_with_a_row(layout, time_format):
        layout = look_at_top(path, wanted, separator, False)
    if columns is None and len(layout.header) > 3:
        named = ", ".join(layout.header)[:60]
        raise NetworkError(
            f"{path}: its header names more than three columns ({named}); give source, target and time as `columns`"
        )
    if time_format == "iso":
        _refuse_cut_dates(path, layout)

    def contacts_of(cells: list[Column]) -> Contacts:
        source, target, time = cells
        codes = encode_labels(source, target, prefixes)
        check_labels(*codes, prefixes or ("", ""), layout)
        times = to_numbers(time, time_format)
        facts: dict[str, Any] = {"header": list(layout.header)} if layout.header else {}
        if layout.comments:
            facts["comment_lines"] = len(layout.comments)
        if merged := merged_times(time, times, time_format):
            facts["merged_times"] = merged
        return Contacts(*codes[:2], times, codes[2], len(times), time_unit(time_format), facts=facts)

    return read_cells(path, layout, contacts_of, (None, None, None), skip_bad_rows)


def _begins_with_a_row(layout: Layout, time_format: str) -> bool:
    """Whether the supposed header has a time where the time is, as in "ann,bob,May 5 2004", which has no number."""
    if layout.positions[2] >= len(layout.header):
        return False
    try:
        to_numbers(pa.chunked_array([[layout.header[layout.positions[2]]]], pa.string()), time_format)
    except UnreadableCellError:
        return False
    return True


def _refuse_cut_dates(path: Path, layout: Layout) -> None:
    """Cut at white space, "2016-01-01 10:23:11" would lose its time of day without a word: a date is a time, too."""
    if layout.separator != WHITESPACE:
        return
    after = layout.cut(layout.first_line)[layout.positions[2] + 1 :][:1]
    if after and TIME_OF_DAY.match(after[0]):
        raise NetworkError(
            f"{path}:{layout.skipped + 1}: white space cuts the time of day {after[0][:60]!r} off its date; "
            "join them by a T, or separate the columns by another character"
        )


def read_cells(
    path: Path,
    layout: Layout,
    contacts_of: Callable[[list[Column]], Contacts],
    missing: Sequence[str | None],
    skip_bad_rows: int = 0,
) -> Contacts:
    """Read at speed; where that does not work out, go line by line, which either succeeds or can name the line.

    Rows that are skipped are counted under "unreadable", and `facts` lists them by line with the reason.
    """
    for cut in (read_integers, cut_fast):
        try:
            cells = cut(path, layout)
            if cells is not None:
                return contacts_of(cells)
        except (UnreadableCellError, *DAMAGED):
            pass
    bad = BadRows(path, skip_bad_rows)
    cells, lines = cut_carefully(path, layout, missing, bad)
    while True:
        try:
            contacts = contacts_of(cells)
            break
        except UnreadableCellError as error:
            for row in error.rows:
                bad.add(int(lines[row]), error.reason_of(int(row)), error)
            kept = np.delete(np.arange(len(lines)), error.rows)
            cells, lines = [column.take(kept) for column in cells], lines[kept]
    if not bad.reasons:
        return contacts
    count = len(bad.reasons)
    listed = {str(line): bad.reasons[line] for line in sorted(bad.reasons)}
    return replace(
        contacts,
        rows=contacts.rows + count,
        dropped=contacts.dropped | {UNREADABLE: count},
        facts=contacts.facts | {"skipped_lines": listed},
    )


def check_labels(
    source: np.ndarray, target: np.ndarray, labels: pa.LargeStringArray, prefixes: Sequence[str], layout: Layout
) -> None:
    """Refuse the first row with an empty label or one with a NUL; a label with a tab was cut at the wrong places."""
    marks = "\0 \t" if layout.separator == WHITESPACE else "\0"
    unusable = [pc.equal(labels, prefix) for prefix in set(prefixes)]
    unusable += [pc.match_substring(labels, mark) for mark in marks]
    marked = np.logical_or.reduce([np.asarray(labels_marked) for labels_marked in unusable])
    if not marked.any():
        return

    def reason_of(row: int) -> str:
        label = labels[int(source[row] if marked[source[row]] else target[row])].as_py()
        return "the label is empty" if label in prefixes else f"the label {label[:60]!r} is unusable"

    raise UnreadableCellError(np.flatnonzero(marked[source] | marked[target]), reason_of)
