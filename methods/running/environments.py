"""The environment of a method that brings `environment.yaml`: made once for the same list, whichever methods have it.

Where the file names packages for pip alone, it is a venv of these; what else it names comes from conda. Snakemake's
own `conda:` is not used for it: that makes all environments before the first job and ends the run where one cannot be
made, and the process that watches a fit needs the harness's environment, not the method's.
"""

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Wanted:
    """What an `environment.yaml` lists; `conda` is what only conda has, Python and pip aside."""

    file: Path
    python: str
    pip: tuple[str, ...]
    conda: tuple[str, ...]
    channels: tuple[str, ...]

    @property
    def folder(self) -> Path:
        """Where it is made: another folder for another list."""
        parts = [self.python, *self.pip, *(("conda", *self.conda, *self.channels) if self.conda else ())]
        return FOLDER / hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]


def interpreter(environment: Path | None) -> Path:
    """The Python for a method with this `environment.yaml`, or with none; made if need be."""
    if environment is None:
        return Path(sys.executable)
    wanted = read_environment(environment)
    folder = wanted.folder
    python = folder / "bin" / "python"
    with _alone(folder):
        # A venv borrows its Python, which may be gone since: that of an environment that snakemake made, say.
        if not (python.exists() and (folder / "installed.txt").exists()):
            _build(wanted, folder, python)
    return python


def read_environment(path: Path) -> Wanted:
    """The packages that the file lists, by where they come from."""
    try:
        listed = yaml.safe_load(path.read_text(encoding="utf-8"))
        channels, entries = listed.get("channels") or [], listed["dependencies"] or []
    except (OSError, ValueError, TypeError, KeyError, AttributeError, yaml.YAMLError) as error:
        raise EnvironmentBuildError(f"{path}: cannot be read as an environment of conda ({error})") from None
    pip: list[str] = []
    conda: list[str] = []
    version = OURS
    for entry in entries:
        if isinstance(entry, dict) and list(entry) == ["pip"]:
            pip += [str(requirement) for requirement in entry["pip"]]
        elif isinstance(entry, str) and entry.startswith("python="):
            version = entry.removeprefix("python=").strip("= ")
        elif entry != "pip":
            conda.append(str(entry))
    return Wanted(path, version, tuple(pip), tuple(conda), tuple(map(str, channels)))


def _build(wanted: Wanted, folder: Path, python: Path) -> None:
    base = sys.executable if wanted.python == OURS else shutil.which(f"python{wanted.python}")
    conda = shutil.which(os.environ.get("CONDA_EXE", "conda")) or shutil.which("mamba")
    if wanted.conda and conda is None:
        raise EnvironmentBuildError(
            f"{wanted.file}: needs {wanted.conda[0]} from conda, but there is no conda on the PATH; "
            "install conda, or list what pip has under pip"
        )
    if base is None and conda is None:
        raise EnvironmentBuildError(
            f"{wanted.file}: needs Python {wanted.python}, but there is neither python{wanted.python} nor conda on the "
            "PATH; install one of them"
        )
    print(f"making the environment of {wanted.file.parent.name} in {folder}, once", file=sys.stderr)
    shutil.rmtree(folder, ignore_errors=True)
    try:
        if base is None or wanted.conda:
            create = [conda, "env", "create", "--quiet", "--no-default-packages", "--file", wanted.file]
            _run([*create, "--prefix", folder], wanted.file)
            if not python.exists():
                raise EnvironmentBuildError(f"{wanted.file}: lists no Python; add python={OURS}")
        else:
            _run([base, "-m", "venv", folder], wanted.file)
            requirements = folder / "requirements.txt"
            write_text(requirements, "".join(f"{package}\n" for package in wanted.pip))
            install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
            _run([*install, "--requirement", requirements], wanted.file)
        write_text(folder / "installed.txt", "".join(f"{package}\n" for package in (*wanted.conda, *wanted.pip)))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


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
