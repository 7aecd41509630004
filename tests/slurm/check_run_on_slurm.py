"""Every rule on a real SLURM: jobs are taken down in the middle, and the tables are those of a local run.

`make test-slurm` runs this file; its name keeps it out of `make test`, because it installs packages and needs root.
"""

import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import psutil
import pytest
import yaml

from tests.faults.run_outputs import assert_same_outputs
from tests.faults.small_run import working_in
from tests.integration.project_copy import copy_project, snakemake
from tests.slurm.one_node_cluster import PARTITION, as_root, one_node_cluster

LONGEST_RUN_SECONDS = 1200
# Every experiment of the test configuration with two methods: under SLURM a job starts snakemake twice before its own
# work, some seven seconds of a core. Fits of EHNA last long enough to be caught in the middle.
CHANGES = {
    "methods": ["ehna", "edgebank"],
    "parameters": {"ehna": {"dimensions": 8, "walks": 2, "walk_length": 3, "epochs": 80, "validation_fraction": 0}},
    "ablation": [],
    "efficiency": {"methods": ["random"], "scaling": [200]},
    "sensitivity": {"dataset": "tiny_communities", "method": "ehna", "parameters": {"margin": [5]}},
    "tuning": {"methods": ["ehna"], "trials": 1},
}
CONFIG = "config/slurm.yaml"
CAUGHT = "methods fit ehna"
# What docs/clusters.md tells users to set for their cluster, and fast answers for a toy one.
CLUSTER_SETTINGS = {
    "slurm-no-account": True,
    "slurm-status-command": "squeue",
    "slurm-init-seconds-before-status-checks": 2,
    "seconds-between-status-checks": 2,
    "latency-wait": 10,
    "set-threads": {"timing": 1},
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Path]:
    with one_node_cluster() as folder:
        yield folder


def test_a_run_that_loses_jobs_recovers_and_gives_the_tables_of_a_local_run(
    cluster: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    local, remote = (copy_project(tmp_path_factory.mktemp(name)) for name in ("local", "slurm"))
    for project in (local, remote):
        write_configuration(project)
    set_up_profile(remote)
    log = remote / "log.txt"
    run = start(remote, log)
    try:
        canceled = job_in_the_middle_of_a_fit(run)
        as_root("scancel", canceled)
        killed = job_in_the_middle_of_a_fit(run, but=canceled)
        kill_processes(killed)
        exit_code = run.wait(LONGEST_RUN_SECONDS)
    finally:
        run.kill()
        run.wait()
        # Without control groups SLURM loses sight of processes whose parent ends, as when a job is canceled.
        as_root("kill", "-9", *map(str, working_in(remote)), check=False)
    said = log.read_text(errors="replace")
    assert exit_code == 0, said
    assert f"SLURM-job '{canceled}' failed" in said
    assert f"SLURM-job '{killed}' failed" in said
    for job in (canceled, killed):
        # Two attempts, or three where the first one's processes were still in the fit's folder when the second came.
        attempts = memory_of_attempts(job)
        assert len(attempts) >= 2
        assert all(later > earlier for earlier, later in pairwise(attempts))
    done = snakemake(local, "--configfile", CONFIG)
    assert done.returncode == 0, done.stdout
    assert_same_outputs(local / "results" / "test", remote / "results" / "test")


def write_configuration(project: Path) -> None:
    config = yaml.safe_load((project / "config" / "test.yaml").read_text()) | CHANGES
    (project / CONFIG).write_text(yaml.safe_dump(config))


def set_up_profile(project: Path) -> None:
    path = project / "workflow" / "profiles" / "slurm" / "config.yaml"
    profile = yaml.safe_load(path.read_text()) | CLUSTER_SETTINGS
    profile["default-resources"]["slurm_partition"] = PARTITION
    path.write_text(yaml.safe_dump(profile))


def start(project: Path, log: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "snakemake", "--profile", "workflow/profiles/slurm"]
    command += ["--configfile", CONFIG]
    with log.open("wb") as output:
        return subprocess.Popen(command, cwd=project, stdout=output, stderr=subprocess.STDOUT)


def job_in_the_middle_of_a_fit(run: subprocess.Popen[bytes], but: str = "") -> str:
    """Wait until EHNA itself runs in a job of rule fit, and return the job's number."""
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline and run.poll() is None:
        lines = as_root("squeue", "--noheader", "--states=RUNNING", "--format=%i %k", check=False).splitlines()
        for job, _, comment in (line.partition(" ") for line in lines):
            # The plugin writes the rule into the comment.
            if comment.startswith("rule_fit_") and job != but:
                said = commands(processes_of(job))
                if CAUGHT in said and "methods.running.child" in said:
                    return job
        time.sleep(0.05)
    raise AssertionError("no job of rule fit was seen to run")


def memory_of_attempts(job: str) -> list[int]:
    """Megabytes that SLURM was asked for in each attempt at what the job did; its comment says what that was."""
    lines = as_root("squeue", "--states=all", "--noheader", "--sort=i", "--format=%i %m %k").splitlines()
    asked = [line.split(maxsplit=2) for line in lines]
    (purpose,) = (comment for number, _, comment in asked if number == job)
    return [int(memory.removesuffix("M")) for _, memory, comment in asked if comment == purpose]


def processes_of(job: str) -> list[psutil.Process]:
    """The processes of a job are the descendants of its steps' daemons, which carry its number in their name."""
    found: list[psutil.Process] = []
    for process in psutil.process_iter(["cmdline"]):
        if " ".join(process.info["cmdline"] or ()).startswith(f"slurmstepd: [{job}."):
            found += process.children(recursive=True)
    return found


def commands(processes: list[psutil.Process]) -> str:
    words: list[str] = []
    for process in processes:
        try:
            words += process.cmdline()
        except psutil.NoSuchProcess:
            continue
    return " ".join(words)


def kill_processes(job: str) -> None:
    """kill -9 for every process of a job, as when a node runs out of memory."""
    as_root("kill", "-9", *(str(process.pid) for process in processes_of(job)), check=False)
