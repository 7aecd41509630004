"""The hash of a file is that of its contents, and one function computes it."""

import hashlib
from pathlib import Path

import pytest

from datasets.file_hash import file_sha256

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("contents", [b"", b"contents", bytes(1 << 20) + b"end"])
def test_the_hash_is_that_of_the_contents(tmp_path, contents):
    (tmp_path / "file").write_bytes(contents)
    assert file_sha256(tmp_path / "file") == hashlib.sha256(contents).hexdigest()


def test_one_function_hashes_files():
    packages = ("datasets", "methods", "evaluation", "workflow")
    sources = [path for package in packages for path in (ROOT / package).rglob("*.py")]
    hashing = [path for path in sources if "file_digest" in path.read_text()]
    assert hashing == [ROOT / "datasets" / "file_hash.py"]
