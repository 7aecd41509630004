"""Methods written by a test into a copy of the project, and fitted there by command line."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from tests.conftest import network_of

ROOT = Path(__file__).parents[2]
DESCRIPTION = "{label: X, role: baseline, citation: none, description: misbehaves}\n"
START = "import os, sys, time, signal\nimport numpy as np\ndef fit(network, params, run):\n"
GOOD_END = "    with run.epoch(1, 'edges'): pass\n    return np.zeros((network.n_nodes, 2), np.float32)\n"


def copy_methods(root: Path) -> Path:
    """A copy of the tree, without data, with a stored network."""
    for folder in ("harness", "networks", "methods", "tests"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__", "downloads"))
    shutil.copytree(ROOT / "docs" / "example_method", root / "docs" / "example_method")
    shutil.copy(ROOT / "pyproject.toml", root)
    contacts = [(0, 1, 1), (1, 2, 2), (2, 0, 3), (2, 3, 4), (3, 4, 5), (4, 2, 6)]
    network_of(contacts, n_nodes=6).save(root / "train.arrow")
    return root


def environment(root: Path) -> dict[str, str]:
    """The copy stands alone: nothing of this tree may be imported."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | {"PYTHONPATH": str(root)}


def methods(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "methods", *words]
    return subprocess.run(command, cwd=root, env=environment(root), capture_output=True, text=True, timeout=120)


def put(root: Path, name: str, body: str, description: str = DESCRIPTION) -> None:
    folder = root / "methods" / name
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "method.yaml").write_text(description)
    (folder / "fit.py").write_text(START + body)


def fit(root: Path, name: str, *words: str) -> dict[str, Any]:
    """Fit by command line and return the record; a failure of the method must not be one of the command."""
    done = methods(root, "fit", name, "--network", "train.arrow", "--out", f"fits/{name}", "--record-failures", *words)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stdout
    record: dict[str, Any] = json.loads((root / "fits" / name / "fit.json").read_text())
    if record["status"] != "ok":
        assert np.load(root / "fits" / name / "embeddings.npy").shape == (0, 0)
        assert record["reason"] in (root / "fits" / name / "fit.log").read_text()
        assert "\n" not in record["reason"]
    return record


def pid_in(path: Path) -> int:
    deadline = time.monotonic() + 60
    while not path.exists() or not path.read_text():
        assert time.monotonic() < deadline, f"{path} never came"
        time.sleep(0.05)
    return int(path.read_text())


def assert_ends(pid: int) -> None:
    try:
        process = psutil.Process(pid)
        process.wait(timeout=30)
    except psutil.NoSuchProcess:
        return
    except psutil.TimeoutExpired:
        assert process.status() == psutil.STATUS_ZOMBIE, f"process {pid} is still there"
