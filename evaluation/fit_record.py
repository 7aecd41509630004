"""The record that a method leaves beside its vectors or scores: fit.json, score.json."""

from pathlib import Path
from typing import Any

from datasets.atomic import read_json
from evaluation.errors import EvaluationError


def read_record(path: Path) -> dict[str, Any]:
    """The record as a mapping, whose `network`, if it has one, is a mapping too."""
    record = read_json(path)
    if not isinstance(record, dict) or not isinstance(record.get("network", {}), dict):
        raise EvaluationError(f"{path}: is not the record of a fit; run the method again")
    return record
