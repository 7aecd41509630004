"""One lock is what pip, conda and the rules install; what needs a network to be tried is tried every week."""

import re
from pathlib import Path

import pytest
import yaml
from rattler import MatchSpec

from networks.catalog import load_catalog

ROOT = Path(__file__).parents[3]
ENVIRONMENT_FILES = [ROOT / "environment.yml", *sorted((ROOT / "workflow" / "envs").glob("*.yaml"))]


def lock() -> list[str]:
    return (ROOT / "requirements.lock").read_text().split()


def dependencies(path: Path) -> tuple[list[str], list[str]]:
    """The conda requirements and the pip requirements of an environment file."""
    listed = yaml.safe_load(path.read_text())["dependencies"]
    conda = [entry for entry in listed if isinstance(entry, str)]
    pip = [requirement for entry in listed if isinstance(entry, dict) for requirement in entry["pip"]]
    return conda, pip


def test_every_requirement_of_the_lock_is_pinned_exactly():
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.]+", requirement) for requirement in lock())


@pytest.mark.parametrize("path", ENVIRONMENT_FILES, ids=lambda path: path.name)
def test_conda_requirements_parse_strictly_and_pin_the_interpreter(path):
    conda, _ = dependencies(path)
    names = [MatchSpec(requirement, strict=True).name.normalized for requirement in conda]
    assert names == ["python", "pip"]
    assert conda[0] == "python=3.11"


def test_the_environment_of_the_rules_repeats_the_lock():
    _, pip = dependencies(ROOT / "workflow" / "envs" / "harness.yaml")
    assert pip == lock()


def test_the_environment_that_runs_snakemake_installs_the_lock():
    _, pip = dependencies(ROOT / "environment.yml")
    assert pip == ["--requirement requirements.lock"]


def test_every_rule_that_runs_a_command_names_its_environment():
    for path in sorted((ROOT / "workflow" / "rules").glob("*.smk")):
        for rule in re.split(r"^rule ", path.read_text(), flags=re.MULTILINE)[1:]:
            assert "shell:" in rule
            assert re.search(r'conda:\s+"\.\./envs/harness\.yaml"', rule), rule.splitlines()[0]


def test_the_image_is_made_from_the_lock_as_the_venv_is_and_built_every_week():
    dockerfile = (ROOT / "Dockerfile").read_text()
    assert "FROM python:3.11-slim\n" in dockerfile
    assert "COPY requirements.lock Makefile ./\nRUN make .venv/ready\n" in dockerfile
    steps = yaml.safe_load((ROOT / ".github" / "workflows" / "weekly.yml").read_text())["jobs"]["image"]["steps"]
    commands = [step.get("run", "") for step in steps]
    assert any(command.startswith("docker build ") for command in commands)
    assert any(command.startswith("docker run ") and "snakemake" in command for command in commands)


def test_the_weekly_job_solves_the_real_environments_and_fetches_every_network_of_a_bearable_size():
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "weekly.yml").read_text())["jobs"]
    conda = jobs["conda"]["steps"]
    assert "environment.yml" in [step.get("with", {}).get("environment-file") for step in conda]
    assert any("snakemake" in step.get("run", "") and "--use-conda" in step["run"] for step in conda)
    fetched = jobs["downloads"]["strategy"]["matrix"]["network"]
    bearable = [
        name
        for name, entry in load_catalog().items()
        if entry.urls and (entry.counts or entry.paper or entry.about)["edges"] <= 10_000_000
    ]
    assert sorted(fetched) == sorted(bearable)
    assert any("networks prepare ${{ matrix.network }}" in step.get("run", "") for step in jobs["downloads"]["steps"])
