"""The paper's numbers beside ours where the network is the same, and the paper's own contradictions."""

from pathlib import Path

from evaluation.report.paper.audit import Inconsistency, find_inconsistencies
from evaluation.report.paper.numbers import (
    BASELINES,
    CITATION,
    ERROR_REDUCTION,
    PROPOSED,
    PaperCell,
    our_name,
    paper_cells,
)
from evaluation.report.run_folder import Method, RunFolder
from evaluation.report.tables.formats import Table, number_text, write_csv, write_table
from evaluation.report.tables.link_prediction import LinkPrediction, error_reduction
from evaluation.report.tables.run import costs, measured_fits
from evaluation.statistics.repeats import Summary

COLUMNS = [
    *("table", "dataset", "operator", "metric", "method", "paper", "ours", "difference", "status"),
    "paper_contradicts_itself",
]
DIGITS = {"datasets": 0, "link_prediction": 4, "ablation": 4, "efficiency": 2}
CAPTION = (
    "Our number, in brackets the paper's and ours minus the paper's. ‡ a number of the paper that contradicts the "
    f"ones beside it. The paper's numbers: {CITATION}."
)
Ours = tuple[float | None, str]


def write_paper_audit(folder: Path) -> None:
    """The cells whose printed value does not follow from the printed values it is defined by."""
    found = find_inconsistencies()
    digits = {"f1_vs_pr": 4, "error_reduction": 2}
    header = ["kind", "dataset", "operator", "metric", "method", "because", "printed", "recomputed", "least", "most"]
    rows = [
        [
            *(item.kind, item.dataset, item.operator, item.metric, item.method, item.explanation, item.printed),
            *(number_text(value, digits[item.kind]) for value in (item.recomputed, item.least, item.most)),
        ]
        for item in found
    ]
    caption = (
        f"{len(rows)} numbers of the paper's link-prediction tables that the numbers beside them contradict: "
        "F1 against precision and recall, error reduction (in percent) against the scores. Least and most: the range "
        f"that rounding allows. Source of the printed numbers: {CITATION}."
    )
    write_csv(folder / "paper_audit.csv", header, rows)
    titled = [name.capitalize() if name != "dataset" else "Network" for name in header]
    words = {"f1_vs_pr": "F1", "error_reduction": "error reduction"}
    spoken = [[words[kind], *rest] for kind, *rest in rows]
    write_table(folder, Table("paper_audit", titled, spoken, caption, labels=6), formats=["md"])


def write_paper_diff(folder: Path, run: RunFolder, results: LinkPrediction) -> None:
    """Every number of the paper about a network of this run, with ours and the difference."""
    names = {dataset.name for dataset in run.datasets}
    cells = [cell for cell in paper_cells() if our_name(cell.dataset) in names]
    if not cells:
        return
    contradicting = {identity(item) for item in find_inconsistencies()}
    lookup = OurNumbers(run, results)
    rows = []
    for cell in cells:
        ours, status = lookup.beside(cell)
        digits = DIGITS[cell.table]
        rows.append(
            [
                *(cell.table, cell.dataset, cell.operator, cell.metric, cell.method, cell.printed),
                number_text(ours, digits),
                "" if ours is None else number_text(ours - cell.value, digits),
                status,
                "yes" if identity(cell) in contradicting else "no",
            ]
        )
    write_csv(folder / "paper_diff.csv", COLUMNS, rows)
    for table in (overview(rows), *(network_overview(rows, name) for name in ("ablation", "efficiency"))):
        if table.rows:
            write_table(folder, table, formats=["md"])


def identity(cell: PaperCell | Inconsistency) -> tuple[str, str, str, str]:
    """Where a number stands in a link-prediction table; the error reduction is the proposed method's in the audit."""
    is_reduction = isinstance(cell, Inconsistency) and cell.kind == "error_reduction"
    return cell.dataset, cell.operator, cell.metric, ERROR_REDUCTION if is_reduction else cell.method


class OurNumbers:
    """What this run has for a cell of the paper, found by name; the ablation repeats link-prediction cells."""

    def __init__(self, run: RunFolder, results: LinkPrediction) -> None:
        self.run, self.results = run, results
        self.methods = {our_name(name): method for method in run.methods for name in (method.name, method.label)}
        self.counts = {dataset.name: (audit["nodes"], audit["temporal_edges"]) for dataset, audit in run.audits()}
        self.seconds = {}
        for dataset, method, records in measured_fits(run)[1]:
            done = [record for record in records if record.get("status") == "ok"]
            status = "ok" if done else str(records[0].get("status") or "failed")
            self.seconds[dataset.name, method.name] = (costs(done)[0] if done else None, status)

    def beside(self, cell: PaperCell) -> Ours:
        absent: Ours = (None, "not in this run")
        dataset = our_name(cell.dataset)
        if cell.table == "datasets":
            counts = self.counts.get(dataset)
            return absent if counts is None else (float(counts[cell.metric == "n_temporal_edges"]), "ok")
        if cell.method == ERROR_REDUCTION:
            return self.reduction(cell) or absent
        method = self.methods.get(our_name(cell.method))
        if method is None:
            return absent
        if cell.table == "efficiency":
            return self.seconds.get((dataset, method.name), absent)
        summary = self.summary(cell, method)
        return absent if summary is None else (summary.mean, summary.status)

    def summary(self, cell: PaperCell, method: Method) -> Summary | None:
        protocol = "paper" if "paper" in self.run.protocols else self.run.headline_protocol
        names = (our_name(cell.dataset), protocol, our_name(cell.operator), our_name(cell.metric))
        key = self.results.key(*names, method.name)
        return None if key is None else self.results.summaries[key]

    def reduction(self, cell: PaperCell) -> Ours | None:
        found: dict[Method, Summary] = {}
        for name in (*BASELINES, PROPOSED):
            method = self.methods.get(our_name(name))
            summary = None if method is None else self.summary(cell, method)
            if method is not None and summary is not None:
                found[method] = summary
        ours = error_reduction(found)
        return None if ours is None else (100 * ours, "ok" if len(found) == len(BASELINES) + 1 else "partial")


def overview(rows: list[list[str]]) -> Table:
    """Link prediction: our number with the paper's and the difference in brackets, laid out as the paper's tables."""
    cells: dict[tuple[str, ...], dict[str, str]] = {}
    for table, dataset, operator, metric, method, paper, ours, difference, status, contradicts in rows:
        if table == "link_prediction" and status != "not in this run":
            digits = 1 if method == ERROR_REDUCTION else 4
            text = beside_text(paper, ours, difference, status, contradicts, digits)
            cells.setdefault((dataset, operator, metric), {})[method] = text
    methods = [name for name in (*BASELINES, PROPOSED, ERROR_REDUCTION) if any(name in row for row in cells.values())]
    body = [[*key, *(row.get(name, "—") for name in methods)] for key, row in cells.items()]
    titles = ["Error Reduction, %" if name == ERROR_REDUCTION else name for name in methods]
    return Table("paper_diff", ["Network", "Operator", "Metric", *titles], body, CAPTION, labels=3)


def network_overview(rows: list[list[str]], name: str) -> Table:
    """The ablation or efficiency table of the paper, methods in rows and networks in columns, with ours."""
    cells: dict[str, dict[str, str]] = {}
    for table, dataset, _, _, method, *numbers in rows:
        if table == name and numbers[3] != "not in this run":
            paper, ours, difference, status, contradicts = numbers
            digits = DIGITS[name]
            cells.setdefault(method, {})[dataset] = beside_text(paper, ours, difference, status, contradicts, digits)
    networks = list(dict.fromkeys(dataset for row in cells.values() for dataset in row))
    body = [[method, *(row.get(network, "—") for network in networks)] for method, row in cells.items()]
    about = {
        "ablation": "F1 under Weighted-L2.",
        "efficiency": "Wall seconds per epoch; the machines differ, and an epoch is a method's own unit of work.",
    }
    return Table(f"paper_diff_{name}", ["Method", *networks], body, f"{about[name]} {CAPTION}")


def beside_text(paper: str, ours: str, difference: str, status: str, contradicts: str, digits: int) -> str:
    """`ours (paper, difference)`; the status where we have no number."""
    shown = f"{float(ours):.{digits}f}" if ours else status
    change = f", {float(difference):+.{digits}f}" if difference else ""
    return f"{shown} ({paper}{'‡' if contradicts == 'yes' else ''}{change})"
