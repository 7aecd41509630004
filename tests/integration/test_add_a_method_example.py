"""docs/add-a-method.md works as written."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.integration.scratch_methods import copy_methods, environment, fit, methods

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_methods(tmp_path_factory.mktemp("project"))


@pytest.fixture(scope="module")
def example(project: Path) -> Path:
    """The files of the worked example, exactly as the page shows them."""
    page = (ROOT / "docs" / "add-a-method.md").read_text()
    files = re.findall(r"^`(methods/\S+)`:\n\n```\w+\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    assert [name for name, _ in files] == ["methods/decayed_svd/method.yaml", "methods/decayed_svd/fit.py"]
    (project / "methods" / "decayed_svd").mkdir()
    (project / "methods" / "decayed_svd" / "__init__.py").touch()
    for name, text in files:
        (project / name).write_text(text)
    return project


def test_the_example_is_found_and_described(example: Path) -> None:
    assert "Decayed SVD" in methods(example, "list").stdout
    said = methods(example, "describe", "decayed_svd").stdout
    assert "decay = 3.0  (a number, at least 0)" in said
    assert "static_svd: Static SVD, decay = 0" in said


def test_the_example_approximates_the_decayed_adjacency(example: Path) -> None:
    record = fit(example, "decayed_svd", "--set", "dimensions=6", "--set", "decay=0")
    vectors = np.load(example / "fits" / "decayed_svd" / "embeddings.npy").astype(np.float64)
    assert (record["status"], record["embeddings"]["dimensions"]) == ("ok", 6)
    adjacency = np.zeros((6, 6))
    for u, v in [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)]:
        adjacency[u, v] = adjacency[v, u] = 1
    # U S U' is the polar factor (A A')^(1/2) of the symmetric matrix A = U S V'.
    values, basis = np.linalg.eigh(adjacency)
    assert np.allclose(vectors @ vectors.T, basis * np.abs(values) @ basis.T, atol=1e-5)
    assert record["facts"]["largest_singular_value"] == pytest.approx(np.abs(values).max())


def test_the_example_passes_the_conformance_suite(example: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "tests/integration/test_method_conformance.py",
        "-k",
        "decayed_svd or static_svd",
    ]
    done = subprocess.run(command, cwd=example, env=environment(example), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout
    assert re.search(r"^1\d passed", done.stdout, flags=re.MULTILINE)
