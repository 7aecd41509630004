"""The environment of a method that brings `environment.yaml`: a venv of what the file lists for pip.

It is made once for the same list, whichever methods have it.
"""

import fcntl
import hashlib
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import yaml

from harness.code_files import ROOT
from harness.files import write_text
from methods.contract.errors import MethodError

FOLDER = ROOT / ".environments"
OURS = f"{sys.version_info.major}.{sys.version_info.minor}"


class EnvironmentBuildError(MethodError):
    """An environment that cannot be had here: its method fails, the others do not."""


def interpreter(environment: Path | None) -> Path:
    """The Python for a method with this `environment.yaml`, or with none; made if need be."""
    if environment is None:
        return Path(sys.executable)
    version, packages = pip_part(environment)
    folder = FOLDER / hashlib.sha256("\n".join([version, *packages]).encode()).hexdigest()[:16]
    python = folder / "bin" / "python"
    with _alone(folder):
        if not (folder / "installed.txt").exists():
            _build(folder, python, _base(version, environment), packages, environment)
    return python


def pip_part(environment: Path) -> tuple[str, list[str]]:
    """Python's version, and the requirements for pip; an environment with more from conda cannot be a venv."""
    try:
        listed = yaml.safe_load(environment.read_text(encoding="utf-8"))["dependencies"]
    except (OSError, ValueError, TypeError, KeyError, yaml.YAMLError) as error:
        raise EnvironmentBuildError(f"{environment}: cannot be read as an environment of conda ({error})") from None
    packages: list[str] = []
    version = OURS
    for entry in listed or []:
        if isinstance(entry, dict) and list(entry) == ["pip"]:
            packages += [str(requirement) for requirement in entry["pip"]]
        elif isinstance(entry, str) and entry.startswith("python="):
            version = entry.removeprefix("python=").strip("= ")
        elif entry != "pip":
            raise EnvironmentBuildError(
                f"{environment}: needs {entry} from conda, but only packages for pip can be had; list it under pip"
            )
    return version, packages


def _base(version: str, environment: Path) -> str:
    if version == OURS:
        return sys.executable
    found = shutil.which(f"python{version}")
    if found is None:
        raise EnvironmentBuildError(
            f"{environment}: needs Python {version}, but there is no python{version} on the PATH; install it"
        )
    return found


def _build(folder: Path, python: Path, base: str, packages: list[str], environment: Path) -> None:
    print(f"making the environment of {environment.parent.name} in {folder}, once", file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    requirements = folder / "requirements.txt"
    try:
        _run([base, "-m", "venv", folder], environment)
        write_text(requirements, "".join(f"{package}\n" for package in packages))
        _run(
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--requirement", requirements],
            environment,
        )
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    requirements.rename(folder / "installed.txt")


def _run(words: list[Any], environment: Path) -> None:
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        said = [line for line in (done.stdout + done.stderr).splitlines() if line.strip()]
        raise EnvironmentBuildError(
            f"{environment}: the environment cannot be made: {said[-1] if said else 'no message'}"
        )


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Fits that need the same environment at once wait for the first to make it."""
    FOLDER.mkdir(exist_ok=True)
    with (FOLDER / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
