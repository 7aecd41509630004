"""A copy of the project in a folder of its own, where a test may edit files and run the workflow."""

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
PARTS = ("Snakefile", "config", "evaluation", "harness", "methods", "networks", "profiles", "workflow")
LEFT_OUT = shutil.ignore_patterns("downloads")


def copy_project(folder: Path) -> Path:
    """Copy what the workflow needs; compiled kernels come along, so that nothing is compiled again."""
    for part in PARTS:
        source = ROOT / part
        if source.is_dir() and not source.is_symlink():
            shutil.copytree(source, folder / part, ignore=LEFT_OUT)
        else:
            shutil.copy2(source, folder / part, follow_symlinks=False)
    return folder


def snakemake(folder: Path, *arguments: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run snakemake in the copy, with its words in `stdout`."""
    command = [sys.executable, "-m", "snakemake", "--cores", "2", *arguments]
    said = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True, "errors": "replace"}
    return subprocess.run(command, cwd=folder, check=False, timeout=3600, **said, **options)
