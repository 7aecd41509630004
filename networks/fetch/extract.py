"""Safe extraction: one named member of an archive, or one compressed file, written under a name of our own choosing.

No name inside an archive ever becomes a path, so nothing can be written outside the folder; links and devices are
refused, and what expands beyond all reason (networks.fetch.expansion) is cut off while it expands.
"""

import bz2
import gzip
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

from harness.files import atomic_path
from networks.errors import NetworkError
from networks.fetch.checksums import Expected
from networks.fetch.expansion import BLOCK_BYTES, MAGIC_BYTES, decompressor_for, limited

COMPRESSIONS: dict[str, Callable[[Path], Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}

# A tar's first header, which says "ustar" at byte 257.
_TAR_TOP_BYTES = 512

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
        with reading(packed), ExitStack() as stack, temporary.open("wb") as target:
            source, around = _open_wanted(packed, member, final, stack)
            shutil.copyfileobj(source, target, BLOCK_BYTES)
            _read_to_end(around)
        _check_expansion(temporary, packed)
        return expected.check(temporary, str(packed))


def check_compressed(path: Path) -> None:
    """Read a compressed file to its end: a cut, a flipped bit or a bomb becomes an error here, not in the parser."""
    _check_expansion(path, path)


def _check_expansion(path: Path, packed: Path) -> None:
    """Told by its first bytes, as in the parser; measured by `packed`, lest packing twice evade the limit."""
    with path.open("rb") as file:
        opener = decompressor_for(file.read(MAGIC_BYTES))
    if opener is not None:
        with reading(packed), opener(path) as stream:
            _read_to_end(limited(stream, packed))


def _read_to_end(stream: IO[bytes]) -> None:
    """A compressed stream is known to be sound only at its end, where its checksum stands."""
    while stream.read(BLOCK_BYTES):
        pass


def _open_wanted(packed: Path, member: str | None, final: Path, stack: ExitStack) -> tuple[IO[bytes], IO[bytes]]:
    """The wanted contents, and the stream around them."""
    is_tar = packed.name.endswith(TAR_SUFFIXES)
    if is_tar or packed.suffix == ".zip":
        if member is None:
            raise NetworkError(f"{packed}: is an archive, but the catalog names no member of it")
        open_member = _tar_member if is_tar else _zip_member
        return open_member(packed, PurePosixPath(member), stack)
    if packed.suffix in COMPRESSIONS and final.suffix != packed.suffix:
        source = limited(stack.enter_context(COMPRESSIONS[packed.suffix](packed)), packed)
    else:
        source = stack.enter_context(packed.open("rb"))
    return source, source


def _tar_member(packed: Path, member: PurePosixPath, stack: ExitStack) -> tuple[IO[bytes], IO[bytes]]:
    open_stream = COMPRESSIONS.get(_SHORT.get(packed.suffix, packed.suffix), lambda path: path.open("rb"))
    # The whole stream is limited, not the member alone: what stands before it has to be expanded to be passed.
    stream = limited(stack.enter_context(open_stream(packed)), packed)
    archive = stack.enter_context(tarfile.TarFile.open(fileobj=stream, mode="r|"))
    names = []
    for item in archive:
        if PurePosixPath(item.name) == member:
            if not item.isreg():
                raise NetworkError(f"{packed}: {item.name} is a link, a folder or a device, not a file")
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
                raise NetworkError(f"{packed}: {item.filename} is a link, a folder or a device, not a file")
            source = limited(stack.enter_context(archive.open(item)), packed)
            return source, source
    raise _no_member(packed, member, archive.namelist())


def _no_member(packed: Path, member: PurePosixPath, names: list[str]) -> NetworkError:
    shown = ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
    return NetworkError(f"{packed}: holds no {member}, only {shown or 'nothing'}")


def contents(packed: Path) -> Iterator[tuple[str, IO[bytes]]]:
    """The files in a tar or zip, as its first bytes say, each to be read before the next; else the file itself.

    A file by itself is not expanded, and its name is "".
    """
    with reading(packed), ExitStack() as stack:
        top = stack.enter_context(packed.open("rb")).read(_TAR_TOP_BYTES)
        opener = decompressor_for(top)
        if top.startswith(b"PK\x03\x04"):
            archive = stack.enter_context(zipfile.ZipFile(packed))
            for entry in archive.infolist():
                if not entry.is_dir():
                    with archive.open(entry) as source:
                        yield entry.filename, limited(source, packed)
            return
        if opener is not None:
            top = stack.enter_context(opener(packed)).read(_TAR_TOP_BYTES)
        if top[257:262] != b"ustar":
            yield "", stack.enter_context(packed.open("rb"))
            return
        stream = stack.enter_context(opener(packed) if opener else packed.open("rb"))
        with tarfile.TarFile.open(fileobj=limited(stream, packed), mode="r|") as tar:
            for item in tar:
                if item.isreg() and (member := tar.extractfile(item)) is not None:
                    yield item.name, member


@contextmanager
def reading(packed: Path) -> Iterator[None]:
    """Turn what the libraries raise on a damaged file into one sentence; errors of the disk pass."""
    try:
        yield
    except DAMAGE as error:
        raise NetworkError(f"{packed}: is damaged or not what its name says: {error}") from error
    except OSError as error:
        # gzip and bz2 report damage as OSError without a number; the disk's own errors have one.
        if error.errno is not None:
            raise
        raise NetworkError(f"{packed}: is damaged or not what its name says: {error}") from error
