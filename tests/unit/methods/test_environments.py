"""Environments of methods: what is made of environment.yaml without conda, and what is said when it cannot be."""

import sys
from pathlib import Path

import pytest

from methods.running import environments
from methods.running.environments import EnvironmentBuildError, interpreter, pip_part

EMPTY = f"dependencies: [python={environments.OURS}, pip]\n"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Write an environment.yaml; venvs go into a folder of the test."""
    monkeypatch.setattr(environments, "FOLDER", tmp_path / "made")

    def write(text: str) -> Path:
        path = tmp_path / "environment.yaml"
        path.write_text(text)
        return path

    return write


def test_a_method_without_an_environment_runs_in_that_of_the_harness() -> None:
    assert interpreter(None) == Path(sys.executable)


def test_what_pip_installs_is_read_and_python_is_ours_unless_named(write) -> None:
    assert pip_part(write("dependencies: [python=3.9, pip, {pip: [a==1, b]}]")) == ("3.9", ["a==1", "b"])
    assert pip_part(write("dependencies: [pip]")) == (environments.OURS, [])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "dependencies: [python=3.11, gxx]",
            "needs gxx from conda, but only packages for pip",
        ),
        ("dependencies: [python=2.6]", "needs Python 2.6, but there is no python2.6 on the PATH"),
        ("- a list", "cannot be read as an environment of conda"),
        ("dependencies: [", "cannot be read as an environment of conda"),
        (
            f"dependencies: [python={environments.OURS}, {{pip: [./no_such_package]}}]",
            "the environment cannot be made: ",
        ),
    ],
)
def test_an_environment_that_cannot_be_had_is_named_with_the_reason(write, text: str, sentence: str) -> None:
    path = write(text)
    with pytest.raises(EnvironmentBuildError) as failure:
        interpreter(path)
    assert str(failure.value).startswith(f"{path}: ")
    assert sentence in str(failure.value)
    assert not list((path.parent / "made").glob("*/bin"))


def test_the_same_list_is_installed_once(write) -> None:
    python = interpreter(write(EMPTY))
    assert python.parents[2] == environments.FOLDER
    (python.parents[1] / "mark").touch()
    assert interpreter(write(f"# another comment\n{EMPTY}")) == python
    assert (python.parents[1] / "mark").exists()


def test_an_environment_whose_making_was_interrupted_is_made_anew(write) -> None:
    python = interpreter(write(EMPTY))
    (python.parents[1] / "installed.txt").unlink()
    (python.parents[1] / "mark").touch()
    assert interpreter(write(EMPTY)) == python
    assert python.exists()
    assert not (python.parents[1] / "mark").exists()
