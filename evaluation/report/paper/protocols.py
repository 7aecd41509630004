"""Which protocol the paper used: the mean absolute difference to its link-prediction cells under each of ours."""

import statistics
from collections.abc import Iterator
from pathlib import Path

from evaluation.report.paper.numbers import CITATION, ERROR_REDUCTION, STANDS_IN, our_name, paper_cells
from evaluation.report.run_folder import Dataset, RunFolder
from evaluation.report.tables.board import spoken
from evaluation.report.tables.formats import Table, number_text, write_table
from evaluation.report.tables.link_prediction import LinkPrediction
from harness.files import write_text


def write_paper_protocols(folder: Path, run: RunFolder, results: LinkPrediction) -> None:
    """tables/paper_protocols and the sentence of the page, for networks that the paper has or that stand in for one."""
    rows = []
    pooled: dict[str, list[float]] = {}
    for dataset, name, same in papers_networks(run):
        for protocol in run.protocols:
            found = differences(run, results, dataset, name, protocol)
            if found:
                pooled.setdefault(protocol, []).extend(found)
                network = name if same else f"{dataset.label} (stands in for {name})"
                rows.append([network, spoken(protocol), number_text(statistics.fmean(found), 4), str(len(found))])
    if not rows:
        return
    means = {protocol: statistics.fmean(found) for protocol, found in pooled.items()}
    rows += [
        ["All of these", spoken(name), number_text(mean, 4), str(len(pooled[name]))] for name, mean in means.items()
    ]
    least = min(means, key=lambda name: means[name])
    bold = frozenset((row, 2) for row, cells in enumerate(rows) if is_least(cells, rows))
    caption = (
        "Mean absolute difference of our AUC, F1, precision and recall to the paper's, over its five methods and four "
        f"operators where this run has them. Bold: the least of the network. The paper's numbers: {CITATION}."
    )
    header = ["Network", "Protocol", "Mean absolute difference", "Cells"]
    write_table(folder, Table("paper_protocols", header, rows, caption, labels=2, bold=bold))
    others = ", ".join(f"{mean:.3f} under {spoken(name)}" for name, mean in means.items() if name != least)
    against = f", against {others}" if others else "; this run has no other protocol"
    apart = f"they differ from ours by {means[least]:.3f} on average{against}"
    text = f"The published numbers fit {spoken(least)} best: {apart}."
    write_text(folder / "paper_fit.txt", text + "\n")


def papers_networks(run: RunFolder) -> Iterator[tuple[Dataset, str, bool]]:
    """Networks of the run with the paper's name for them, and whether they are the same."""
    names = {our_name(cell.dataset): cell.dataset for cell in paper_cells()}
    for dataset in run.datasets:
        if dataset.name in names:
            yield dataset, names[dataset.name], True
        elif dataset.name in STANDS_IN:
            yield dataset, STANDS_IN[dataset.name], False


def differences(run: RunFolder, results: LinkPrediction, dataset: Dataset, name: str, protocol: str) -> list[float]:
    ours = {our_name(spelling): method for method in run.methods for spelling in (method.name, method.label)}
    found = []
    for cell in paper_cells():
        method = ours.get(our_name(cell.method))
        if (cell.table, cell.dataset) != ("link_prediction", name) or cell.method == ERROR_REDUCTION or method is None:
            continue
        key = results.key(dataset.name, protocol, our_name(cell.operator), our_name(cell.metric), method.name)
        mean = None if key is None else results.summaries[key].mean
        if mean is not None:
            found.append(abs(mean - cell.value))
    return found


def is_least(row: list[str], rows: list[list[str]]) -> bool:
    return float(row[2]) == min(float(other[2]) for other in rows if other[0] == row[0])
