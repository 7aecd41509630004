"""What the tests of fetching share: a toy network at some address, and the sentence with which fetching it fails."""

import dataclasses
import hashlib
import io
import tarfile
import zipfile
from pathlib import Path

import pytest

from harness.errors import UserError
from networks.catalog import Entry
from networks.fetch.download import Limits
from networks.fetch.obtain import fetch

BODY = b"".join(b"%d %d %d\n" % (row % 7, row % 11 + 7, row) for row in range(2000))
FAST = Limits(attempts=3, backoff_seconds=0, redirects=3)


def toy(url: str, **known: object) -> Entry:
    return dataclasses.replace(Entry(name="toy", label="Toy", urls=(url,), format="delimited"), **known)


def sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def zipped(members: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, body in members.items():
            archive.writestr(name, body)
    return packed.getvalue()


def tarred(members: dict[str, bytes], compression: str = "gz") -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode=f"w:{compression}") as archive:
        for name, body in members.items():
            item = tarfile.TarInfo(name)
            item.size = len(body)
            archive.addfile(item, io.BytesIO(body))
    return packed.getvalue()


def left_behind(downloads: Path) -> set[str]:
    """The files of the toy network's folder, but for its lock."""
    return {file.name for file in (downloads / "toy").iterdir()} - {".lock"}


def fails(entry: Entry, downloads: Path, mirror: Path | None = None, limits: Limits = FAST) -> str:
    """The sentence with which fetching fails."""
    with pytest.raises(UserError) as failure:
        fetch(entry, downloads, mirror, limits)
    assert "\n" not in str(failure.value)
    return str(failure.value)
