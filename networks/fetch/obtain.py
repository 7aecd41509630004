"""Fetching: make a network's raw file exist, from the user's hand, a mirror or its source, and check it every time."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit

from filelock import FileLock, Timeout

from harness.files import file_sha256, with_home
from networks.catalog import Entry
from networks.errors import NetworkError
from networks.fetch.checksums import COUNTED, FIRST_SEEN, STATED, UNPACKED, Expected, SourceError, record, recorded
from networks.fetch.download import LIMITS, Limits, NotFoundAtSource, Unreachable
from networks.fetch.extract import check_compressed, unpack
from networks.fetch.transfer import check_contents, transfer
from networks.recognise import check_counts, recognise

# Longer than any download of the catalog takes on a slow line; then the other process is stuck, not slow.
LOCK_SECONDS = 12 * 3600

log = logging.getLogger(__name__)


def fetch(entry: Entry, downloads: Path, mirror: str | Path | None = None, limits: Limits = LIMITS) -> Path:
    """Make the raw file of `entry` exist and return its path; what is there already is only checked.

    A file that the user put into `downloads/<name>` comes first, then the mirror (a folder or an address), then the
    source itself. Where no checksum is stated but the counts are, a file must have these.
    """
    raw = entry.raw_path(downloads)
    if raw is None:
        raise NetworkError(f"{entry.name}: is generated when it is prepared; there is nothing to fetch")
    if entry.path is not None:
        if not raw.is_file():
            raise NetworkError(f"{entry.name}: path {raw}: no such file")
        return raw
    if entry.package is not None:
        if not raw.is_file():
            raise NetworkError(f"{raw}: is missing from the package {entry.package[0]}; install that package again")
        _stated(entry).check(raw, str(raw))
        return raw

    folder = downloads / entry.name
    if _is_done(entry, downloads, raw):  # without the lock, so that a folder that cannot be written to will do
        return raw
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise NetworkError(f"{folder}: cannot be made: {error.strerror}") from error
    with _only_one(folder):
        if not _is_done(entry, downloads, raw):
            _obtain(entry, downloads, raw, mirror, limits)
    return raw


def _is_done(entry: Entry, downloads: Path, raw: Path) -> bool:
    """Whether the raw file is there and on record; it must then still be what was recorded."""
    known = recorded(downloads, f"{entry.name}/{raw.name}")
    if known is None or not raw.is_file():
        return False
    # What was unpacked from another file, or believed for its counts, need not be the very file at the source.
    if raw.name in entry.download_names and known.trust in (STATED, FIRST_SEEN):
        _stated(entry).check(raw, str(raw))
    known.check(raw, str(raw))
    return True


def _obtain(entry: Entry, downloads: Path, raw: Path, mirror: str | Path | None, limits: Limits) -> None:
    folder = downloads / entry.name
    names = tuple(dict.fromkeys((raw.name, *entry.download_names, *entry.files)))
    for name in names:
        if (folder / name).is_file():
            return _accept(entry, downloads, raw, name, folder / name)

    failures = []
    for file in _strangers(folder):
        try:
            return _recognise(entry, downloads, raw, file)
        except NetworkError as error:
            log.warning("%s", error)
            failures.append(str(error))
    for name, location in _on_mirror(mirror, entry.name, (*entry.download_names, *entry.files, raw.name)):
        try:
            return _accept(entry, downloads, raw, name, location, limits)
        except NotFoundAtSource:
            continue
        except SourceError as error:
            log.warning("mirror: %s", error)
            failures.append(f"mirror: {error}")
            if isinstance(error, Unreachable):
                break
    for url in entry.urls:
        try:
            return _accept(entry, downloads, raw, entry.download_names[0], url, limits)
        except SourceError as error:
            failures.append(str(error))

    why = "; ".join(failures if entry.terms is None else [*failures, entry.terms])
    wanted = " or ".join(dict.fromkeys((*entry.download_names, *entry.files, raw.name)))
    raise NetworkError(f"{entry.name}: {why}; put {wanted} into {folder} by hand and run this again")


def _on_mirror(mirror: str | Path | None, network: str, names: tuple[str, ...]) -> Iterator[tuple[str, str | Path]]:
    """Every place where a mirror may hold the file, under each of its names."""
    if mirror is None:
        return
    is_address = "://" in str(mirror)
    if is_address and urlsplit(str(mirror)).scheme not in ("http", "https", "file"):
        raise NetworkError(f"mirror: {mirror}: only http, https and file addresses can be fetched")
    if not is_address and not (folder := with_home(mirror, "mirror")).is_dir():
        raise NetworkError(f"mirror: {mirror} is neither a folder nor an address")
    for name in dict.fromkeys(names):
        for path in (name, f"{network}/{name}"):
            yield name, f"{str(mirror).rstrip('/')}/{quote(path)}" if is_address else folder / path


def _strangers(folder: Path) -> list[Path]:
    """The files in a network's folder that neither have a name that the catalog knows nor are our own."""
    own = (".part", ".part.json")
    return sorted(
        file for file in folder.iterdir() if file.is_file() and file.name[0] != "." and not file.name.endswith(own)
    )


def _recognise(entry: Entry, downloads: Path, raw: Path, file: Path) -> None:
    """Take a file that was put there by hand, whatever it is called, if its contents show what it is."""
    found = check_contents(file, "", Expected(), str(file))
    is_counted = recognise(entry, file, raw)
    log.info("%s: recognised as %s", file, entry.name)
    record(downloads, f"{entry.name}/{file.name}", file, found, COUNTED if is_counted else FIRST_SEEN, str(file))
    record(downloads, f"{entry.name}/{raw.name}", raw, file_sha256(raw), UNPACKED, file.name)


def _accept(entry: Entry, downloads: Path, raw: Path, name: str, location: str | Path, limits: Limits = LIMITS) -> None:
    """Bring one file into the network's folder, check it, unpack the raw file from it, and put both on record."""
    file = raw.with_name(name)
    key, raw_key = f"{entry.name}/{name}", f"{entry.name}/{raw.name}"
    stated = _stated(entry) if name in entry.download_names else Expected()
    if entry.counts is not None and location not in entry.urls:
        # The same contacts may have come another way; then their number shows it, not a checksum.
        stated = Expected()
    expected = stated if stated.has_checksum else recorded(downloads, key) or stated
    by_hand = location == file
    found = check_contents(file, name, expected, str(file)) if by_hand else transfer(location, file, expected, limits)
    try:
        if file != raw:
            raw_found = unpack(file, entry.member, raw, recorded(downloads, raw_key))
        elif not stated.has_checksum:
            check_compressed(file)
        is_stated = stated.has_checksum or found == entry.sha256
        is_counted = not is_stated and check_counts(entry, raw)
    except NetworkError as error:
        if not by_hand:
            file.unlink()
        if file != raw:
            raw.unlink(missing_ok=True)
        # A damaged file at one source says nothing about the next; it is gone, so the sentence names where it was.
        told = str(error).replace(str(file), str(location)).replace(f"{raw}:", f"{location}:")
        raise SourceError(told) from error
    record(downloads, key, file, found, STATED if is_stated else COUNTED if is_counted else FIRST_SEEN, str(location))
    if file != raw:
        record(downloads, raw_key, raw, raw_found, UNPACKED, name)


def _stated(entry: Entry) -> Expected:
    return Expected(entry.size_bytes, entry.sha256, STATED, entry.md5)


@contextmanager
def _only_one(folder: Path) -> Iterator[None]:
    """Hold the lock on a network's folder; a second process that wants the same file waits for the first."""
    lock = FileLock(folder / ".lock")
    try:
        try:
            lock.acquire(timeout=0)
        except Timeout:
            log.warning("%s: another process is fetching; waiting for it", folder)
            lock.acquire(timeout=LOCK_SECONDS)
    except Timeout:
        raise NetworkError(
            f"{folder}: another process has been fetching for {LOCK_SECONDS // 3600} hours; end it and run this again"
        ) from None
    except OSError as error:
        raise NetworkError(f"{folder}: cannot be written to: {error.strerror}") from error
    try:
        yield
    finally:
        lock.release()
