"""Which of the paper's own numbers contradict each other by more than rounding can explain."""

from collections.abc import Mapping
from dataclasses import dataclass

from evaluation.report.paper.numbers import BASELINES, ERROR_REDUCTION, PROPOSED, PaperCell, paper_cells

# Printed decimals are not exact in binary; this keeps a bound that is met exactly from counting as broken.
BINARY_SLACK = 1e-9


@dataclass(frozen=True)
class Interval:
    """All values that round to what is printed."""

    low: float
    high: float

    def misses(self, other: "Interval") -> bool:
        return self.low > other.high + BINARY_SLACK or other.low > self.high + BINARY_SLACK


@dataclass(frozen=True)
class Inconsistency:
    """A printed number that does not follow from the other printed numbers it is defined by."""

    kind: str
    dataset: str
    operator: str
    metric: str
    method: str
    printed: str
    recomputed: float
    least: float
    most: float
    explanation: str


Block = Mapping[tuple[str, str], PaperCell]  # the cells of one network and operator by (metric, method)


def find_inconsistencies(cells: tuple[PaperCell, ...] | None = None) -> list[Inconsistency]:
    """Check F1 against precision and recall, and error reduction against the scores, in every link-prediction block."""
    blocks: dict[tuple[str, str], dict[tuple[str, str], PaperCell]] = {}
    for cell in paper_cells() if cells is None else cells:
        if cell.table == "link_prediction":
            blocks.setdefault((cell.dataset, cell.operator), {})[cell.metric, cell.method] = cell
    found: list[Inconsistency] = []
    for block in blocks.values():
        for method in (*BASELINES, PROPOSED):
            found += check_f1(block, method)
        for metric in dict.fromkeys(metric for metric, _ in block):
            found += check_error_reduction(block, metric)
    return found


def check_f1(block: Block, method: str) -> list[Inconsistency]:
    """F1 = 2 P R / (P + R), which grows with both P and R, so the ends of their intervals give the ends of its own."""
    precision, recall, printed = (block[metric, method] for metric in ("Precision", "Recall", "F1"))
    possible = Interval(
        f1(interval(precision).low, interval(recall).low), f1(interval(precision).high, interval(recall).high)
    )
    recomputed = f1(precision.value, recall.value)
    because = f"precision {precision.printed} and recall {recall.printed} give {recomputed:.4f}"
    return report("f1_vs_pr", printed, method, recomputed, possible, because)


def check_error_reduction(block: Block, metric: str) -> list[Inconsistency]:
    """Error reduction = ((1 - them) - (1 - us)) / (1 - them) in percent, "them" being the best baseline.

    It grows with `us` and falls with `them`. Rounding may hide which baseline is the best, so the interval of "them"
    runs from the largest lower end to the largest upper end.
    """
    us, printed = block[metric, PROPOSED], block[metric, ERROR_REDUCTION]
    baselines = [block[metric, name] for name in BASELINES]
    best = max(baselines, key=lambda cell: cell.value)
    them = Interval(max(interval(cell).low for cell in baselines), max(interval(cell).high for cell in baselines))
    possible = Interval(
        100 * error_reduction(interval(us).low, them.high), 100 * error_reduction(interval(us).high, them.low)
    )
    recomputed = 100 * error_reduction(us.value, best.value)
    because = f"{PROPOSED} {us.printed} against {best.method} {best.printed} gives {recomputed:.1f}%"
    return report("error_reduction", printed, PROPOSED, recomputed, possible, because)


def report(
    kind: str, printed: PaperCell, method: str, recomputed: float, possible: Interval, because: str
) -> list[Inconsistency]:
    """The inconsistency, or nothing if some unrounded numbers agree with everything that is printed."""
    if not interval(printed).misses(possible):
        return []
    return [
        Inconsistency(
            kind,
            printed.dataset,
            printed.operator,
            printed.metric,
            method,
            printed.printed,
            recomputed,
            possible.low,
            possible.high,
            because,
        )
    ]


def interval(cell: PaperCell) -> Interval:
    return Interval(cell.value - cell.rounding, cell.value + cell.rounding)


def f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall)


def error_reduction(us: float, them: float) -> float:
    return (us - them) / (1 - them)
