"""Tuning: choose a method's settings by what its trials reach on the validation block, and the table of all trials."""

import json
from pathlib import Path
from typing import Any

import pandas as pd

from evaluation.errors import EvaluationError
from evaluation.repeats_file import LINK_PREDICTION_COLUMNS, read_repeats
from evaluation.report.run_folder import RunFolder
from evaluation.report.tables.formats import Table, number_text, write_table
from harness.files import read_json

# All four operators count alike, so that the choice favors none of the tables' rows.
CRITERION = "mean AUC over the edge operators, validation block"


def choose(trials: list[Path], records_of_fits: list[Path]) -> dict[str, Any]:
    """The best trial, the first among equals; every trial is kept with its score or the reason why it has none.

    A trial is the table of its evaluation and the fit.json with its settings, in the same order.
    """
    if len(trials) != len(records_of_fits):
        raise EvaluationError(f"{len(trials)} trials and {len(records_of_fits)} fits; give one fit.json per trial")
    if not trials:
        raise EvaluationError("no trials to choose from; the tuning section needs at least one")
    fits = [read_json(path) for path in records_of_fits]
    parameters = [fit["parameters"] for fit in fits]
    varied = [key for key in parameters[0] if any(other[key] != parameters[0][key] for other in parameters)]
    records = [
        {"parameters": {key: settings[key] for key in varied}, **outcome(read_repeats(path, LINK_PREDICTION_COLUMNS))}
        for path, settings in zip(trials, parameters, strict=True)
    ]
    scored = [record for record in records if record["score"] is not None]
    if not scored:
        # Nothing to choose by: the defaults stand, and the fits of the main run will say what is wrong.
        return {"criterion": CRITERION, "chosen": None, "parameters": {}, "trials": records}
    best = max(scored, key=lambda record: record["score"])
    return {
        "criterion": CRITERION,
        "chosen": records.index(best),
        "parameters": best["parameters"],
        "trials": records,
    }


def outcome(repeats: pd.DataFrame) -> dict[str, Any]:
    rows = repeats[(repeats["metric"] == "auc") & (repeats["subset"] == "all")]
    failed = rows[rows["status"] != "ok"]
    if rows.empty or len(failed):
        reason = failed["reason"].iloc[0] if len(failed) else "no AUC was computed"
        return {"score": None, "status": failed["status"].iloc[0] if len(failed) else "undefined", "reason": reason}
    return {"score": float(rows.groupby("operator")["value"].mean().mean()), "status": "ok", "reason": ""}


def write_tuning(folder: Path, run: RunFolder) -> None:
    """tables/tuning: every trial with its score, the chosen one in bold."""
    rows: list[list[str]] = []
    bold = set()
    for dataset, method, tuned in run.choices():
        for number, trial in enumerate(tuned["trials"]):
            settings = ", ".join(f"{key} = {json.dumps(value)}" for key, value in trial["parameters"].items())
            score = trial["status"] if trial["score"] is None else number_text(trial["score"], 4)
            if number == tuned["chosen"]:
                bold.add((len(rows), 3))
            rows.append([dataset.label, method.label, settings or "defaults", score])
    if rows:
        caption = (
            f"Trials by {CRITERION}; bold: chosen, and used for every fit of the run (the defaults where every trial "
            "failed). The test edges were not read before the choice."
        )
        header = ["Network", "Method", "Settings", "Score"]
        write_table(folder, Table("tuning", header, rows, caption, labels=3, bold=frozenset(bold)))
