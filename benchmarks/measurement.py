"""Measurement: one speed or memory claim, ours against a peer, from one run on one machine."""

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Measurement:
    """`ratio` is how many times better ours is; `target` the least ratio to reach, if there is one."""

    name: str
    ours: float
    peer: float
    unit: str
    data: str
    target: float | None = None
    lower_is_better: bool = False

    @property
    def ratio(self) -> float:
        return self.peer / self.ours if self.lower_is_better else self.ours / self.peer

    def as_row(self) -> dict[str, object]:
        return {
            "name": self.name,
            "ours": self.ours,
            "peer": self.peer,
            "ratio": self.ratio,
            "unit": self.unit,
            "target": self.target,
            "data": self.data,
        }


def best_seconds(action: Callable[[], object], repeats: int = 3) -> float:
    """The shortest wall time of a few calls: noise on a shared machine only ever adds."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return min(seconds)
