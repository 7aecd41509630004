"""Times as numbers: plain numbers stay as they are, dates become seconds since 1970."""

import re
from collections.abc import Callable
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from networks.errors import NetworkError
from networks.parse.contacts import Column, TimeArray

# number: any number of unknown unit; unix: seconds since 1970; year: a calendar year; iso: ISO 8601.
NO_NUMBER = "is not a number"
NUMBER_FORMATS = ("number", "unix", "year")
NAMED_FORMATS = (*NUMBER_FORMATS, "iso")
ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
SOME_DATE = re.compile(r"[0-9]+[-/. ][0-9A-Za-z]+[-/. ,]+[0-9]+|[A-Za-z]{3,} +[0-9]+")
NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


class UnreadableCellError(Exception):
    """Cells that cannot be read; `rows` count from 0 among the rows with data, and the first gives the message."""

    def __init__(self, rows: NDArray[np.int64], reason_of: Callable[[int], str]) -> None:
        super().__init__(reason_of(int(rows[0])))
        self.rows, self.reason_of = rows, reason_of


def check_time_format(time_format: str) -> None:
    if time_format not in NAMED_FORMATS and "%" not in time_format:
        raise NetworkError(
            f"time format {time_format!r} is not known; use {', '.join(NAMED_FORMATS)} "
            "or a pattern such as '%Y-%m-%d %H:%M:%S'"
        )


def time_unit(time_format: str) -> str:
    return {"number": "", "year": "years"}.get(time_format, "seconds")


def to_numbers(cells: Column, time_format: str) -> TimeArray:
    """One number per cell: int64 if all are whole, float64 otherwise.

    Numbers are kept as they are. A date without a time zone is taken as UTC.
    """
    if isinstance(cells, np.ndarray):
        if time_format in NUMBER_FORMATS:
            return cells
        texts = pa.chunked_array([pa.array(cells).cast(pa.string())])
    else:
        texts = cells
    if time_format in NUMBER_FORMATS:
        return _numbers(texts)
    return _dates(texts, _pattern(time_format))


def _numbers(texts: pa.ChunkedArray) -> TimeArray:
    trimmed = pc.ascii_trim_whitespace(texts)
    _refuse_first(pc.invert(pc.match_substring_regex(trimmed, NUMBER)), texts, NO_NUMBER)
    try:
        return np.asarray(pc.cast(trimmed, pa.int64()), dtype=np.int64)
    except pa.ArrowInvalid:
        values = np.asarray(pc.cast(trimmed, pa.float64()), dtype=np.float64)
    _refuse_first(~np.isfinite(values), texts, "is not a finite number")
    return values


def merged_times(cells: Column, times: TimeArray, time_format: str) -> int:
    """How many distinct times of the source `times`, made of it, no longer tells apart.

    A float64 holds 15 digits, a date is read to the microsecond: nanoseconds since 1970 fall together in both.
    """
    if isinstance(cells, np.ndarray) or (time_format in NUMBER_FORMATS and times.dtype == np.int64):
        return 0
    distinct = pc.ascii_trim_whitespace(pc.unique(cells))
    if time_format not in NUMBER_FORMATS:
        return _parsed(distinct, _pattern(time_format)).nunique() - len(pd.unique(times))
    values = pd.Series(np.asarray(pc.cast(distinct, pa.float64())))
    shared = values.duplicated(keep=False).to_numpy()
    # "1" and "1.0" are one time in the source, too; only texts that share their number are looked at so closely.
    exact = {Decimal(text) for text in distinct.filter(pa.array(shared)).to_pylist()}
    return len(exact) - values[shared].nunique()


def _pattern(time_format: str) -> str:
    return "ISO8601" if time_format == "iso" else time_format


def _parsed(texts: pa.Array, pattern: str) -> pd.DatetimeIndex:
    try:
        return pd.DatetimeIndex(pd.to_datetime(texts.to_pandas(), format=pattern, utc=True, errors="coerce"))
    except ValueError as error:
        raise NetworkError(f"time format {pattern!r} cannot be used: {error}") from error


def _dates(texts: pa.ChunkedArray, pattern: str) -> TimeArray:
    encoded = texts.dictionary_encode().combine_chunks()
    dates = _parsed(pc.ascii_trim_whitespace(encoded.dictionary), pattern)
    codes = encoded.indices.to_numpy()
    expected = "an ISO 8601 date" if pattern == "ISO8601" else f"a date of the form {pattern}"
    _refuse_first(np.asarray(dates.isna())[codes], texts, f"is not {expected}")
    microseconds = dates.as_unit("us").asi8
    whole, rest = np.divmod(microseconds, 1_000_000)
    seconds: TimeArray = whole if not rest.any() else microseconds / 1e6
    return seconds[codes]


def _refuse_first(unreadable: NDArray[np.bool_] | pa.ChunkedArray, texts: pa.ChunkedArray, why: str) -> None:
    marked = np.flatnonzero(np.asarray(unreadable))
    if not len(marked):
        return

    def reason_of(row: int) -> str:
        text = texts[row].as_py()
        return f"the time {text[:60]!r} {why}{_hint(text) if why == NO_NUMBER else ''}"

    raise UnreadableCellError(marked, reason_of)


def _hint(text: str) -> str:
    if ISO_DATE.match(text.strip()):
        return "; dates such as this one are read with the time format iso (--time-format iso)"
    if SOME_DATE.match(text.strip()):
        return "; if it is a date, give its pattern as time format (such as --time-format '%d/%m/%Y')"
    return ""
