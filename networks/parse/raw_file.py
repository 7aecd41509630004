"""Open a raw file as bytes or as numbered lines, plain or compressed as its first bytes say (never its name).

A compressed file that expands beyond all reason is refused while it is read.
"""

import io
import lzma
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, cast

from harness.errors import UserError
from harness.files import refuse_unusual_file
from networks.errors import NetworkError
from networks.fetch.expansion import MAGIC_BYTES, decompressor_for, limited

# What the standard decompressors raise for a file that is cut short or damaged; bz2 says so with a bare OSError.
DAMAGED = (EOFError, zlib.error, lzma.LZMAError, OSError)


def decompressor(path: Path) -> Callable[[Path], IO[bytes]] | None:
    """The function that opens this compressed file, within limits, or None for a plain one."""
    if not path.exists():
        raise NetworkError(f"{path}: no such file")
    try:
        refuse_unusual_file(path)
        with path.open("rb") as file:
            first = file.read(MAGIC_BYTES)
    except UserError as error:
        raise NetworkError(str(error)) from None
    except OSError as error:
        raise NetworkError(f"{path}: cannot be read: {error.strerror}") from error
    if first.startswith(b"PK\x03\x04"):
        raise NetworkError(f"{path}: is a zip archive; unpack it and name the file inside")
    opener = decompressor_for(first)
    return None if opener is None else lambda path: limited(opener(path), path)


def open_expanded(path: Path) -> BinaryIO:
    """The contents as bytes; damage is noticed where it is reached, as one of DAMAGED."""
    opener = decompressor(path)
    return cast(BinaryIO, opener(path) if opener else path.open("rb"))


@contextmanager
def open_raw(path: Path) -> Iterator[BinaryIO]:
    """The contents as bytes; a compressed file that is cut short or damaged is a NetworkError."""
    try:
        with open_expanded(path) as file:
            yield file
    except DAMAGED as error:
        raise NetworkError(f"{path}: {damage(error)}") from error


def damage(error: Exception) -> str:
    return f"the file is cut short or damaged ({error}); get it again"


def numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines without their ends, numbered from 1; text that is not UTF-8 or holds a NUL is named by its line."""
    number = 0
    try:
        with open_expanded(path) as file:
            text = io.TextIOWrapper(file, encoding="utf-8-sig", errors="surrogateescape")
            for number, line in enumerate(text, start=1):
                if not line.isascii():
                    refuse_undecodable(path, number, line)
                if "\0" in line:
                    raise NetworkError(f"{path}:{number}: holds a NUL byte, so this is not a text file")
                yield number, line.rstrip("\n")
    except DAMAGED as error:
        raise NetworkError(f"{path}:{number + 1}: {damage(error)}") from error


def refuse_undecodable(path: Path, number: int, line: str) -> None:
    try:
        line.encode()
    except UnicodeEncodeError:
        raise NetworkError(f"{path}:{number}: is not UTF-8 text; convert the file first (iconv -t UTF-8)") from None
