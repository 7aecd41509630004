"""The page: one self-contained file with the tables, figures, checks and provenance of a run."""

import base64
import html
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from evaluation.examples.protocols import PROTOCOLS
from evaluation.report.page.board import board_data, operators_html, warnings
from evaluation.report.sections import FIGURES, LINK_PREDICTION, SECTIONS, TABLES, place_of_figure, place_of_table
from evaluation.report.tables.board import spoken
from evaluation.report.tables.formats import rows_of
from harness.files import read_json, write_text

TEMPLATE = Path(__file__).parent / "page.html"
# Figures have letters of 8 points for a printed column; a screen wants them larger.
PIXELS_PER_POINT = 1.75
# Facts of a leakage report that say which examples it is about, not what they give away.
IDENTITY = ("dataset", "block", "draw", "examples_sha256")
FACTS = {
    "classifier_split": "share of tested pairs that also trained the classifier",
    "split_time": "cut in time",
    "auc_of_trivial_scores": "AUC without learning",
}
# Figures behind a click, and tables that the page shows in another form.
ON_DEMAND = ("link_prediction_operators",)
SHOWN_ABOVE = ("board",)
EXPERIMENTS = ("ranking", "reconstruction", "ablation", "efficiency", "sensitivity", "tuning")


def write_page(folder: Path) -> None:
    """Render the page of a run from its tables, figures and manifest."""
    manifest = read_json(folder / "manifest.json")
    run = manifest["run"]
    protocols = run["config"]["link_prediction"]["protocols"]
    environment = Environment(
        loader=FileSystemLoader(TEMPLATE.parent), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )
    page = environment.get_template(TEMPLATE.name).render(
        run=run,
        manifest=manifest,
        experiments=["link prediction", *(name for name in EXPERIMENTS if run["config"].get(name))],
        verdict=text_of(folder / "tables" / "verdict.txt"),
        warnings=warnings(folder),
        protocols=[{"label": spoken(name), "description": PROTOCOLS[name].description} for name in protocols],
        leaderboard=board_data(folder),
        board=board_without_script(folder),
        paper_fit=text_of(folder / "tables" / "paper_fit.txt"),
        sections=sections(folder, {dataset["name"]: dataset["label"] for dataset in run["datasets"]}),
        leakage=leakage(folder),
        status=status(folder, run),
        citations=citations(run),
    )
    write_text(folder / "index.html", page)


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8").strip() if path.exists() else ""


def board_without_script(folder: Path) -> Markup:
    path = folder / "tables" / "board.md"
    return table(path, "The board")["html"] if path.exists() else Markup("")


def sections(folder: Path, networks: dict[str, str]) -> list[dict[str, Any]]:
    """Figures and tables that belong together, and files that have no form to be read on a page."""
    found: dict[str, dict[str, Any]] = {
        name: {"id": name.lower().replace(" ", "-"), "title": name, "figures": [], "tables": [], "files": []}
        for name in SECTIONS
    }
    for path in in_order((folder / "figures").glob("*.svg"), FIGURES):
        place = place_of_figure(path.stem)
        found[place.section]["figures"].append(figure(path, place.title))
    readable = set((folder / "tables").glob("*.md"))
    readable -= {folder / "tables" / f"{name}.md" for name in SHOWN_ABOVE}
    data_alone = {path for path in (folder / "tables").glob("*.csv") if not path.with_suffix(".md").exists()}
    for path in in_order(readable | data_alone, TABLES):
        place = place_of_table(path.stem, networks)
        network = path.stem.removeprefix("link_prediction_")
        if path in readable and place.section == LINK_PREDICTION and network in networks:
            content = operators_html(folder, network)
            found[place.section]["tables"].append({**table(path, place.title), "html": content})
        elif path in readable:
            found[place.section]["tables"].append(table(path, place.title))
        else:
            found[place.section]["files"].append({"name": path.name, "title": place.title})
    return [section for section in found.values() if section["figures"] or section["tables"] or section["files"]]


def in_order(paths: Iterable[Path], known: Iterable[str]) -> list[Path]:
    """The known ones as they are listed, then the others by name."""
    ranks = {name: rank for rank, name in enumerate(known)}
    return sorted(paths, key=lambda path: (ranks.get(path.stem, len(ranks)), path.stem))


def figure(path: Path, title: str) -> dict[str, Any]:
    """A vector image inside the page, so that it can be moved and opened without anything beside it."""
    picture = path.read_bytes()
    source = "data:image/svg+xml;base64," + base64.b64encode(picture).decode()
    points = re.search(rb'<svg[^>]* width="([\d.]+)pt"', picture)
    width = round(PIXELS_PER_POINT * float(points[1])) if points else None
    caption = path.with_suffix(".txt").read_text(encoding="utf-8").strip()
    files = [path.with_suffix(suffix).name for suffix in (".svg", ".pdf", ".png")]
    return {
        **{"id": path.stem, "title": title, "source": source, "width": width, "caption": caption, "files": files},
        "on_demand": path.stem in ON_DEMAND,
    }


def table(path: Path, title: str) -> dict[str, Any]:
    files = [other.name for other in sorted(path.parent.glob(path.stem + ".*"))]
    content = Markup(table_html(path.read_text(encoding="utf-8"), title))  # noqa: S704 (escaped in table_html)
    return {"id": path.stem, "title": title, "html": content, "files": files}


def table_html(markdown: str, title: str) -> str:
    """A pipe table with its notes as HTML; the first column heads its row, **bold** and `code` keep their meaning.

    Columns of text stand to the left, as the second line says; a rule parts rows whose first cells differ, and a first
    cell that repeats the one above is there for readers of single rows only.
    """
    lines = markdown.strip().splitlines()
    piped = [line for line in lines if line.lstrip().startswith("|")]
    notes = [line for line in lines if line.strip() and not line.lstrip().startswith(("|", "#"))]
    header, rule, *body = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))] for line in piped]
    side = [' class="text"' if mark.startswith(":") else "" for mark in rule]
    starts = [i for i, row in enumerate(body) if i == 0 or row[0] != body[i - 1][0]]
    blocks = len(starts) == len({row[0] for row in body}) < len(body)
    rows = []
    for number, row in enumerate(body):
        new = ' class="new"' if blocks and number and number in starts else ""
        cells = "".join(
            f'<td{side[i]} data-label="{html.escape(header[i])}">{inline(cell)}</td>' for i, cell in enumerate(row) if i
        )
        name = inline(row[0])
        if blocks and number not in starts:
            name = f'<span class="again">{name}</span>'
        rows.append(f'<tr{new}><th scope="row">{name}</th>{cells}</tr>')
    head = "".join(f'<th scope="col"{side[i]}>{inline(cell)}</th>' for i, cell in enumerate(header))
    return "\n".join(
        [
            f'<div class="scroll cards" role="region" aria-label="{html.escape(title)}" tabindex="0">',
            f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table></div>",
            *(f'<p class="soft small">{inline(note)}</p>' for note in notes),
        ]
    )


def inline(text: str) -> str:
    escaped = html.escape(text.replace("\\|", "|"))
    escaped = re.sub(r"\*\*(.+?)\*\*(?!\*)", r"<strong>\1</strong>", escaped)
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escaped)


def leakage(folder: Path) -> dict[str, Any] | None:
    """The leakage reports side by side: one row per fact, one column per network in the order of the run."""
    reports = {}
    for dataset in read_json(folder / "run.json")["datasets"]:
        path = folder / "leakage" / f"{dataset['name']}.json"
        if path.exists():
            report = {key: fact for key, fact in read_json(path).items() if key not in IDENTITY}
            reports[dataset["name"], dataset["label"]] = dict(flatten(report))
    facts = list(dict.fromkeys(fact for report in reports.values() for fact in report))
    if not facts:
        return None
    return {
        "networks": [{"name": name, "label": label} for name, label in reports],
        "rows": [[fact, *(report.get(fact, "—") for report in reports.values())] for fact in facts],
    }


def flatten(value: Any, prefix: str = "") -> list[tuple[str, str]]:
    """Nested facts as (name, text) lines."""
    if isinstance(value, dict):
        named = {FACTS.get(key, key.replace("_", " ")): part for key, part in value.items()}
        return [line for name, part in named.items() for line in flatten(part, f"{prefix}{name}: ")]
    if value is None or isinstance(value, bool):
        text = {None: "—", True: "yes", False: "no"}[value]
    else:
        text = f"{value:.4g}" if isinstance(value, float) else str(value)
    return [(prefix.removesuffix(": "), text)]


def status(folder: Path, run: dict[str, Any]) -> list[dict[str, Any]]:
    """Why cells have no number, with the names that the tables use."""
    networks, methods = ({entry["name"]: entry["label"] for entry in run[key]} for key in ("datasets", "methods"))
    return [
        {
            "Step": row["task"],
            "Network": networks.get(row["dataset"], row["dataset"]),
            "Method": methods.get(row["method"], row["method"]),
            "Seed": row["seed"],
            "Protocol": row["protocol"].replace("_", " ") or "—",
            "Status": row["status"],
            "Cells": int(row["cells"]),
            "Reason": row["reason"],
        }
        for row in rows_of(folder / "tables" / "status.csv")
    ]


def citations(run: dict[str, Any]) -> list[tuple[str, str]]:
    """Names with what to cite for them, each source once, in the order of the run; controls may have none."""
    names: dict[str, list[str]] = {}
    for entry in (*run["methods"], *run["datasets"]):
        citation = entry.get("citation")
        if citation and not citation.startswith("none"):
            names.setdefault(citation, []).append(entry["label"])
    return [(", ".join(labels), citation) for citation, labels in names.items()]
