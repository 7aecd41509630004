"""The hash of a file: the one that checksums, audits, fits and manifests compare."""

import hashlib
from pathlib import Path


def file_sha256(path: Path) -> str:
    """The sha256 of the contents, read piece by piece: files may be larger than memory."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
