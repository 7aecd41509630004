"""The page: one self-contained file with the tables, figures, checks and provenance of a run."""

import base64
import csv
import html
import re
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from datasets.atomic import read_json, write_text

TEMPLATE = Path(__file__).parent / "page.html"

# Titles and order of the tables that the page knows; a table that is not listed follows under its file name.
TITLES = {
    "datasets": "Networks",
    "link_prediction": "Link prediction",
    "reconstruction": "Network reconstruction: Precision@P",
    "ablation": "Ablation",
    "efficiency": "Efficiency",
    "significance": "Comparisons with correction for repeated tests",
    "tuning": "Tuning",
    "paper_diff": "The paper's numbers beside ours",
    "paper_audit": "Numbers of the paper that do not add up",
}


def write_page(folder: Path) -> None:
    """Render the page of a run from its tables, figures and manifest."""
    manifest = read_json(folder / "manifest.json")
    environment = Environment(
        loader=FileSystemLoader(TEMPLATE.parent), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    page = environment.get_template(TEMPLATE.name).render(
        run=manifest["run"],
        manifest=manifest,
        leaderboard=leaderboard(folder),
        tables=tables(folder),
        figures=figures(folder),
        leakage=leakage(folder),
        status=rows_of(folder / "tables" / "status.csv"),
    )
    write_text(folder / "index.html", page)


def rows_of(path: Path) -> list[dict[str, str]]:
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def leaderboard(folder: Path) -> dict[str, Any]:
    """What the reader can sort and filter: one entry per cell, numbers short enough to keep the page small."""

    def number(text: str) -> float | None:
        return round(float(text), 4) if text else None

    cells = [
        [
            row["dataset"],
            row["protocol"],
            row["operator"],
            row["metric"],
            row["method"],
            number(row["mean"]),
            number(row["ci_low"]),
            number(row["ci_high"]),
            row["n"],
            row["status"],
        ]
        for row in rows_of(folder / "tables" / "link_prediction.csv")
    ]
    run = read_json(folder / "run.json")
    return {
        "cells": cells,
        "datasets": [[dataset["name"], dataset["label"]] for dataset in run["datasets"]],
        "methods": [[method["name"], method["label"], method["role"]] for method in run["methods"]],
        "protocols": run["config"]["link_prediction"]["protocols"],
    }


def tables(folder: Path) -> list[dict[str, Any]]:
    """Every table of the run that has a Markdown form, in the order of TITLES."""

    def rank(path: Path) -> tuple[int, str]:
        known = [i for i, name in enumerate(TITLES) if path.stem == name or path.stem.startswith(name + "_")]
        return (known[-1] if known else len(TITLES), path.stem)

    labels = {dataset["name"]: dataset["label"] for dataset in read_json(folder / "run.json")["datasets"]}
    shown = []
    for path in sorted((folder / "tables").glob("*.md"), key=rank):
        base = next((name for name in TITLES if path.stem == name), None)
        if base is not None:
            title = TITLES[base]
        elif path.stem.startswith("link_prediction_"):
            dataset = path.stem.removeprefix("link_prediction_")
            title = f"Link prediction on {labels.get(dataset, dataset)}"
        else:
            title = path.stem.replace("_", " ").capitalize()
        files = [other.name for other in sorted(path.parent.glob(path.stem + ".*"))]
        content = Markup(table_html(path.read_text(encoding="utf-8")))  # noqa: S704 (escaped in table_html)
        shown.append({"id": path.stem, "title": title, "html": content, "files": files})
    return shown


def table_html(markdown: str) -> str:
    """A pipe table with its notes as HTML; the first column heads its row, **bold** and `code` keep their meaning."""
    lines = markdown.strip().splitlines()
    piped = [line for line in lines if line.lstrip().startswith("|")]
    notes = [line for line in lines if line.strip() and not line.lstrip().startswith(("|", "#"))]
    parts = [f"<p>{inline(note)}</p>" for note in notes]
    if len(piped) >= 2:
        header, _, *body = [
            [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))] for line in piped
        ]
        head = "".join(f'<th scope="col">{inline(cell)}</th>' for cell in header)
        rows = "".join(
            "<tr>"
            + f'<th scope="row">{inline(row[0])}</th>'
            + "".join(f"<td>{inline(cell)}</td>" for cell in row[1:])
            + "</tr>"
            for row in body
        )
        scroll = (
            f'<div class="scroll" tabindex="0"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'
        )
        parts.insert(0, scroll)
    return "\n".join(parts)


def inline(text: str) -> str:
    escaped = html.escape(text.replace("\\|", "|"))
    escaped = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", escaped)
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escaped)


def figures(folder: Path) -> list[dict[str, Any]]:
    """Figures as vector images inside the page, so that it can be moved and opened without anything beside it."""
    captions: dict[str, str] = read_json(folder / "figures" / "captions.json")
    shown = []
    for name, caption in captions.items():
        picture = (folder / "figures" / f"{name}.svg").read_bytes()
        source = "data:image/svg+xml;base64," + base64.b64encode(picture).decode()
        shown.append({"id": name, "caption": caption, "source": source})
    return shown


def leakage(folder: Path) -> list[dict[str, Any]]:
    """The leakage reports, one per network, in the order of the run."""
    reports = []
    for dataset in read_json(folder / "run.json")["datasets"]:
        path = folder / "leakage" / f"{dataset['name']}.json"
        if path.exists():
            reports.append({"label": dataset["label"], "report": flatten(read_json(path))})
    return reports


def flatten(value: Any, prefix: str = "") -> list[tuple[str, str]]:
    """Nested facts as (name, text) lines."""
    if isinstance(value, dict):
        return [line for key, part in value.items() for line in flatten(part, f"{prefix}{key.replace('_', ' ')}: ")]
    text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return [(prefix.removesuffix(": "), text)]
