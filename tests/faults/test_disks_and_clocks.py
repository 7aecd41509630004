"""A disk without room, a file that cannot be read and a clock that was set back: one sentence, nothing half-written."""

import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.faults.run_outputs import assert_same_outputs, run_outputs
from tests.faults.small_run import run, write_config
from tests.integration.project_copy import copy_project

ROOT = Path(__file__).parents[2]


def limit_files(most_bytes: int) -> None:
    """As a full disk does, the system refuses to let a file grow; it needs no file system of our own."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_project(tmp_path_factory.mktemp("disks"))


@pytest.fixture(scope="module")
def undisturbed(project: Path) -> Path:
    done = run(project, write_config(project, "undisturbed", run="undisturbed"))
    assert done.returncode == 0, done.stdout
    return project / "results" / "undisturbed"


def test_a_run_on_a_full_disk_says_so_and_goes_on_when_there_is_room(project: Path, undisturbed: Path) -> None:
    config = write_config(project, run="full")
    results = project / "results" / "full"
    # The network is larger than this, and what is written before it is not.
    most = (undisturbed / "networks" / "tiny_communities" / "network.arrow").stat().st_size - 1
    stopped = run(project, config, preexec_fn=lambda: limit_files(most))
    assert stopped.returncode != 0
    assert "error: results/full/networks/tiny_communities/network.arrow: cannot be written: " in stopped.stdout
    assert "Traceback" not in stopped.stdout
    assert [name for name, contents in run_outputs(results).items() if contents != run_outputs(undisturbed)[name]] == []
    done = run(project, config)
    assert done.returncode == 0, done.stdout
    assert_same_outputs(undisturbed, results)


def test_a_fit_that_the_disk_has_no_room_for_is_no_result_of_the_method(undisturbed: Path, tmp_path: Path) -> None:
    """A cell marked `failed` would stay when there is room again; an error is tried again."""
    command = [sys.executable, "-m", "methods", "fit", "random", "--set", "dimensions=128"]
    command += ["--network", str(undisturbed / "networks" / "tiny_communities" / "train.arrow"), "--out", str(tmp_path)]
    refused = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=300, preexec_fn=lambda: limit_files(10_000)
    )
    assert refused.returncode == 1
    assert re.fullmatch(r"error: the disk failed: \S+: cannot be written: File too large\n", refused.stderr)
    assert not list(tmp_path.glob("*.*"))


@pytest.mark.parametrize("kind", ["folder", "dangling link", "input/output error"])
def test_a_file_that_cannot_be_read_is_one_sentence(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "edges.txt"
    if kind == "folder":
        path.mkdir()
    elif kind == "dangling link":
        path.symlink_to(tmp_path / "nowhere")
    else:
        path.symlink_to("/proc/self/mem")  # reading from its start fails for everybody, with EIO
    command = [sys.executable, "-m", "networks", "prepare", str(path), "--out", str(tmp_path / "out")]
    refused = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=300)
    assert refused.returncode == 1
    assert refused.stderr.startswith("error: ")
    assert str(path) in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert not (tmp_path / "out").exists()


def test_a_clock_that_was_set_back_changes_no_result(project: Path, undisturbed: Path) -> None:
    """Files from before the change seem to come from the future, and whatever is made now seems older than they."""
    config = write_config(project, "undisturbed", run="undisturbed")
    before = run_outputs(undisturbed)
    future = time.time() + 86_400
    for path in (project / "methods" / "random").rglob("*"):
        os.utime(path, (future, future))
    os.utime(undisturbed / "networks" / "tiny_communities" / "train.arrow", (future, future))
    done = run(project, config)
    assert done.returncode == 0, done.stdout
    assert run_outputs(undisturbed) == before
