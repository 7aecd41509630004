"""--use-conda: snakemake builds the rules' environment from a local channel, and every job runs in it.

A method's own environment is made by conda too, but by the fit that needs it.
"""

import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from rattler import Subdir

from tests.faults.run_outputs import run_outputs
from tests.faults.small_run import run, write_config
from tests.integration.local_channel import make_channel
from tests.integration.project_copy import copy_project
from tests.integration.scratch_methods import put

STAND_IN = Path(__file__).with_name("stand_in_conda.py")
ACTIVATE = 'export CONDA_PREFIX="$1" PATH="$1/bin:$PATH"\n'
GREETING = """\
    import subprocess
    run.report(greeting=subprocess.check_output(["greet"], text=True).strip())
    with run.epoch(1, "edges"):
        return np.random.default_rng(run.seed).normal(size=(network.n_nodes, 2)).astype(np.float32)
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project in which a small run under --use-conda is over."""
    home = tmp_path_factory.mktemp("conda")
    make_channel(home / "channels" / "conda-forge", str(Subdir.current()))
    (home / "bin").mkdir()
    (home / "bin" / "activate").write_text(ACTIVATE)
    (home / "bin" / "conda").write_text(f'#!/bin/sh\nexec "{sys.executable}" "{STAND_IN}" "$@"\n')
    (home / "bin" / "conda").chmod(0o755)
    environment = os.environ | {
        "PATH": f"{home / 'bin'}:{os.environ['PATH']}",
        "STAND_IN_CONDA_HOME": str(home),
        "CONDA_CHANNEL_ALIAS": f"{(home / 'channels').as_uri()}/",
    }
    project = copy_project(tmp_path_factory.mktemp("with-conda"))
    for name, package in (("greets", "greeter"), ("cannot_be_made", "no-such-package")):
        put(project, name, GREETING)
        (project / "methods" / name / "environment.yaml").write_text(
            f"channels: [conda-forge, nodefaults]\ndependencies: [python=3.11, pip, {package}]\n"
        )
    config = write_config(project, methods=["random", "common_neighbors", "greets", "cannot_be_made"])
    done = run(project, config, "--use-conda", env=environment)
    assert done.returncode == 0, done.stdout
    return project


@pytest.fixture(scope="module")
def prefix(project: Path) -> Path:
    """The one environment that was built; all rules share it."""
    (record,) = (project / ".snakemake" / "conda").glob("*/conda-meta/python-*.json")
    return record.parents[1]


def test_the_environment_file_is_solved_and_installed_from_the_channel(prefix: Path) -> None:
    installed = [json.loads(path.read_text()) for path in sorted((prefix / "conda-meta").glob("*.json"))]
    assert [(record["name"], record["version"]) for record in installed] == [("pip", "24.0"), ("python", "3.11.9")]
    assert all("/channels/conda-forge/" in record["url"] for record in installed)


def test_the_pins_of_the_environment_file_go_to_its_own_pip(prefix: Path) -> None:
    commands = (prefix / "commands.txt").read_text().splitlines()
    assert [command for command in commands if command.startswith("-m pip install ")] == commands[:1]


def test_every_job_ran_with_the_interpreter_of_the_environment(project: Path, prefix: Path) -> None:
    ran = re.findall(r"^-m (?:networks|methods|evaluation) \S+", (prefix / "commands.txt").read_text(), re.MULTILINE)
    assert len(ran) == len(list((project / "results" / "test" / "logs").rglob("*.log")))
    assert any(name.startswith("tables/") for name in run_outputs(project / "results" / "test"))


def fit_of(project: Path, method: str) -> dict[str, Any]:
    (record,) = (project / "results" / "test" / "fits").glob(f"*/train/{method}/seed-*/fit.json")
    fit: dict[str, Any] = json.loads(record.read_text())
    return fit


def test_a_method_runs_in_the_environment_that_conda_made_of_its_file(project: Path) -> None:
    fit = fit_of(project, "greets")
    assert (fit["status"], fit["reason"], fit["facts"]) == ("ok", None, {"greeting": "hello"})
    (made,) = (project / ".environments").glob("*/commands.txt")
    assert "-m methods.running.child" in made.read_text()


def test_a_method_whose_environment_conda_cannot_make_fails_and_the_run_does_not(project: Path) -> None:
    fit = fit_of(project, "cannot_be_made")
    assert fit["status"] == "failed"
    assert "cannot_be_made/environment.yaml: the environment cannot be made: " in fit["reason"]
