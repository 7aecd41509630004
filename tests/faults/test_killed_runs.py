"""A run that is killed at any moment and started again ends with the tables of an undisturbed one.

`make test-faults` kills a small run a few times; `KILLS=20 make test-faults` the whole test configuration 20 times.
"""

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.faults.run_outputs import assert_same_outputs, run_outputs
from tests.faults.small_run import kill, run, start, write_config
from tests.integration.project_copy import copy_project

KILLS = int(os.environ.get("KILLS", "0"))
# Reading the configuration and building the DAG take some seconds, in which a kill hits nothing.
SHORTEST_LIFE, LONGEST_LIFE = 2.0, 25.0 if KILLS else 10.0


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_project(tmp_path_factory.mktemp("killed"))


@pytest.fixture(scope="module")
def config(project: Path) -> str:
    return "config/test.yaml" if KILLS else write_config(project)


@pytest.fixture(scope="module")
def undisturbed(project: Path, config: str) -> Path:
    """The results of a run that nobody disturbed, moved aside."""
    done = run(project, config)
    assert done.returncode == 0, done.stdout
    shutil.rmtree(project / ".snakemake")
    return (project / "results" / "test").rename(project / "undisturbed")


def test_a_run_killed_at_random_moments_ends_with_the_tables_of_an_undisturbed_one(
    project: Path, config: str, undisturbed: Path
) -> None:
    moments = random.Random(20)
    wanted = run_outputs(undisturbed)
    results = project / "results" / "test"
    kills = 0
    while kills < (KILLS or 3):
        process = start_unlocked(project, config)
        try:
            process.wait(moments.uniform(SHORTEST_LIFE, LONGEST_LIFE))
        except subprocess.TimeoutExpired:
            kill(process, project)
            kills += 1
            half_written = [name for name, contents in run_outputs(results).items() if wanted[name] != contents]
            assert half_written == []
        else:
            assert process.returncode == 0, (project / "log.txt").read_text()
            assert_same_outputs(undisturbed, results)
            shutil.rmtree(results)  # it was done before it could be killed: from the beginning
    process = start_unlocked(project, config)
    assert process.wait(900) == 0, (project / "log.txt").read_text()
    assert_same_outputs(undisturbed, results)


def start_unlocked(project: Path, config: str) -> subprocess.Popen[bytes]:
    """What a user does after a crash: only he knows that no other run is alive, so the lock is his to remove."""
    if any((project / ".snakemake" / "locks").glob("*")):
        unlock(project, config)
    return start(project, config)


def unlock(project: Path, config: str) -> None:
    """The command of docs/clusters.md."""
    command = [sys.executable, "-m", "snakemake", "--unlock", "--configfile", config]
    unlocked = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    assert unlocked.returncode == 0, unlocked.stderr


def test_a_lock_left_by_a_killed_run_is_named_with_the_remedy(project: Path, undisturbed: Path) -> None:
    config = write_config(project, "locked", run="locked")
    process = start(project, config)
    locks = project / ".snakemake" / "locks"
    deadline = time.monotonic() + 120
    while not any(locks.glob("*")):
        assert time.monotonic() < deadline and process.poll() is None, (project / "log.txt").read_text()
        time.sleep(0.02)
    kill(process, project)
    refused = run(project, config)
    assert refused.returncode != 0
    assert "--unlock" in refused.stdout
    unlock(project, config)
    assert not any(locks.glob("*"))
