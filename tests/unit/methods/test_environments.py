"""Environments of methods: what is made of environment.yaml by venv or conda, and what is said when it cannot be."""

import json
import sys
from pathlib import Path

import pytest

from methods.running import environments
from methods.running.environments import EnvironmentBuildError, interpreter, read_environment

EMPTY = f"dependencies: [python={environments.OURS}, pip]\n"


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Write an environment.yaml; environments go into a folder of the test, and nothing is on the PATH."""
    monkeypatch.setattr(environments, "FOLDER", tmp_path / "made")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("CONDA_EXE", raising=False)

    def write(text: str) -> Path:
        path = tmp_path / "environment.yaml"
        path.write_text(text)
        return path

    return write


def test_a_method_without_an_environment_runs_in_that_of_the_harness() -> None:
    assert interpreter(None) == Path(sys.executable)


def test_what_comes_from_pip_and_what_from_conda_is_read_and_python_is_ours_unless_named(write) -> None:
    wanted = read_environment(write("channels: [x]\ndependencies: [python=3.9, pip, gxx =14, {pip: [a==1, b]}]"))
    assert (wanted.python, wanted.pip, wanted.conda, wanted.channels) == ("3.9", ("a==1", "b"), ("gxx =14",), ("x",))
    wanted = read_environment(write("dependencies: [pip]"))
    assert (wanted.python, wanted.pip, wanted.conda, wanted.channels) == (environments.OURS, (), (), ())


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("dependencies: [python=3.11, gxx]", "needs gxx from conda, but there is no conda on the PATH"),
        ("dependencies: [python=2.6]", "needs Python 2.6, but there is neither python2.6 nor conda on the PATH"),
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


@pytest.mark.parametrize("lost", ["installed.txt", "bin/python"])
def test_an_environment_that_is_not_whole_is_made_anew(write, lost: str) -> None:
    python = interpreter(write(EMPTY))
    (python.parents[1] / lost).unlink()
    (python.parents[1] / "mark").touch()
    assert interpreter(write(EMPTY)) == python
    assert python.exists()
    assert not (python.parents[1] / "mark").exists()


@pytest.fixture
def conda(tmp_path: Path) -> Path:
    """A conda that makes an environment of this interpreter alone, and writes down what it was asked for."""
    path = tmp_path / "bin" / "conda"
    path.parent.mkdir()
    path.write_text(
        f"#!{sys.executable}\n"
        "import json, pathlib, sys\n"
        "prefix = pathlib.Path(sys.argv[sys.argv.index('--prefix') + 1])\n"
        "listed = pathlib.Path(sys.argv[sys.argv.index('--file') + 1]).read_text()\n"
        "if 'unsolvable' in listed: sys.exit('nothing provides unsolvable')\n"
        "(prefix / 'bin').mkdir(parents=True)\n"
        f"if 'python' in listed: (prefix / 'bin' / 'python').symlink_to({sys.executable!r})\n"
        "(prefix / 'asked.json').write_text(json.dumps(sys.argv[1:]))\n"
    )
    path.chmod(0o755)
    return path


def test_what_only_conda_has_is_installed_by_conda_from_the_file_itself_once(write, conda: Path) -> None:
    path = write("dependencies: [python=3.11, pip, gxx, {pip: [numpy]}]")
    python = interpreter(path)
    assert python.exists()
    asked = json.loads((python.parents[1] / "asked.json").read_text())
    assert asked[:2] == ["env", "create"]
    assert asked[asked.index("--file") + 1 :] == [str(path), "--prefix", str(python.parents[1])]
    conda.unlink()
    assert interpreter(path) == python


def test_a_python_that_is_not_there_comes_from_conda_and_ours_does_not(write, conda: Path) -> None:
    assert (interpreter(write("dependencies: [python=2.6]")).parents[1] / "asked.json").exists()
    assert not (interpreter(write(EMPTY)).parents[1] / "asked.json").exists()


def test_conda_is_also_found_where_its_activation_says(write, conda: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("CONDA_EXE", str(conda))
    assert interpreter(write("dependencies: [python=3.11, gxx]")).exists()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("dependencies: [python=3.11, unsolvable]", "cannot be made: nothing provides unsolvable"),
        ("dependencies: [gxx]", "lists no Python; add python=3."),
    ],
)
def test_an_environment_that_conda_cannot_make_leaves_nothing(write, conda: Path, text: str, sentence: str) -> None:
    path = write(text)
    with pytest.raises(EnvironmentBuildError, match=sentence):
        interpreter(path)
    assert not [folder for folder in (path.parent / "made").iterdir() if folder.is_dir()]
