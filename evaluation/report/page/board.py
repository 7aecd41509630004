"""What stands in the page's first screen: warnings that belong to the run, and the data of the board."""

import html
from pathlib import Path
from typing import Any

from markupsafe import Markup

from evaluation.report.mixture import mixtures
from evaluation.report.run_folder import Method, RunFolder
from evaluation.report.tables.board import listed, spoken
from evaluation.report.tables.formats import rows_of
from evaluation.report.tables.link_prediction import OPERATOR_LABELS, PAPER_METRICS, SUMMARY, SUMMARY_WORDS
from evaluation.statistics.layers import covered_layers
from harness.files import read_json

METRICS = PAPER_METRICS | {"ap": "Average precision", "mrr": "MRR", "hits_at_10": "Hits@10"}
CELL_OPERATORS = (SUMMARY, *OPERATOR_LABELS, "score")


def board_data(folder: Path) -> dict[str, Any]:
    """One entry per cell and per rank, with places in lists instead of names, to keep the page small."""
    run = RunFolder(folder)
    rows, ranks = rows_of(folder / "tables" / "link_prediction.csv"), rows_of(folder / "tables" / "ranks.csv")
    evaluated = {row["method"] for row in rows}
    methods = [method for method in run.evaluated_methods if method.name in evaluated]
    protocols = [name for name in run.protocols if any(row["protocol"] == name for row in rows)]
    places: list[dict[str, int]] = [
        {name: place for place, name in enumerate(names)}
        for names in (
            [dataset.name for dataset in run.datasets],
            protocols,
            CELL_OPERATORS,
            METRICS,
            [method.name for method in methods],
        )
    ]
    columns = ("dataset", "protocol", "operator", "metric", "method")

    def indices(row: dict[str, str], first: int) -> list[int] | None:
        found = [place.get(row[column]) for column, place in zip(columns[first:], places[first:], strict=True)]
        known = [place for place in found if place is not None]
        return known if len(known) == len(found) else None

    cells = [
        [*where, *map(number, (row["mean"], row["ci_low"], row["ci_high"])), int(row["n"]), row["status"],
         int(row["ties_with_best"] == "yes")]
        for row in rows
        if (where := indices(row, 0)) is not None
    ]  # fmt: skip
    labels = {SUMMARY: SUMMARY_WORDS.replace("mean", "Mean", 1)} | {
        name: label for name, label in OPERATOR_LABELS.items() if any(row["operator"] == name for row in rows)
    }
    return {
        "cells": cells,
        "ranks": [
            [*where, float(row["average_rank"]), int(row["ties_with_best"] == "yes")]
            for row in ranks
            if (where := indices(row, 1)) is not None
        ],
        "cell_operators": CELL_OPERATORS,
        "datasets": [[dataset.name, dataset.label] for dataset in run.datasets],
        "methods": [[method.name, method.label, group_of(method)] for method in methods],
        "protocols": [[name, spoken(name)] for name in protocols],
        "short": {name: "strict" if name == run.strict_protocol else name.replace("_", " ") for name in protocols},
        "shown": [name for name in run.shown_protocols if name in protocols],
        "operators": list(labels.items()),
        "metrics": list(METRICS.items()),
        "leakage": {dataset.name: shared_pairs(folder, dataset.name) for dataset in run.datasets},
        "note": note(run),
    }


def number(text: str) -> float | None:
    """Every metric lies between 0 and 1; the interval of few repeats may not know that."""
    return min(1.0, max(0.0, round(float(text), 4))) if text else None


def group_of(method: Method) -> str:
    """Nothing for a compared method; else why it stands apart."""
    if method.is_compared:
        return ""
    return "control" if method.role == "control" else "variant"


def shared_pairs(folder: Path, dataset: str) -> dict[str, float | None]:
    """By protocol, the share of tested positive pairs that also trained the classifier."""
    path = folder / "leakage" / f"{dataset}.json"
    return dict(read_json(path).get("classifier_split", {})) if path.exists() else {}


def note(run: RunFolder) -> str:
    draws = len(run.description.get("draws", [1]))
    splits = run.section("link_prediction").get("splits", 1)
    covers = covered_layers((len(run.seeds), draws, splits))
    strict = f"Strict is {spoken(run.strict_protocol)}. " if run.strict_protocol else ""
    over = "over several networks, ranks within the critical difference (Nemenyi)"
    return (
        f"{strict}Small figures are 95% intervals; they cover {covers}. Shaded: the best compared method and those "
        f"that a paired test does not tell from it (Holm, 5%); {over}. “Leak” is the share of tested pairs that "
        "also trained the classifier. Controls and variants have no rank."
    )


def warnings(folder: Path) -> list[str]:
    """What a reader must know before the numbers: reduced settings, one seed, leakage, mixed results."""
    run = RunFolder(folder)
    found = []
    if told := run.description.get("config", {}).get("note"):
        found.append(str(told))
    if len(run.seeds) == 1:
        found.append(
            "One training seed: intervals and ties cover the evaluation of one fit, not what another seed would give."
        )
    if leaks := leakage_sentence(folder, run):
        found.append(leaks)
    ranked = {row["method"] for row in rows_of(folder / "tables" / "ranks.csv") if row["operator"] == SUMMARY}
    evaluated = {row["method"] for row in rows_of(folder / "tables" / "link_prediction.csv")}
    absent = [
        method.label
        for method in run.evaluated_methods
        if method.is_compared and method.name in evaluated - ranked and ranked
    ]
    if absent:
        found.append(f"Not ranked, because a network has no number for it: {listed(absent)}.")
    return found + [f"Mixed results. {sentence}." for sentence in mixtures(run)]


def leakage_sentence(folder: Path, run: RunFolder) -> str:
    """The network that leaks most under the headline, and what random vectors reach there under both protocols."""
    shares = [shared_pairs(folder, dataset.name).get(run.headline_protocol) or 0 for dataset in run.datasets]
    largest = max(shares, default=0)
    if not largest:
        return ""
    worst = run.datasets[shares.index(largest)]
    reached = {
        row["protocol"]: float(row["mean"])
        for row in rows_of(folder / "tables" / "link_prediction.csv")
        if (row["dataset"], row["operator"], row["metric"], row["method"]) == (worst.name, SUMMARY, "auc", "random")
        and row["mean"]
    }
    text = (
        f"Leakage: under {spoken(run.headline_protocol)}, {largest:.0%} of the tested pairs of {worst.label} also "
        "trained the classifier"
    )
    random = [
        f"{reached[protocol]:.2f} under {spoken(protocol)}" for protocol in run.shown_protocols if protocol in reached
    ]
    return f"{text}; random vectors reach {' and '.join(random)} there." if random else f"{text}."


def operators_html(folder: Path, network: str) -> Markup:
    """One small table per operator: methods in rows, AUC under both protocols and the paper's other metrics."""
    run = RunFolder(folder)
    cells = {
        (row["protocol"], row["operator"], row["metric"], row["method"]): row
        for row in rows_of(folder / "tables" / "link_prediction.csv")
        if row["dataset"] == network
    }
    headline, *strict = run.shown_protocols
    columns = [(headline, "auc", "AUC"), *((name, "auc", "AUC, strict") for name in strict)]
    columns += [(headline, metric, label) for metric, label in PAPER_METRICS.items() if metric != "auc"]
    parts = []
    for operator in [name for name in OPERATOR_LABELS if any(key[1] == name for key in cells)]:
        head = "".join(f'<th scope="col">{label}</th>' for *_, label in columns)
        body = []
        for method in run.evaluated_methods:
            found = [
                cells.get((protocol, operator, metric, method.name))
                or cells.get((protocol, "score", metric, method.name))
                for protocol, metric, _ in columns
            ]
            if any(found):
                mark = "" if method.is_compared else " †"
                name = f'<th scope="row">{html.escape(method.label)}{mark}</th>'
                body.append(f"<tr>{name}{''.join(map(cell_html, found))}</tr>")
        parts.append(
            f'<div><h4>{OPERATOR_LABELS[operator]}</h4><div class="scroll" role="region" tabindex="0" '
            f'aria-label="{html.escape(network)}, {OPERATOR_LABELS[operator]}"><table><thead><tr>'
            f'<th scope="col">Method</th>'
            f"{head}</tr></thead><tbody>{''.join(body)}</tbody></table></div></div>"
        )
    under = f"Protocol {spoken(headline)}" + (f"; strict: {spoken(strict[0])}" if strict else "")
    notes = f"{under}. Marked: the best of the column and ties with it. † controls and variants, never marked."
    return Markup(  # noqa: S704 (labels are escaped above)
        f'<details open><summary>By operator</summary><div class="grid">{"".join(parts)}</div></details>'
        f'<p class="soft small">{html.escape(notes)}</p>'
    )


def cell_html(row: dict[str, str] | None) -> str:
    if row is None:
        return "<td>&ndash;</td>"
    if not row["mean"]:
        return f'<td class="missing">{html.escape(row["status"])}</td>'
    text = f"{float(row['mean']):.4f}"
    return f"<td><strong>{text}</strong></td>" if row["ties_with_best"] == "yes" else f"<td>{text}</td>"
