"""What a fit asks of a cluster: memory and time that grow with the network and with every attempt, a GPU when told to.

A fit beyond the configuration's `limits` becomes a marked cell, so a cluster must not end it first: whatever the
network, the last attempt has more than the limits.
"""

from dataclasses import dataclass
from typing import Any

from methods.registry import load_method
from workflow.configuration import Configuration

# Of a profile with `retries: 2`.
LAST_ATTEMPT = 3
# Per megabyte of input, which is mostly the stored network: 16 bytes for a contact.
BASE_MB, MB_PER_MB = 2000, 60
BASE_MINUTES, MINUTES_PER_MB = 240, 15


@dataclass(frozen=True)
class FitResources:
    """Functions for the `resources:` of a rule that fits; snakemake calls them with a job's input files and attempt."""

    settings: Configuration

    def memory_mb(self, wildcards: Any, input: Any, attempt: int) -> int:
        # The limit is on the method; the process that watches it and the libraries come on top.
        most = 1100 * self.settings.values["limits"]["memory_gb"] + 1000
        return grown(BASE_MB + MB_PER_MB * input.size_mb, attempt, most)

    def minutes(self, wildcards: Any, input: Any, attempt: int) -> int:
        most = 60 * self.settings.values["limits"]["hours"] + 60
        return grown(BASE_MINUTES + MINUTES_PER_MB * input.size_mb, attempt, most)

    def gpus(self, wildcards: Any) -> int:
        """One with `device: cuda`, for a method that can use it; `auto` takes what is there and asks for nothing."""
        return int(self.settings.values["device"] == "cuda" and load_method(wildcards.method).needs.get("gpu", False))


def grown(first: float, attempt: int, most: float) -> int:
    """Twice as much with every attempt, never more than `most`, and `most` in the last one."""
    return int(most if attempt >= LAST_ATTEMPT else min(first * 2 ** (attempt - 1), most))
