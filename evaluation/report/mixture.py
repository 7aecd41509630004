"""Results of several versions of the evaluation in one run: found by what every file of repeats says of itself."""

from collections import Counter

import pandas as pd

from evaluation.report.run_folder import RunFolder
from evaluation.version import UNKNOWN


def mixtures(run: RunFolder) -> list[str]:
    """One sentence per task whose numbers do not belong in one table; none in a run that was made in one piece.

    The code must be one over all networks, the examples one per network and draw. Files of no stated version are of
    one version, as long as there are no others.
    """
    found = []
    for folder in ("link_prediction", "ranking", "reconstruction"):
        task = folder.replace("_", " ")
        codes: Counter[str] = Counter()
        by_examples: dict[tuple[str, int], set[str]] = {}
        for dataset in run.datasets:
            for method in run.methods:
                for path in run.repeats_files(folder, dataset.name, method.name, run.seeds):
                    rows = pd.read_csv(path, usecols=lambda name: name in ("draw", "evaluation"))
                    if "evaluation" not in rows:
                        rows["evaluation"] = UNKNOWN
                    stated = rows.drop_duplicates().astype({"evaluation": str})
                    codes.update({version.split("-")[0] for version in stated["evaluation"]})
                    for draw, version in zip(stated["draw"], stated["evaluation"], strict=True):
                        by_examples.setdefault((dataset.label, draw), set()).add(version)
        if len(codes) > 1:
            counts = ", ".join(f"{version} ({number} files)" for version, number in sorted(codes.items()))
            found.append(f"{task}: made by several versions of the evaluation: {counts}; run the workflow again")
            continue
        for (label, draw), versions in by_examples.items():
            if len(versions) > 1:
                found.append(f"{task} on {label}: draw {draw} was made from several example sets; run it again")
    return found
