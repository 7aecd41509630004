"""Measurement: one speed or memory claim, ours against a peer, from one run on one machine."""

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field


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
    facts: Mapping[str, object] = field(default_factory=dict)  # what else is recorded with it

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
            **self.facts,
        }


@dataclass(frozen=True)
class Turns:
    """Rates by name, one per round, and the machine's load average before the first round and after the last."""

    rates: dict[str, list[float]]
    load: tuple[float, float]

    def measurement(self, name: str, ours: str, peer: str, unit: str, data: str, target: float | None) -> Measurement:
        """The best of each: noise on a shared machine only ever takes away."""
        rounds = {"ours": self.rates[ours], "peer": self.rates[peer]}
        facts = {"rounds": rounds, "load": list(self.load)}
        return Measurement(name, max(rounds["ours"]), max(rounds["peer"]), unit, data, target, facts=facts)


def in_turns(actions: Mapping[str, Callable[[], float]], rounds: int = 5) -> Turns:
    """One after the other, again and again, so that a busy minute of the machine strikes all: each returns its rate.

    At unchanged code, rates have swung by a factor of 2.6 from minute to minute.
    """
    before = os.getloadavg()[0]
    rates: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(rounds):
        for name, action in actions.items():
            rates[name].append(action())
    return Turns(rates, (before, os.getloadavg()[0]))


def best_seconds(action: Callable[[], object], repeats: int = 3) -> float:
    """The shortest wall time of a few calls: noise on a shared machine only ever adds."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        action()
        seconds.append(time.perf_counter() - start)
    return min(seconds)
