"""Extraction: the named member and nothing else, under our own name; links, devices, bombs and damage are refused."""

import bz2
import gzip
import io
import lzma
import stat
import tarfile
import zipfile
from pathlib import Path

import pytest

from networks.errors import NetworkError
from networks.fetch import expansion
from networks.fetch.checksums import Expected
from networks.fetch.extract import check_compressed, unpack

BODY = b"1 2 3\n" * 1000
MIB = 1 << 20
COMPRESSIONS = {".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def tar(path: Path, *items: tarfile.TarInfo | tuple[str, bytes]) -> Path:
    mode = {".bz2": "w:bz2", ".xz": "w:xz", ".tar": "w"}.get(path.suffix, "w:gz")
    with tarfile.open(path, mode) as archive:
        for item in items:
            if isinstance(item, tarfile.TarInfo):
                archive.addfile(item)
            else:
                info = tarfile.TarInfo(item[0])
                info.size = len(item[1])
                archive.addfile(info, io.BytesIO(item[1]))
    return path


def zipped(path: Path, *items: tuple[str | zipfile.ZipInfo, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for item in items:
            archive.writestr(*item)
    return path


def pack(path: Path, *items: tuple[str, bytes]) -> Path:
    return (zipped if path.suffix == ".zip" else tar)(path, *items)


def refusal(packed: Path, member: str | None = "toy/out.toy", final: str = "out.toy") -> str:
    """The sentence of the refusal; nothing may be left behind."""
    folder = packed.parent / "unpacked"
    with pytest.raises(NetworkError) as failure:
        unpack(packed, member, folder / final)
    assert list(folder.iterdir()) == []
    return str(failure.value)


@pytest.mark.parametrize("suffix", [".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".zip"])
def test_only_the_named_member_is_extracted(tmp_path, suffix):
    packed = pack(tmp_path / f"toy{suffix}", ("toy/README", b"no"), ("toy/out.toy", BODY), ("../../evil", b"no"))
    final = tmp_path / "unpacked" / "out.toy"
    unpack(packed, "toy/out.toy", final)
    assert final.read_bytes() == BODY
    assert {file.name for file in tmp_path.rglob("*") if file.is_file()} == {packed.name, "out.toy"}


@pytest.mark.parametrize("suffix", [".tar.gz", ".zip"])
def test_leading_dot_in_the_archive_does_not_hide_the_member(tmp_path, suffix):
    packed = pack(tmp_path / f"toy{suffix}", ("./toy/out.toy", BODY))
    unpack(packed, "toy/out.toy", tmp_path / "out.toy")
    assert (tmp_path / "out.toy").read_bytes() == BODY


@pytest.mark.parametrize(("suffix", "compress"), COMPRESSIONS.items())
def test_compressed_file_is_expanded_to_the_plain_name(tmp_path, suffix, compress):
    packed = tmp_path / f"other{suffix}"
    packed.write_bytes(compress(BODY))
    unpack(packed, None, tmp_path / "out.toy")
    assert (tmp_path / "out.toy").read_bytes() == BODY


def test_compressed_file_stays_so_under_a_compressed_name(tmp_path):
    packed = tmp_path / "other.gz"
    packed.write_bytes(gzip.compress(BODY))
    unpack(packed, None, tmp_path / "toy.txt.gz")
    assert (tmp_path / "toy.txt.gz").read_bytes() == packed.read_bytes()


def test_sha256_of_what_was_unpacked_is_returned_and_checked(tmp_path):
    packed = tar(tmp_path / "toy.tar", ("toy/out.toy", BODY))
    found = unpack(packed, "toy/out.toy", tmp_path / "out.toy")
    assert unpack(packed, "toy/out.toy", tmp_path / "out.toy", Expected(sha256=found)) == found
    with pytest.raises(NetworkError, match=f"has sha256 {found} instead of {'0' * 64} on record"):
        unpack(packed, "toy/out.toy", tmp_path / "again", Expected(sha256="0" * 64, stated_by="on record"))
    assert not (tmp_path / "again").exists()


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE, tarfile.DIRTYPE])
def test_link_folder_or_device_in_a_tar_is_refused(tmp_path, kind):
    item = tarfile.TarInfo("toy/out.toy")
    item.type, item.linkname = kind, "/etc/passwd"
    sentence = refusal(tar(tmp_path / "toy.tar.gz", item))
    assert sentence == f"{tmp_path / 'toy.tar.gz'}: toy/out.toy is a link, a folder or a device, not a file"


def test_link_in_a_zip_is_refused(tmp_path):
    item = zipfile.ZipInfo("toy/out.toy")
    item.create_system, item.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
    assert "is a link, a folder or a device" in refusal(zipped(tmp_path / "toy.zip", (item, b"/etc/passwd")))


@pytest.mark.parametrize("suffix", [".tar.gz", ".zip"])
def test_missing_member_is_named_with_what_is_there(tmp_path, suffix):
    packed = pack(tmp_path / f"toy{suffix}", *((f"toy/{letter}", b"x") for letter in "abcdef"))
    assert refusal(packed) == f"{packed}: holds no toy/out.toy, only toy/a, toy/b, toy/c, toy/d, toy/e, …"


def test_archive_without_a_named_member_is_refused(tmp_path):
    packed = tar(tmp_path / "toy.tar", ("toy/out.toy", BODY))
    assert refusal(packed, member=None) == f"{packed}: is an archive, but the catalog names no member of it"


@pytest.fixture
def low_limits(monkeypatch):
    """A bomb is what expands to more than a MiB and more than 200-fold."""
    monkeypatch.setattr(expansion, "HARMLESS_BYTES", MIB)


@pytest.mark.parametrize("suffix", [".tar.gz", ".tar.bz2", ".zip"])
def test_bomb_is_refused(tmp_path, low_limits, suffix):
    packed = pack(tmp_path / f"toy{suffix}", ("toy/out.toy", bytes(8 * MIB)))
    most = max(MIB, 200 * packed.stat().st_size)
    assert refusal(packed) == (
        f"{packed}: expands to more than {most} bytes, as no network does; if it is right, unpack it yourself"
    )


BOMB = bytes(8 * MIB)


@pytest.mark.parametrize(
    ("suffix", "items"),
    [
        (".tar.bz2", [("toy/bomb", BOMB), ("toy/out.toy", BODY)]),
        *((suffix, [("toy/out.toy", bz2.compress(BOMB))]) for suffix in (".tar", ".tar.gz", ".zip")),
    ],
    ids=["before the member", "in a member of a tar", "in a member of a tar.gz", "in a member of a zip"],
)
def test_hidden_bomb_is_refused(tmp_path, low_limits, suffix, items):
    assert "as no network does" in refusal(pack(tmp_path / f"toy{suffix}", *items))


@pytest.mark.parametrize(("name", "compress"), [("out.toy.bz2", bz2.compress), ("out.toy", gzip.compress)])
def test_compressed_bomb_is_told_by_its_first_bytes_whatever_its_name(tmp_path, low_limits, name, compress):
    packed = tmp_path / name
    packed.write_bytes(compress(BOMB))
    with pytest.raises(NetworkError, match="as no network does"):
        check_compressed(packed)
    if packed.suffix == ".bz2":
        assert "as no network does" in refusal(packed, member=None)


def test_what_is_packed_twice_is_measured_by_the_outer_file(tmp_path, low_limits):
    """The member alone is no bomb: stored zeros make it large enough for what it expands to, and pack away again."""
    member = gzip.compress(bytes(8 * MIB)) + gzip.compress(bytes(MIB // 10), compresslevel=0)
    assert 200 * len(member) > 8 * MIB + MIB // 10
    assert "as no network does" in refusal(tar(tmp_path / "toy.tar.xz", ("toy/out.toy", member)))


def test_size_has_a_limit_whatever_the_ratio(tmp_path, monkeypatch):
    monkeypatch.setattr(expansion, "MAX_EXPANDED_BYTES", 100)
    packed = tar(tmp_path / "toy.tar", ("toy/out.toy", BODY))
    assert "expands to more than 100 bytes" in refusal(packed)


@pytest.mark.parametrize("suffix", [".tar.gz", ".tar.bz2", ".tar.xz", ".zip"])
def test_cut_archive_is_refused(tmp_path, suffix):
    packed = pack(tmp_path / f"toy{suffix}", ("toy/out.toy", BODY))
    packed.write_bytes(packed.read_bytes()[:-30])
    assert refusal(packed).startswith(f"{packed}: is damaged or not what its name says: ")


def test_flipped_bit_in_a_zip_is_noticed(tmp_path):
    packed = zipped(tmp_path / "toy.zip", ("toy/out.toy", BODY))
    damaged = bytearray(packed.read_bytes())
    damaged[60] ^= 1
    packed.write_bytes(damaged)
    assert "is damaged" in refusal(packed)


@pytest.mark.parametrize("suffix", [".tar", ".tar.gz", ".tar.bz2", ".tar.xz", ".zip", ".gz", ".bz2", ".xz"])
def test_text_under_the_name_of_an_archive_is_refused(tmp_path, suffix):
    packed = tmp_path / f"toy{suffix}"
    packed.write_bytes(BODY)
    assert "is damaged or not what its name says" in refusal(packed)


@pytest.mark.parametrize(("suffix", "compress"), COMPRESSIONS.items())
def test_compressed_file_is_checked_to_its_end(tmp_path, suffix, compress):
    whole, cut = tmp_path / f"whole{suffix}", tmp_path / f"cut{suffix}"
    whole.write_bytes(compress(BODY))
    cut.write_bytes(compress(BODY)[:-1])
    check_compressed(whole)
    with pytest.raises(NetworkError, match=f"cut{suffix}: is damaged"):
        check_compressed(cut)
