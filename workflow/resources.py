"""What a step asks for: memory and time by the table of costs, more with every attempt; a GPU when told to; its turn.

A fit beyond the configuration's `limits` becomes a marked cell, so a cluster must not end it first: whatever the
network, the last attempt has more than the limits.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import psutil
from snakemake.resources import Resource

from methods.contract.registry import load_method
from workflow.costs import Costs
from workflow.experiments import Experiments
from workflow.plan import Item, task_of
from workflow.schedule import chains
from workflow.steps import Step, steps_of

# Of a profile with `retries: 2`.
LAST_ATTEMPT = 3
# Beyond the estimates, as for memory.
TIME_MARGIN, TIME_MARGIN_MINUTES = 4, 120
# Of the machine's memory, the share that steps may ask for in all.
SHARE_OF_MEMORY = 0.95


@dataclass(frozen=True)
class StepResources:
    """Functions for the rules; snakemake calls them with a job's wildcards and attempt."""

    experiments: Experiments

    @cached_property
    def costs(self) -> Costs:
        return Costs(self.experiments)

    def memory_of(self, rule: str) -> Callable[..., int]:
        def memory_mb(wildcards: Any, attempt: int) -> int:
            asked = self.costs.by_table(step_of(rule, wildcards)).asked_mb
            if rule not in ("fit", "timing", "score"):
                return int(asked * 2 ** (attempt - 1))
            # The limit is on the method; the process that watches it and the libraries come on top.
            return grown(asked, attempt, 1100 * self._limits["memory_gb"] + 1000)

        return memory_mb

    def minutes_of(self, rule: str) -> Callable[..., int]:
        def minutes(wildcards: Any, attempt: int) -> int:
            asked = TIME_MARGIN * self.costs.by_table(step_of(rule, wildcards)).cpu_seconds / 60 + TIME_MARGIN_MINUTES
            return grown(asked, attempt, 60 * self._limits["hours"] + 60)

        return minutes

    @property
    def _limits(self) -> dict[str, Any]:
        return dict(self.experiments.settings.values["limits"])

    def gpus(self, wildcards: Any) -> int:
        """One with `device: cuda`, for a method that can use it; `auto` takes what is there and asks for nothing."""
        wanted = self.experiments.settings.values["device"] == "cuda"
        return int(wanted and load_method(wildcards.method).needs.get("gpu", False))

    def turn_of(self, output: str) -> Callable[[Any], int]:
        """The priority of the job that makes this file: seconds from its start to the end of all that waits for it."""

        def priority(wildcards: Any) -> int:
            return int(self._seconds_to_the_end.get(output.format(**wildcards), 0))

        return priority

    @cached_property
    def _seconds_to_the_end(self) -> dict[str, float]:
        items = [Item(step, self.costs.by_table(step), done=False) for step in steps_of(self.experiments)]
        return chains([task_of(item, item.step.threads) for item in items])


def step_of(rule: str, wildcards: Any) -> Step:
    known = {key: wildcards.get(key, "") for key in ("dataset", "method")}
    edges = "train" if rule == "timing" else wildcards.get("edges", "all")
    block = wildcards.get("block", "test")
    return Step(rule, "", "", edges=edges, purpose=wildcards.get("settings", ""), block=block, **known)


def grown(first: float, attempt: int, most: float) -> int:
    """Twice as much with every attempt, never more than `most`, and `most` in the last one."""
    return int(most if attempt >= LAST_ATTEMPT else min(first * 2 ** (attempt - 1), most))


def limit_memory(workflow: Any) -> None:
    """On this machine, steps together ask for no more than it has, unless `--resources mem_mb=…` says what they may."""
    given = workflow.global_resources
    if "mem" not in given and given["_nodes"].value is None:
        most = int(SHARE_OF_MEMORY * psutil.virtual_memory().total / 1e6)
        given["mem"] = Resource("mem_mb", most).standardize_size()
