"""Compiled kernels never outlive the sources they were compiled from, those of the kernels they call included."""

import os
import subprocess
import sys
from pathlib import Path

from harness.code_files import PACKAGES, ROOT, code_files
from harness.kernel_cache import state_of_kernels
from methods.htne.training import train

CALLER = """
import numba
from methods.inner import inner

@numba.njit(cache=True)
def outer():
    return inner()
"""
INNER = "import numba\n\n@numba.njit(cache=True)\ndef inner():\n    return {}\n"


def tree(root: Path, result: int) -> Path:
    """A project of two kernels, one of which calls the other."""
    for package in PACKAGES:
        (root / package).mkdir(parents=True, exist_ok=True)
    needed = {*code_files("harness.kernel_cache"), *code_files("methods")}
    for file in (path.relative_to(ROOT) for path in needed):
        (root / file).write_text((ROOT / file).read_text())
    (root / "methods/caller.py").write_text(CALLER)
    (root / "methods/inner.py").write_text(INNER.format(result))
    return root


def run(root: Path, **environment: str) -> str:
    """What the caller returns, in a process of its own."""
    command = [sys.executable, "-c", "from methods.caller import outer; print(outer())"]
    clean = {name: value for name, value in os.environ.items() if name != "NUMBA_CACHE_DIR"}
    return subprocess.run(
        command, cwd=root, env=clean | environment, capture_output=True, text=True, check=True
    ).stdout.strip()


def test_a_kernel_is_compiled_anew_when_one_that_it_calls_has_changed(tmp_path: Path) -> None:
    assert run(tree(tmp_path, 1)) == "1"
    assert run(tree(tmp_path, 2)) == "2"
    assert len(list((tmp_path / ".kernels").iterdir())) == 2


def test_a_folder_that_the_user_names_is_used(tmp_path: Path) -> None:
    root, own_folder = tree(tmp_path / "project", 1), tmp_path / "own"
    assert run(root, NUMBA_CACHE_DIR=str(own_folder)) == "1"
    # A child process inherits the name that its parent made of it.
    assert run(root, NUMBA_CACHE_DIR=str(own_folder / state_of_kernels(root))) == "1"
    assert [folder.name for folder in own_folder.iterdir()] == [state_of_kernels(root)]
    assert not (root / ".kernels").exists()


def test_only_files_with_kernels_count(tmp_path: Path) -> None:
    before = state_of_kernels(tree(tmp_path, 1))
    (tmp_path / "methods/words.py").write_text("A = 1\n")
    assert state_of_kernels(tmp_path) == before
    (tmp_path / "methods/inner.py").write_text(INNER.format(3))
    assert state_of_kernels(tmp_path) != before


def test_the_kernels_of_this_project_are_kept_there() -> None:
    assert Path(train.stats.cache_path).parent.name == state_of_kernels(ROOT)
