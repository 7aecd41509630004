"""The link-prediction results of one method as a small table for the terminal."""

from collections.abc import Mapping, Sequence

import numpy as np

from evaluation.link_prediction.evaluate import Cell
from evaluation.link_prediction.metrics import METRICS


def print_table(cells: Sequence[Cell], metrics: Mapping[str, str] = METRICS) -> None:
    """Per protocol, one line per operator: mean and standard deviation over all splits and draws, all examples."""
    whole = [cell for cell in cells if cell.subset == "all"]
    for protocol in dict.fromkeys(cell.protocol for cell in whole):
        of_protocol = [cell for cell in whole if cell.protocol == protocol]
        repeats = len({(cell.draw, cell.split) for cell in of_protocol if cell.status == "ok"})
        print(f"{protocol}: mean (standard deviation) of {repeats} repeats")
        print(" " * 12 + "".join(f"{heading:>16}" for heading in metrics.values()))
        for operator in dict.fromkeys(cell.operator for cell in of_protocol):
            of_operator = [cell for cell in of_protocol if cell.operator == operator]
            print(f"{operator:12}" + "".join(f"{_summary(of_operator, metric):>16}" for metric in metrics))
        for reason in sorted({cell.reason for cell in of_protocol if cell.status != "ok"}):
            print(f"  no value: {reason}")


def _summary(cells: Sequence[Cell], metric: str) -> str:
    values = [cell.value for cell in cells if cell.metric == metric and cell.value is not None]
    if not values:
        return next((cell.status for cell in cells if cell.metric == metric), "")
    spread = f" ({np.std(values, ddof=1):.4f})" if len(values) > 1 else ""
    return f"{np.mean(values):.4f}{spread}"
