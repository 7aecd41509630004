"""Contacts: what every parser returns, rows of the source with coded labels and numeric times, in file order."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

TimeArray = NDArray[np.int64] | NDArray[np.float64]
# Cells of one column as cut from the file: plain integers, or texts.
Column = NDArray[np.int64] | pa.ChunkedArray


@dataclass(frozen=True, eq=False)
class Contacts:
    """Row i says that labels[source[i]] met labels[target[i]] at time[i].

    `rows` counts the rows of the source, of which `dropped` were left out, by reason. `facts` holds whatever else is
    worth knowing about the source; `time_unit` is "seconds" (since 1970), "years" or "" where the source does not say.
    """

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    time: TimeArray
    labels: pa.LargeStringArray
    rows: int
    time_unit: str = ""
    dropped: dict[str, int] = field(default_factory=dict)
    facts: dict[str, Any] = field(default_factory=dict)

    def without(self, unwanted: NDArray[np.bool_], reason: str) -> Contacts:
        """Leave out the marked rows and count them under `reason`; labels keep their codes."""
        count = int(np.count_nonzero(unwanted))
        if count == 0:
            return self
        keep = ~unwanted
        return replace(
            self,
            source=self.source[keep],
            target=self.target[keep],
            time=self.time[keep],
            dropped=self.dropped | {reason: self.dropped.get(reason, 0) + count},
        )
