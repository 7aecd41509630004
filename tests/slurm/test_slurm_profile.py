"""Under the SLURM profile jobs ask for enough: more with larger networks and later attempts, beyond a fit's limits."""

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from methods.registry import load_method, method_names
from workflow.configuration import read_configuration
from workflow.resources import FitResources

ROOT = Path(__file__).parents[2]
PROFILE = yaml.safe_load((ROOT / "workflow" / "profiles" / "slurm" / "config.yaml").read_text())
BODIES = {
    name: body
    for path in (ROOT / "workflow").rglob("*.smk")
    for name, body in re.findall(r"^rule (\w+):\n((?:    .*\n|\n)+)", path.read_text(), re.M)
}
FITS = sorted(name for name, body in BODIES.items() if "python -m methods" in body)
CONFIGURATIONS = [{"run": "x", "datasets": ["tiny_communities"], "methods": ["random"]}] + [
    yaml.safe_load(path.read_text()) for path in sorted((ROOT / "config").glob("*.yaml"))
]
ATTEMPTS = range(1, PROFILE["retries"] + 2)


def fits(**changes: Any) -> FitResources:
    return FitResources(read_configuration(CONFIGURATIONS[0] | changes))


def of_size(megabytes: float) -> SimpleNamespace:
    return SimpleNamespace(size_mb=megabytes)


def by_default(resource: str, megabytes: float, attempt: int) -> int:
    """What a job that is no fit asks for: an expression in the profile that snakemake evaluates."""
    return eval(PROFILE["default-resources"][resource], {"input": of_size(megabytes), "attempt": attempt})


def test_the_profile_names_rules_that_exist() -> None:
    for section in ("set-resources", "set-threads", "groups"):
        assert set(PROFILE[section]) <= set(BODIES)


def test_every_rule_that_fits_asks_for_what_a_fit_needs() -> None:
    assert set(FITS) == {"fit", "score", "sensitivity_fit", "trial_fit", "timing"}
    for name in FITS:
        for line in ("mem_mb=fit_resources.memory_mb,", "runtime=fit_resources.minutes,", "gpu=fit_resources.gpus,"):
            assert line in BODIES[name]
        assert "threads: " in BODIES[name]


@pytest.mark.parametrize("resource", ["mem_mb", "runtime"])
def test_a_job_asks_for_more_with_a_larger_network_and_with_every_attempt(resource: str) -> None:
    asked = {"mem_mb": fits().memory_mb, "runtime": fits().minutes}[resource]
    assert by_default(resource, 1, 1) < by_default(resource, 100, 1)
    assert asked(None, of_size(1), 1) < asked(None, of_size(50), 1)
    for by_attempt in (
        [by_default(resource, 10, attempt) for attempt in ATTEMPTS],
        [asked(None, of_size(10), attempt) for attempt in ATTEMPTS],
    ):
        assert by_attempt == sorted(set(by_attempt))


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda config: config["run"])
@pytest.mark.parametrize("megabytes", [0.01, 100, 10_000])
def test_slurm_does_not_end_the_last_attempt_before_the_limits_do(config: dict[str, Any], megabytes: float) -> None:
    settings = read_configuration(config)
    limits, asked = settings.values["limits"], FitResources(settings)
    assert asked.minutes(None, of_size(megabytes), ATTEMPTS[-1]) > 60 * limits["hours"]
    assert asked.memory_mb(None, of_size(megabytes), ATTEMPTS[-1]) > 1000 * limits["memory_gb"]


def test_the_first_attempt_has_the_memory_that_the_largest_method_was_seen_to_take() -> None:
    nodes, edges, peak_mb = 577_314, 4_807_545, 3500  # EHNA at Tmall's size, docs/running-at-scale.md
    assert fits().memory_mb(None, of_size((16 * edges + 20 * nodes) / 1e6), 1) >= peak_mb


@pytest.mark.parametrize(("device", "able", "gpus"), [("cuda", True, 1), ("cuda", False, 0), ("auto", True, 0)])
def test_a_gpu_is_asked_for_with_device_cuda_by_methods_that_can_use_one(
    device: str, able: bool, gpus: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = replace(load_method("random"), needs={"threads": 1, "gpu": able})
    monkeypatch.setattr("workflow.resources.load_method", lambda name: method)
    assert fits(device=device).gpus(SimpleNamespace(method="random")) == gpus


def test_a_timed_fit_has_a_core_for_each_of_its_threads() -> None:
    timed = [load_method(name) for name in method_names(variants=True)]
    most = max(method.threads for method in timed if method.purpose == "timing")
    assert PROFILE["set-threads"]["timing"] >= most


def test_where_memory_is_shared_out_by_cores_the_documentation_names_every_rule_that_brings_its_own() -> None:
    (row,) = re.findall(r"^\| memory shared out by cores \|.*$", (ROOT / "docs" / "clusters.md").read_text(), re.M)
    assert [name for name in FITS if f"`{name}`" not in row] == []
