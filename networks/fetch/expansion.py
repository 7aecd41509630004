"""Expansion: a compressed file is told by its first bytes, and no more than is reasonable ever comes out of it.

What expands beyond that is cut off while it expands, whatever its headers promise.
"""

import bz2
import gzip
import io
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from networks.errors import NetworkError

# Yelp's reviews and the DBLP dump, the largest files of the field, are 5 GB each.
MAX_EXPANDED_BYTES = 32 << 30
# Edge lists shrink 3- to 20-fold, repetitive logs rarely more than 100-fold; bombs shrink 1,000- to 1,000,000-fold.
MAX_RATIO = 200
# Below this nothing is a bomb, and a tiny archive of zeros may be as dense as it likes.
HARMLESS_BYTES = 64 << 20

BLOCK_BYTES = 1 << 20

DECOMPRESSORS: dict[bytes, Callable[[Path], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\x00": lzma.open,
}
MAGIC_BYTES = max(map(len, DECOMPRESSORS))


def decompressor_for(first_bytes: bytes) -> Callable[[Path], Any] | None:
    """The function that opens a file that begins so, without any limit; None for a plain file."""
    return next((opener for magic, opener in DECOMPRESSORS.items() if first_bytes.startswith(magic)), None)


def limited(stream: IO[bytes], packed: Path) -> IO[bytes]:
    """The stream, which `packed` expands to, up to where no honest file of its size goes; there it is refused."""
    largest_bytes = min(MAX_EXPANDED_BYTES, max(HARMLESS_BYTES, MAX_RATIO * packed.stat().st_size))
    return _SizeLimitedStream(stream, largest_bytes, packed)  # type: ignore[return-value]


class _SizeLimitedStream(io.RawIOBase):
    """A stream that refuses to expand beyond a limit; a class, because tarfile, shutil and Arrow read from objects."""

    def __init__(self, stream: IO[bytes], largest_bytes: int, packed: Path) -> None:
        self.stream, self.left_bytes, self.largest_bytes, self.packed = stream, largest_bytes, largest_bytes, packed

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if size < 0:
            # In blocks: decompressors make room for all that is asked for, and the limit may be more than there is.
            return b"".join(iter(lambda: self.read(BLOCK_BYTES), b""))
        block = self.stream.read(min(size, self.left_bytes + 1))
        self.left_bytes -= len(block)
        if self.left_bytes < 0:
            raise NetworkError(
                f"{self.packed}: expands to more than {self.largest_bytes} bytes, as no network does; "
                "if it is right, unpack it yourself"
            )
        return block

    def close(self) -> None:
        self.stream.close()
        super().close()
