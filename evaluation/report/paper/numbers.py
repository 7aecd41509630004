"""The numbers of the EHNA paper's tables, as printed, and how its names translate into ours."""

import csv
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from pathlib import Path

TABLES = Path(__file__).with_name("paper_tables.csv")
CITATION = (
    "Huang, Bao, Li, Zhou and Culpepper, Temporal Network Representation Learning via Historical Neighborhoods "
    "Aggregation, ICDE 2020"
)

PROPOSED = "EHNA"
BASELINES = ("LINE", "Node2Vec", "CTDNE", "HTNE")
# Networks that are not the paper's but of the same kind: HTNE's release of DBLP, and replies between users of Digg.
STANDS_IN = {"dblp_htne": "DBLP", "munmun_digg_reply": "Digg"}
ERROR_REDUCTION = "error_reduction_pct"


@dataclass(frozen=True)
class PaperCell:
    """One printed number; `operator` and `method` are empty where a table has none."""

    table: str
    dataset: str
    operator: str
    metric: str
    method: str
    printed: str

    @property
    def value(self) -> float:
        return float(self.printed)

    @property
    def rounding(self) -> float:
        """Half a unit of the last printed digit: the true value lies within `value` plus or minus this."""
        return 0.5 * 10.0 ** int(Decimal(self.printed).as_tuple().exponent)


@cache
def paper_cells() -> tuple[PaperCell, ...]:
    """Every cell of the paper's tables, in the order of the file."""
    with TABLES.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return tuple(
            PaperCell(row["table"], row["dataset"], row["operator"], row["metric"], row["method"], row["value"])
            for row in rows
        )


def our_name(paper_name: str) -> str:
    """The paper's name of a network, operator, metric or method in our spelling: Weighted-L1 -> weighted_l1."""
    return paper_name.lower().replace("-", "_")
