"""Where a network's file can come from: archives, mirrors, a file put there by hand, a package, the user's own path."""

import dataclasses
import gzip
import re

import pytest

from networks.catalog import Entry, entry_from_config, load_catalog
from networks.errors import NetworkError
from networks.fetch.checksums import SourceError
from networks.fetch.obtain import fetch
from tests.integration.hostile_server import endless, running, serve, status
from tests.integration.toy_source import BODY, FAST, fails, left_behind, sha256, tarred, toy


def test_file_address_is_copied_and_checked(tmp_path):
    source = tmp_path / "with space.txt"
    source.write_bytes(BODY)
    entry = toy(source.as_uri(), sha256=sha256(BODY))
    assert fetch(entry, tmp_path / "downloads").read_bytes() == BODY
    assert fetch(entry, tmp_path / "downloads").name == "with space.txt"


@pytest.fixture
def archive() -> bytes:
    """A KONECT-like toy.tar.bz2 with the member toy/out.toy."""
    return tarred({"toy/README": b"read me", "toy/out.toy": BODY}, "bz2")


def archived(url: str) -> Entry:
    return toy(url, member="toy/out.toy", files=("out.toy.gz",))


def test_archive_is_fetched_and_its_member_extracted(server, tmp_path, archive):
    raw = fetch(archived(server.script("/toy.tar.bz2", serve(archive))), tmp_path, limits=FAST)
    assert raw == tmp_path / "toy" / "out.toy"
    assert raw.read_bytes() == BODY
    assert left_behind(tmp_path) == {"toy.tar.bz2", "out.toy"}


def test_damaged_archive_of_a_source_is_deleted_and_named_by_its_address(server, tmp_path, archive):
    url = server.script("/toy.tar.bz2", serve(archive[:-20]))
    assert f"toy: {url}: is damaged or not what its name says" in fails(archived(url), tmp_path)
    assert left_behind(tmp_path) == set()
    assert not (tmp_path / "checksums.json").exists()


def test_cut_gz_without_announced_length_is_not_taken_for_whole(server, tmp_path):
    url = server.script("/toy.txt.gz", endless(gzip.compress(BODY)[:-10], blocks=1))
    assert f"{url}: is damaged or not what its name says" in fails(toy(url), tmp_path)
    assert left_behind(tmp_path) == set()


def test_archive_put_there_by_hand_is_used_and_kept_when_damaged(tmp_path, archive):
    entry = archived("http://127.0.0.1:9/toy.tar.bz2")
    (tmp_path / "toy").mkdir()
    by_hand = tmp_path / "toy" / "toy.tar.bz2"
    by_hand.write_bytes(archive[:-20])
    assert f"{by_hand}: is damaged" in fails(entry, tmp_path)
    by_hand.write_bytes(archive)
    assert fetch(entry, tmp_path, limits=FAST).read_bytes() == BODY


@pytest.mark.parametrize("place", ["toy.tar.bz2", "toy/toy.tar.bz2", "out.toy.gz", "toy/out.toy.gz", "toy/out.toy"])
def test_mirror_folder_is_tried_first_under_every_name(tmp_path, archive, place):
    contents = {"toy.tar.bz2": archive, "out.toy.gz": gzip.compress(BODY), "out.toy": BODY}
    held = tmp_path / "mirror" / place
    held.parent.mkdir(parents=True)
    held.write_bytes(contents[held.name])
    raw = fetch(archived("http://127.0.0.1:9/toy.tar.bz2"), tmp_path / "downloads", tmp_path / "mirror", FAST)
    assert raw.read_bytes() == BODY


def test_mirror_address_is_tried_first(server, tmp_path):
    server.script("/mirror/toy/toy.txt", serve(BODY))
    url = server.script("/toy.txt", serve(b"not asked for"))
    mirror = url.replace("/toy.txt", "/mirror/")
    assert fetch(toy(url), tmp_path, mirror, FAST).read_bytes() == BODY
    assert [path for path, _ in server.requests] == ["/mirror/toy.txt", "/mirror/toy/toy.txt"]


def test_mirror_with_a_wrong_file_is_said_and_the_source_is_used(server, tmp_path, caplog):
    (tmp_path / "toy.txt").write_bytes(BODY[::-1])
    url = server.script("/toy.txt", serve(BODY))
    raw = fetch(toy(url, sha256=sha256(BODY)), tmp_path / "downloads", tmp_path, FAST)
    assert raw.read_bytes() == BODY
    assert f"mirror: {tmp_path / 'toy.txt'}: has sha256 {sha256(BODY[::-1])} instead of" in caplog.text


def test_unreachable_mirror_is_tried_for_one_name_only(server, tmp_path, caplog):
    url = server.script("/toy.txt", serve(BODY))
    with running() as gone:
        mirror = gone.script("", status(404))
    assert fetch(toy(url), tmp_path, mirror, FAST).read_bytes() == BODY
    assert caplog.text.count("mirror: ") == 1


@pytest.mark.parametrize(
    ("mirror", "words"),
    [
        ("missing", "is neither a folder nor an address"),
        ("~nobody-here/raw", "begins with ~, but there is no such home"),
        ("ftp://example.org", "only http, https and file addresses can be fetched"),
    ],
)
def test_mirror_that_is_none_is_said_once(tmp_path, monkeypatch, mirror, words):
    monkeypatch.chdir(tmp_path)
    entry = toy("http://127.0.0.1:9/toy.txt", files=("toy.txt.gz",))
    assert re.fullmatch(f"mirror: {mirror}:? {words}", fails(entry, tmp_path / "downloads", mirror=mirror))


def test_new_version_is_fetched_once_the_files_and_the_entries_of_the_old_one_are_removed(tmp_path):
    source, downloads = tmp_path / "toy.txt.gz", tmp_path / "downloads"
    entry = toy(source.as_uri(), member="toy.txt", files=("toy.txt",))
    for body in (BODY, BODY[::-1]):
        source.write_bytes(gzip.compress(body))
        assert fetch(entry, downloads).read_bytes() == body
        (downloads / "checksums.json").unlink()
        for file in left_behind(downloads):
            (downloads / "toy" / file).unlink()


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        ("[]", "is [], but must be a mapping"),
        ('{"toy/toy.txt": {}}', "key toy/toy.txt: the key 'bytes' is missing"),
        ('{"toy/toy.txt": "abc"}', 'key toy/toy.txt is "abc", but must be a mapping'),
    ],
)
def test_record_of_checksums_that_was_edited_wrongly_is_named_by_file_and_key(tmp_path, record, problem):
    (tmp_path / "checksums.json").write_text(record)
    sentence = fails(toy("http://127.0.0.1:9/toy.txt"), tmp_path)
    assert sentence.startswith(f"{tmp_path / 'checksums.json'}: {problem}")


def test_source_with_terms_says_what_to_put_where_and_goes_on_from_there(tmp_path, archive):
    terms = "accept the agreement at https://example.org and get the archive"
    entry = toy("", urls=(), terms=terms, member="toy/out.toy", files=("toy.tar.bz2", "review.json"))
    folder = tmp_path / "toy"
    assert fails(entry, tmp_path) == (
        f"toy: {terms}; put toy.tar.bz2 or review.json or out.toy into {folder} by hand and run this again"
    )
    (folder / "toy.tar.bz2").write_bytes(archive)
    assert fetch(entry, tmp_path).read_bytes() == BODY


def test_file_of_a_package_is_checked_and_used_where_it_lies(tmp_path):
    entry = load_catalog()["college_msg"]
    raw = fetch(entry, tmp_path)
    assert raw.name == "collegemsg.csv.gz"
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(SourceError, match=r"has sha256 .* instead of 0{64} stated in the catalog"):
        fetch(dataclasses.replace(entry, sha256="0" * 64), tmp_path)


def test_generated_network_has_nothing_to_fetch(tmp_path):
    with pytest.raises(NetworkError, match="tiny_communities: is generated when it is prepared"):
        fetch(load_catalog()["tiny_communities"], tmp_path)


def test_own_file_is_used_where_it_lies_or_said_to_be_missing(tmp_path):
    entry = entry_from_config({"name": "mine", "path": str(tmp_path / "mine.txt")})
    assert fails(entry, tmp_path) == f"mine: path {tmp_path / 'mine.txt'}: no such file"
    (tmp_path / "mine.txt").write_text("1 2 3\n")
    assert fetch(entry, tmp_path) == tmp_path / "mine.txt"
