"""Transfer of one file, from an address or a folder: it has its name only when it is whole and checked."""

import shutil
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from harness.files import atomic_path
from networks.errors import NetworkError
from networks.fetch.checksums import Expected, SourceError
from networks.fetch.download import LIMITS, Limits, NotFoundAtSource, download, forget, refuse_full_disk

MAGIC = {
    ".gz": (b"\x1f\x8b",),
    ".tgz": (b"\x1f\x8b",),
    ".bz2": (b"BZh",),
    ".xz": (b"\xfd7zXZ\x00",),
    ".zip": (b"PK\x03\x04", b"PK\x05\x06"),
}


def transfer(location: str | Path, final: Path, expected: Expected, limits: Limits = LIMITS) -> str:
    """Bring the file at `location` (an address, or a path) to `final` and return its sha256.

    Until it is whole and checked, a download lies in `final`.part, where a later call goes on; what proves wrong is
    deleted.
    """
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NetworkError(f"{final.parent}: cannot be made: {error.strerror}") from error
    if isinstance(location, Path):
        return _copy(location, final, expected, str(location))
    address = urlsplit(location)
    if address.scheme == "file":
        if address.netloc not in ("", "localhost"):
            raise SourceError(f"{location}: a file address names no host; write file:///path")
        return _copy(Path(url2pathname(address.path)), final, expected, location)
    if address.scheme not in ("http", "https"):
        raise SourceError(f"{location}: only http, https and file addresses can be fetched")

    part = final.with_name(final.name + ".part")
    download(location, part, expected, limits)
    try:
        found = check_contents(part, final.name, expected, location)
    except SourceError:
        forget(part)
        raise
    part.replace(final)
    forget(part)
    return found


def check_contents(path: Path, name: str, expected: Expected, source: str) -> str:
    """The sha256 of a complete file; a SourceError if it cannot be what its name and `expected` say."""
    with path.open("rb") as file:
        head = file.read(1024)
    if not head:
        raise SourceError(f"{source}: is an empty file")
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(b"<") and (b"<html" in start or b"<!doctype html" in start):
        raise SourceError(f"{source}: is an HTML page instead of the file; the source may have moved")
    found = expected.check(path, source)
    suffix = Path(name).suffix
    if suffix in MAGIC and not head.startswith(MAGIC[suffix]):
        raise SourceError(f"{source}: is not the {suffix} file that its name says")
    return found


def _copy(source: Path, final: Path, expected: Expected, name: str) -> str:
    if not source.is_file():
        raise NotFoundAtSource(f"{name}: no such file")
    refuse_full_disk(final.parent, source.stat().st_size)
    try:
        with atomic_path(final) as temporary:
            shutil.copyfile(source, temporary)
            return check_contents(temporary, final.name, expected, name)
    except OSError as error:
        raise SourceError(f"{name}: cannot be read: {error.strerror or error}") from error
