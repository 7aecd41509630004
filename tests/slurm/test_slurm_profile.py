"""Under the SLURM profile jobs ask for enough: more with larger networks and later attempts, beyond a fit's limits."""

import re
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from methods.contract.registry import load_method, method_names
from workflow.configuration import read_configuration
from workflow.experiments import read_experiments
from workflow.resources import StepResources

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


def steps(**changes: Any) -> StepResources:
    return StepResources(read_experiments(read_configuration(CONFIGURATIONS[0] | changes)))


class Job(dict[str, str]):
    """The wildcards of a fit on the whole network."""

    def __init__(self, dataset: str, method: str = "line") -> None:
        super().__init__(dataset=dataset, method=method, edges="all", settings="", seed="1")


def minutes_by_default(megabytes: float, attempt: int) -> int:
    """What a job that is no fit asks for: an expression in the profile that snakemake evaluates."""
    sized = {"input": SimpleNamespace(size_mb=megabytes), "attempt": attempt}
    return int(eval(PROFILE["default-resources"]["runtime"], sized))


def test_the_profile_names_rules_that_exist() -> None:
    for section in ("set-resources", "set-threads", "groups"):
        assert set(PROFILE[section]) <= set(BODIES)


def test_every_rule_that_fits_asks_for_what_a_fit_needs() -> None:
    assert set(FITS) == {"fit", "score", "timing"}
    for name in FITS:
        for line in (f'runtime=step_resources.minutes_of("{name}"),', "gpu=step_resources.gpus,"):
            assert line in BODIES[name]
        assert "threads: " in BODIES[name]


def test_every_rule_but_a_download_says_how_much_memory_it_needs() -> None:
    without = {name for name, body in BODIES.items() if f'mem_mb=step_resources.memory_of("{name}"),' not in body}
    assert without <= {"fetch", "all", "default"}


@pytest.mark.parametrize("rule", ["fit", "link_prediction"])
def test_a_job_asks_for_more_memory_with_a_larger_network_and_with_every_attempt(rule: str) -> None:
    asked = steps(datasets=["tiny_communities", "digg", "tmall"], methods=["line"]).memory_of(rule)
    by_size = [asked(Job(name), 1) for name in ("tiny_communities", "digg", "tmall")]
    by_attempt = [asked(Job("digg"), attempt) for attempt in ATTEMPTS]
    assert by_size == sorted(set(by_size))
    assert by_attempt == sorted(set(by_attempt))


def test_a_job_asks_for_more_time_with_a_larger_network_and_with_every_attempt() -> None:
    asked = steps(datasets=["tiny_communities", "tmall"], methods=["line"]).minutes_of("fit")
    assert asked(Job("tiny_communities"), 1) < asked(Job("tmall"), 1)
    assert minutes_by_default(1, 1) < minutes_by_default(100, 1)
    for by_attempt in (
        [minutes_by_default(10, attempt) for attempt in ATTEMPTS],
        [asked(Job("tmall"), attempt) for attempt in ATTEMPTS],
    ):
        assert by_attempt == sorted(set(by_attempt))


@pytest.mark.parametrize("config", CONFIGURATIONS, ids=lambda config: config["run"])
def test_slurm_does_not_end_the_last_attempt_before_the_limits_do(config: dict[str, Any]) -> None:
    settings = read_configuration(config)
    limits, asked = settings.values["limits"], StepResources(read_experiments(settings))
    job = Job(settings.dataset_names[0], "random")
    assert asked.minutes_of("fit")(job, ATTEMPTS[-1]) > 60 * limits["hours"]
    assert asked.memory_of("fit")(job, ATTEMPTS[-1]) > 1000 * limits["memory_gb"]


# docs/running-at-scale.md: megabytes at Tmall's size.
@pytest.mark.parametrize(
    ("rule", "method", "peak_mb"),
    [("fit", "ehna", 2100), ("fit", "node2vec", 1600), ("fit", "line", 1400), ("link_prediction", "line", 3500)],
)
def test_the_first_attempt_has_the_memory_that_a_step_was_seen_to_take(rule: str, method: str, peak_mb: int) -> None:
    assert steps(datasets=["tmall"], methods=[method]).memory_of(rule)(Job("tmall", method), 1) >= peak_mb


@pytest.mark.parametrize(("device", "able", "gpus"), [("cuda", True, 1), ("cuda", False, 0), ("auto", True, 0)])
def test_a_gpu_is_asked_for_with_device_cuda_by_methods_that_can_use_one(
    device: str, able: bool, gpus: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    method = replace(load_method("random"), needs={"threads": 1, "gpu": able})
    monkeypatch.setattr("workflow.resources.load_method", lambda name: method)
    assert steps(device=device).gpus(SimpleNamespace(method="random")) == gpus


def test_a_timed_fit_has_a_core_for_each_of_its_threads() -> None:
    timed = [load_method(name) for name in method_names(variants=True)]
    most = max(method.threads for method in timed if method.purpose == "timing")
    assert PROFILE["set-threads"]["timing"] >= most


def test_where_memory_is_shared_out_by_cores_the_documentation_names_every_rule_that_brings_its_own() -> None:
    (row,) = re.findall(r"^\| memory shared out by cores \|.*$", (ROOT / "docs" / "clusters.md").read_text(), re.M)
    assert [name for name in FITS if f"`{name}`" not in row] == []
