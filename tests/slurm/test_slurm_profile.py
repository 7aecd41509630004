"""The SLURM profile asks for enough: more with larger networks and later attempts, more than the limits of a fit."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from methods.registry import load_method, method_names
from workflow.schema import complete

ROOT = Path(__file__).parents[2]
PROFILE = yaml.safe_load((ROOT / "workflow" / "profiles" / "slurm" / "config.yaml").read_text())
RULES = {
    name for path in (ROOT / "workflow").rglob("*.smk") for name in re.findall(r"^rule (\w+):", path.read_text(), re.M)
}
FITS = ("fit", "sensitivity_fit", "trial_fit", "timing")
LIMITS = complete({"run": "x", "datasets": ["x"], "methods": ["x"]})["limits"]
ATTEMPTS = range(1, PROFILE["retries"] + 2)


def asked(rule: str, resource: str, megabytes: float, attempt: int) -> int:
    """What a job of the rule asks for; a string in the profile is an expression that snakemake evaluates."""
    value = PROFILE["set-resources"].get(rule, {}).get(resource, PROFILE["default-resources"].get(resource))
    return eval(str(value), {"input": SimpleNamespace(size_mb=megabytes), "attempt": attempt})


def test_the_profile_names_rules_that_exist() -> None:
    for section in ("set-resources", "set-threads", "groups"):
        assert set(PROFILE[section]) <= RULES


@pytest.mark.parametrize("rule", sorted(RULES))
def test_memory_grows_with_the_network_and_with_every_attempt(rule: str) -> None:
    assert asked(rule, "mem_mb", 1, 1) < asked(rule, "mem_mb", 100, 1) < asked(rule, "mem_mb", 1000, 1)
    by_attempt = [asked(rule, "mem_mb", 10, attempt) for attempt in ATTEMPTS]
    assert by_attempt == sorted(set(by_attempt))


@pytest.mark.parametrize("rule", FITS)
def test_slurm_does_not_end_a_fit_before_the_limits_do(rule: str) -> None:
    assert asked(rule, "runtime", 1, 1) > 60 * LIMITS["hours"]
    assert asked(rule, "mem_mb", 1, ATTEMPTS[-1]) > 1000 * LIMITS["memory_gb"]


def test_the_first_attempt_has_the_memory_that_a_method_says_it_needs() -> None:
    nodes, edges = 300_000, 5_000_000
    megabytes = (16 * edges + 20 * nodes) / 1e6
    for name in method_names():
        assert load_method(name).memory_bytes(nodes, edges) / 1e6 <= asked("fit", "mem_mb", megabytes, 1), name


def test_a_timed_fit_has_a_core_for_each_of_its_threads() -> None:
    timed = [load_method(name) for name in method_names(variants=True)]
    most = max(method.threads for method in timed if method.purpose == "timing")
    assert PROFILE["set-threads"]["timing"] >= most
