"""The files of repeats, seed-<n>.csv: one line per number, written by the evaluation and read by the tables."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from evaluation.errors import EvaluationError
from evaluation.version import UNKNOWN
from harness.files import atomic_path

LINK_PREDICTION_COLUMNS = [
    *("dataset", "method", "seed", "draw", "protocol", "split", "operator", "subset"),
    *("metric", "value", "status", "reason", "by_liblinear", "evaluation"),
]
RECONSTRUCTION_COLUMNS = [
    *("dataset", "method", "seed", "draw", "similarity", "pairs", "precision", "ceiling", "edges_in_sample"),
    *("status", "reason", "evaluation"),
]


def write_repeats(path: Path, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def read_repeats(path: Path, columns: list[str]) -> pd.DataFrame:
    """One raw table; empty values are missing, every other text stays as it is."""
    try:
        rows = pd.read_csv(path, dtype={"reason": str, "status": str}, keep_default_na=False, na_values={})
    except FileNotFoundError:
        raise EvaluationError(f"{path}: no such file; run its step again") from None
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise EvaluationError(
            f"{path}: cannot be read as a table of repeats ({error}); delete it and run again"
        ) from None
    if not isinstance(rows.index, pd.RangeIndex):  # pandas takes cells without a name for row labels
        raise EvaluationError(f"{path}:2: has more cells than line 1 has names; delete the file and run its step again")
    if "evaluation" not in rows:
        rows["evaluation"] = UNKNOWN
    absent = [column for column in columns if column not in rows]
    if absent:
        raise EvaluationError(f"{path}:1: lacks the column {absent[0]}; delete the file and run its step again")
    for layer in [layer for layer in ("seed", "draw", "split") if layer in columns]:
        if not pd.api.types.is_integer_dtype(rows[layer]) and len(rows):
            bad = rows.index[pd.to_numeric(rows[layer], errors="coerce").isna()]
            line = bad[0] + 2 if len(bad) else 2
            raise EvaluationError(
                f"{path}:{line}: {layer} is not a whole number; delete the file and run its step again"
            )
    value = "value" if "value" in columns else "precision"
    rows[value] = pd.to_numeric(rows[value], errors="coerce")
    if "by_liblinear" in columns:
        rows["by_liblinear"] = pd.to_numeric(rows["by_liblinear"], errors="coerce")
    broken = rows.index[(rows["status"] == "ok") & rows[value].isna()]
    if len(broken):
        raise EvaluationError(f"{path}:{broken[0] + 2}: status is ok, but {value} is not a number")
    return rows
