"""Checksums: what a file must be, and the record of what was first seen where nobody states it (trust on first use)."""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock

from harness.files import file_md5, file_sha256, read_json, write_json
from harness.schema import breach
from networks.errors import NetworkError

RECORD = "checksums.json"

# Why a recorded checksum is believed.
STATED = "stated in the catalog"
FIRST_SEEN = "first seen"
UNPACKED = "unpacked from the source"
COUNTED = "none; its counts are those stated in the catalog"

log = logging.getLogger(__name__)


_SCHEMA = {
    "type": "object",
    "additionalProperties": {
        "type": "object",
        "required": ["bytes", "sha256"],
        "properties": {"bytes": {"type": "integer", "minimum": 0}, "sha256": {"type": "string"}},
    },
}


class SourceError(NetworkError):
    """A source that does not give the file; another source may."""


@dataclass(frozen=True)
class Expected:
    """What is known of a file before it comes; `stated_by` says who knows it, and what to do if it is not so.

    `trust` is why a checksum on record was once believed.
    """

    size_bytes: int | None = None
    sha256: str | None = None
    stated_by: str = ""
    md5: str | None = None
    trust: str = ""

    @property
    def has_checksum(self) -> bool:
        return self.sha256 is not None or self.md5 is not None

    def check(self, path: Path, source: str) -> str:
        """The file's sha256; a SourceError that names the source if size or checksum are not the expected ones."""
        size = path.stat().st_size
        if self.size_bytes is not None and size != self.size_bytes:
            raise SourceError(f"{source}: has {size} bytes instead of {self.size_bytes} {self.stated_by}")
        found = file_sha256(path)
        if self.sha256 is not None and found != self.sha256:
            raise SourceError(f"{source}: has sha256 {found} instead of {self.sha256} {self.stated_by}")
        if self.md5 is not None and (md5 := file_md5(path)) != self.md5:
            raise SourceError(f"{source}: has md5 {md5} instead of {self.md5} {self.stated_by}")
        return found


def recorded(downloads: Path, key: str) -> Expected | None:
    """What is on record for the file `key` (network/file name) of the folder `downloads`."""
    file = downloads / RECORD
    known = _read(file).get(key)
    if known is None:
        return None
    advice = f"recorded in {file} when it first came; if the new one is right, remove the entry {key} there"
    return Expected(known["bytes"], known["sha256"], advice, trust=known.get("checksum", FIRST_SEEN))


def _read(file: Path) -> dict[str, Any]:
    """The whole record; people edit it, so it is checked."""
    known: dict[str, Any] = read_json(file) if file.exists() else {}
    problem = breach(known, _SCHEMA)
    if problem is not None:
        raise NetworkError(f"{file}: {problem}; remove what is wrong, and the files it is about are recorded anew")
    return known


def record(downloads: Path, key: str, path: Path, sha256: str, trust: str, source: str) -> None:
    """Put a file on record; `trust` is one of STATED, COUNTED, UNPACKED and FIRST_SEEN (which is said aloud)."""
    # Several networks may be fetched at once into the same folder; each adds to the record that the last one left.
    with FileLock(downloads / f".{RECORD}.lock"):
        file = downloads / RECORD
        known = _read(file)
        known[key] = {"sha256": sha256, "bytes": path.stat().st_size, "checksum": trust, "source": source}
        write_json(file, dict(sorted(known.items())))
    if trust == FIRST_SEEN:
        log.warning("%s: nobody states its checksum; sha256 %s is recorded in %s as first seen", key, sha256, file)
