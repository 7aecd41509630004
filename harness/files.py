"""Files: they appear whole or not at all (written under a temporary name, then renamed), as text, JSON and hashes."""

import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from harness.errors import UserError

# Below this a file of holes does no harm; above, one that is mostly data may still have some.
HARMLESS_BYTES = 64 << 20
MOST_HOLES = 10


@contextmanager
def atomic_path(final: Path) -> Iterator[Path]:
    """Yield a temporary path beside `final`; rename it to `final` if the block succeeds, remove it otherwise.

    The name carries the process id, so that two runs never write the same temporary file. The contents reach the disk
    before the rename: after a power cut the file is the old one or the new one.
    """
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{final.parent}: no folder can be made there: {error.strerror}") from error
    temporary = final.with_name(f".{final.name}.{os.getpid()}.part")
    try:
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.replace(final)
    except OSError as error:
        if error.filename not in (None, str(temporary), str(final)):
            raise  # the block failed on some other file
        raise UserError(f"{final}: cannot be written: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def write_text(final: Path, text: str) -> None:
    with atomic_path(final) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(final: Path, value: Any) -> None:
    """Write `value` as JSON that a person can read; NaN is refused, because it is not JSON."""
    write_text(final, json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: not valid JSON ({error}); delete it and run the step that makes it again") from error


def refuse_unusual_file(path: Path) -> None:
    """Refuse what is no regular file (reading a fifo or a device may never end) and one that is mostly holes.

    A hole takes no room on disk and all of its length in memory. A file system that has none says so of every file.
    """
    try:
        status = path.stat()
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    if not stat.S_ISREG(status.st_mode):
        raise UserError(f"{path}: is not a regular file; name a file, not a folder, a device or a pipe")
    if status.st_size <= HARMLESS_BYTES:
        return
    with path.open("rb") as file:
        held = _bytes_on_disk(file.fileno(), status.st_size)
    if held * MOST_HOLES < status.st_size:
        raise UserError(f"{path}: says that it has {status.st_size:,} bytes, but holds {held:,}; the rest are holes")


def _bytes_on_disk(descriptor: int, size: int) -> int:
    held = position = 0
    while position < size:
        try:
            start = os.lseek(descriptor, position, os.SEEK_DATA)
        except OSError:  # nothing but a hole from here to the end
            break
        position = os.lseek(descriptor, start, os.SEEK_HOLE)
        held += position - start
    return held


def file_sha256(path: Path) -> str:
    """The sha256 of the contents, read piece by piece: files may be larger than memory."""
    return _digest(path, hashlib.sha256)


def file_md5(path: Path) -> str:
    """For sources that publish nothing better."""
    return _digest(path, lambda: hashlib.md5(usedforsecurity=False))


def _digest(path: Path, kind: Callable[[], Any]) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, kind).hexdigest()


def with_home(path: str | Path, where: str) -> Path:
    """The path with ~ spelled out; `where` begins the sentence if there is no such home."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise UserError(f"{where}: {path} begins with ~, but there is no such home") from None
