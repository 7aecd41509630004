"""A run of a few fast steps, for faults that need a whole DAG, and the means to start and to kill it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import yaml

from tests.integration.project_copy import snakemake

SMALL = {
    "run": "test",
    "datasets": ["tiny_communities"],
    "methods": ["random", "common_neighbors"],
    "link_prediction": {"draws": 1, "splits": 2, "protocols": ["paper"]},
    "limits": {"hours": 0.1, "memory_gb": 4},
}


def write_config(project: Path, name: str = "small", **changes: Any) -> str:
    path = project / "config" / f"{name}.yaml"
    path.write_text(yaml.safe_dump(SMALL | changes, allow_unicode=True), encoding="utf-8")
    return str(path.relative_to(project))


def start(project: Path, config: str, *arguments: str) -> subprocess.Popen[bytes]:
    """Start a run in a process group of its own; its words go to log.txt."""
    command = [sys.executable, "-m", "snakemake", "--cores", "2", "--configfile", config, *arguments]
    with (project / "log.txt").open("ab") as log:
        return subprocess.Popen(command, cwd=project, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)


def run(project: Path, config: str, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    return snakemake(project, "--configfile", config, *arguments, **options)


def kill(process: subprocess.Popen[bytes], project: Path) -> None:
    """kill -9 for the whole process group; afterwards no process works in the folder, not even a method's."""
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    deadline = time.monotonic() + 30
    while working_in(project):
        assert time.monotonic() < deadline, f"still there: {working_in(project)}"
        time.sleep(0.05)


def working_in(project: Path) -> list[int]:
    found = []
    for process in psutil.process_iter(["cwd", "status"]):
        cwd = process.info["cwd"]
        if cwd and Path(cwd).is_relative_to(project.resolve()) and process.info["status"] != psutil.STATUS_ZOMBIE:
            found.append(process.pid)
    return found
