"""The manifest: hashes of everything a run read and made, the configuration, versions, and the machine."""

import importlib.metadata
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from evaluation.errors import EvaluationError
from evaluation.report.mixture import mixtures
from evaluation.report.run_folder import RunFolder
from evaluation.report.tables.all_tables import write_tables
from harness.code_files import ROOT
from harness.files import file_sha256, read_json, write_json
from harness.machine import describe_machine

PACKAGES = (
    "gensim",
    "liblinear-official",
    "matplotlib",
    "numba",
    "numpy",
    "pandas",
    "pyarrow",
    "scikit-learn",
    "scipy",
    "snakemake",
    "torch",
)
# What a run writes about itself while it works, or from the manifest, and what `snakemake --report` makes of it.
NOT_HASHED = ("logs", "manifest.json", "index.html", "report.html", "report.zip")


def run_files(folder: Path) -> list[Path]:
    """Every finished file of a run, in a stable order; hidden files are work in progress."""
    files = []
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and parts[0] not in NOT_HASHED and not any(part.startswith(".") for part in parts):
            files.append(path)
    return files


def given_vectors(run: dict[str, Any]) -> list[Path]:
    """The files of `embeddings:` in the configuration: made elsewhere, and read where they lie, outside the folder."""
    columns = run.get("config", {}).get("embeddings", {}).values()
    return [Path(path) for path in sorted({path for column in columns for path in column["files"].values()})]


def recorded(path: Path) -> dict[str, Any]:
    return {"sha256": file_sha256(path), "bytes": path.stat().st_size}


def source_commit() -> dict[str, Any] | None:
    """The commit that the code stands at, and whether files were changed since; None outside a git checkout."""

    def git(*arguments: str) -> str:
        command = ["git", "-C", str(ROOT), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        return {"commit": git("rev-parse", "HEAD"), "modified": bool(git("status", "--porcelain", "-uno"))}
    except (OSError, subprocess.CalledProcessError):
        return None


def write_manifest(folder: Path) -> None:
    versions = {name: importlib.metadata.version(name) for name in PACKAGES}
    run = read_json(folder / "run.json")
    vectors = given_vectors(run)
    for path in vectors:
        if not path.is_file():
            raise EvaluationError(f"{path}: named in the configuration but missing; put it back and run this again")
    manifest = {
        "run": run,
        "machine": describe_machine(),
        "versions": versions,
        "source": source_commit(),
        "files": {str(path.relative_to(folder)): recorded(path) for path in run_files(folder)},
    }
    if vectors:
        manifest["embeddings"] = {str(path): recorded(path) for path in vectors}
    write_json(folder / "manifest.json", manifest)


def verify(folder: Path) -> int:
    """Compare a run with its manifest, and its tables with its repeats; return how many files agree."""
    manifest = read_json(folder / "manifest.json")
    files, vectors = manifest["files"], manifest.get("embeddings", {})
    for name, entry in files.items():
        check_file(folder / name, entry, "run the workflow again", "delete it and run the workflow again")
    for name, entry in vectors.items():
        restore = "put back the vectors that were read, or run the workflow again"
        check_file(Path(name), entry, "put it back, or run the workflow again", restore)
    added = sorted({str(path.relative_to(folder)) for path in run_files(folder)} - set(files))
    if added:
        raise EvaluationError(f"{folder / added[0]}: not in manifest.json; remove it or run the workflow again")
    if mixed := mixtures(RunFolder(folder)):
        raise EvaluationError(f"{folder}: {mixed[0]}")
    check_tables(folder)
    return len(files) + len(vectors)


def check_file(path: Path, entry: dict[str, Any], if_missing: str, if_changed: str) -> None:
    """Compare a file with what the manifest says of it; the advice is for the one who has to mend it."""
    if not path.is_file():
        raise EvaluationError(f"{path}: named in manifest.json but missing; {if_missing}")
    if file_sha256(path) != entry["sha256"]:
        raise EvaluationError(f"{path}: differs from manifest.json; {if_changed}")


def check_tables(folder: Path) -> None:
    """Make the tables again from the stored repeats; they must be the same bytes."""
    with tempfile.TemporaryDirectory() as made_again:
        write_tables(folder, Path(made_again))
        for path in sorted(Path(made_again).iterdir()):
            stored = folder / "tables" / path.name
            if not stored.exists() or stored.read_bytes() != path.read_bytes():
                raise EvaluationError(f"{stored}: does not follow from the stored repeats; run the workflow again")
