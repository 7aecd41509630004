"""A small run on a file system that is too small, then with more room.

`make test-faults` names this file; pytest does not find it by itself, because mounting needs root (or sudo).
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.faults.run_outputs import assert_same_outputs, run_outputs
from tests.faults.small_run import run, write_config
from tests.integration.project_copy import copy_project
from tests.slurm.one_node_cluster import as_root


@pytest.fixture
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_project(tmp_path_factory.mktemp("full"))


@pytest.fixture
def small_disk(project: Path) -> Iterator[Path]:
    """results/ is a file system of its own; half a megabyte holds the network but not the whole run."""
    folder = project / "results"
    folder.mkdir()
    as_root("mount", "-t", "tmpfs", "-o", "size=512k,mode=1777", "tmpfs", str(folder))
    yield folder
    as_root("umount", "--lazy", str(folder))


def test_a_run_that_fills_the_disk_says_so_and_goes_on_when_there_is_room(project: Path, small_disk: Path) -> None:
    config = write_config(project, reconstruction={"nodes": 100, "draws": 1, "pairs": [10]})
    stopped = run(project, config)
    assert stopped.returncode != 0
    assert "No space left on device" in stopped.stdout
    left = run_outputs(small_disk / "test")
    as_root("mount", "-o", "remount,size=200m", str(small_disk))
    done = run(project, config)
    assert done.returncode == 0, done.stdout
    now = run_outputs(small_disk / "test")
    assert [name for name in left if left[name] != now[name]] == []
    (project.parent / "undisturbed").mkdir()
    whole = copy_project(project.parent / "undisturbed")
    assert run(whole, write_config(whole, reconstruction={"nodes": 100, "draws": 1, "pairs": [10]})).returncode == 0
    assert_same_outputs(whole / "results" / "test", small_disk / "test")
