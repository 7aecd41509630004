"""Safe extraction: one named member of an archive, or one compressed file, written under a name of our own choosing.

No name inside an archive ever becomes a path, so nothing can be written outside the folder; links and devices are
refused, and what expands beyond all reason is cut off while it expands, whatever its headers promise.
"""

import bz2
import gzip
import io
import lzma
import shutil
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any

from datasets.atomic import atomic_path
from datasets.checksums import Expected
from datasets.errors import DatasetError

# Yelp's reviews and the DBLP dump, the largest files of the field, are 5 GB each.
MAX_EXPANDED_BYTES = 32 << 30
# Edge lists shrink 3- to 20-fold, repetitive logs rarely more than 100-fold; bombs shrink 1,000- to 1,000,000-fold.
MAX_RATIO = 200
# Below this nothing is a bomb, and a tiny archive of zeros may be as dense as it likes.
HARMLESS_BYTES = 64 << 20

BLOCK_BYTES = 1 << 20

COMPRESSIONS: dict[str, Callable[[Path], Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}

TAR_SUFFIXES = (".tar", ".tar.gz", ".tar.bz2", ".tar.xz", ".tgz", ".tbz2", ".txz")
_SHORT = {".tgz": ".gz", ".tbz2": ".bz2", ".txz": ".xz"}

# What the libraries raise on a damaged file; zipfile answers an encrypted member, and a compression that it does not
# know, with RuntimeError or a subclass of it.
DAMAGE = (tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, RuntimeError, ValueError)


def unpack(packed: Path, member: str | None, final: Path, expected: Expected | None = None) -> str:
    """Write to `final` what `packed` holds, check it, and return its sha256.

    From a tar or zip that is `member`; a compressed file whose name ends in more than `final` does is expanded; any
    other file is the wanted one under another name.
    """
    expected = expected or Expected()
    with atomic_path(final) as temporary:
        with _reading(packed), ExitStack() as stack, temporary.open("wb") as target:
            source, around = _open_wanted(packed, member, final, stack)
            shutil.copyfileobj(source, target, BLOCK_BYTES)
            _read_to_end(around)
        return expected.check(temporary, str(packed))


def check_compressed(path: Path) -> None:
    """Read a compressed file to its end: a cut or a flipped bit becomes an error here, not in the parser."""
    if path.suffix in COMPRESSIONS:
        with _reading(path), ExitStack() as stack:
            _read_to_end(_limited(stack.enter_context(COMPRESSIONS[path.suffix](path)), path))


def _read_to_end(stream: IO[bytes]) -> None:
    """A compressed stream is known to be sound only at its end, where its checksum stands."""
    while stream.read(BLOCK_BYTES):
        pass


def _open_wanted(packed: Path, member: str | None, final: Path, stack: ExitStack) -> tuple[IO[bytes], IO[bytes]]:
    """The wanted contents, and the stream around them."""
    is_tar = packed.name.endswith(TAR_SUFFIXES)
    if is_tar or packed.suffix == ".zip":
        if member is None:
            raise DatasetError(f"{packed}: is an archive, but the catalog names no member of it")
        open_member = _tar_member if is_tar else _zip_member
        return open_member(packed, PurePosixPath(member), stack)
    if packed.suffix in COMPRESSIONS and final.suffix != packed.suffix:
        source = _limited(stack.enter_context(COMPRESSIONS[packed.suffix](packed)), packed)
    else:
        source = stack.enter_context(packed.open("rb"))
    return source, source


def _tar_member(packed: Path, member: PurePosixPath, stack: ExitStack) -> tuple[IO[bytes], IO[bytes]]:
    open_stream = COMPRESSIONS.get(_SHORT.get(packed.suffix, packed.suffix), lambda path: path.open("rb"))
    # The whole stream is limited, not the member alone: what stands before it has to be expanded to be passed.
    stream = _limited(stack.enter_context(open_stream(packed)), packed)
    archive = stack.enter_context(tarfile.TarFile.open(fileobj=stream, mode="r|"))
    names = []
    for item in archive:
        if PurePosixPath(item.name) == member:
            if not item.isreg():
                raise DatasetError(f"{packed}: {item.name} is a link, a folder or a device, not a file")
            opened = archive.extractfile(item)
            assert opened is not None  # it is a regular file
            return opened, stream
        names.append(item.name)
    raise _no_member(packed, member, names)


def _zip_member(packed: Path, member: PurePosixPath, stack: ExitStack) -> tuple[IO[bytes], IO[bytes]]:
    archive = stack.enter_context(zipfile.ZipFile(packed))
    for item in archive.infolist():
        if PurePosixPath(item.filename) == member:
            kind = stat.S_IFMT(item.external_attr >> 16)
            if item.is_dir() or kind not in (0, stat.S_IFREG):
                raise DatasetError(f"{packed}: {item.filename} is a link, a folder or a device, not a file")
            source = _limited(stack.enter_context(archive.open(item)), packed)
            return source, source
    raise _no_member(packed, member, archive.namelist())


def _no_member(packed: Path, member: PurePosixPath, names: list[str]) -> DatasetError:
    shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    return DatasetError(f"{packed}: holds no {member}, only {shown or 'nothing'}")


class _Limited(io.RawIOBase):
    """A stream that refuses to expand beyond a limit; a class, because tarfile and shutil read from objects."""

    def __init__(self, stream: IO[bytes], most: int, packed: Path) -> None:
        self.stream, self.left, self.most, self.packed = stream, most, most, packed

    def read(self, size: int = -1) -> bytes:
        block = self.stream.read(size if 0 <= size <= self.left else self.left + 1)
        self.left -= len(block)
        if self.left < 0:
            raise DatasetError(f"{self.packed}: expands to more than {self.most} bytes, as no network does")
        return block


def _limited(stream: IO[bytes], packed: Path) -> IO[bytes]:
    most = min(MAX_EXPANDED_BYTES, max(HARMLESS_BYTES, MAX_RATIO * packed.stat().st_size))
    return _Limited(stream, most, packed)  # type: ignore[return-value]


@contextmanager
def _reading(packed: Path) -> Iterator[None]:
    """Turn what the libraries raise on a damaged file into one sentence; errors of the disk pass."""
    try:
        yield
    except DAMAGE as error:
        raise DatasetError(f"{packed}: is damaged or not what its name says: {error}") from error
    except OSError as error:
        # gzip and bz2 report damage as OSError without a number; the disk's own errors have one.
        if error.errno is not None:
            raise
        raise DatasetError(f"{packed}: is damaged or not what its name says: {error}") from error
