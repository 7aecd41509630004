"""What a server sends, or what lies on disk, is refused when it is not the file: one sentence, and nothing stays."""

from collections import namedtuple

import pytest

from datasets.fetch import fetch
from tests.integration.hostile_server import announce, endless, serve
from tests.integration.toy_source import BODY, FAST, fails, left_behind, sha256, toy

NOT_THE_FILE = {
    "HTML by its type": (
        "/toy.txt",
        serve(b"<p>We have moved.</p>", content_type="text/html; charset=utf-8"),
        "is an HTML page instead of the file",
    ),
    "HTML by its contents": (
        "/toy.txt",
        serve(b"\n <!DOCTYPE html><html><body>Log in</body></html>"),
        "is an HTML page instead of the file",
    ),
    "not what its name says": ("/toy.txt.gz", serve(BODY), "is not the .gz file that its name says"),
    "empty": ("/toy.txt", serve(b""), "is an empty file"),
}


@pytest.mark.parametrize(("path", "answer", "words"), NOT_THE_FILE.values(), ids=NOT_THE_FILE.keys())
def test_what_is_not_the_file_is_refused(path, answer, words, server, tmp_path):
    url = server.script(path, answer)
    assert f"{url}: {words}" in fails(toy(url), tmp_path)
    assert left_behind(tmp_path) == set()


def test_announced_length_must_be_the_stated_size(server, tmp_path):
    url = server.script("/toy.txt", announce(10, BODY))
    sentence = fails(toy(url, size_bytes=len(BODY)), tmp_path)
    assert f"{url}: announces 10 bytes instead of {len(BODY)} stated in the catalog" in sentence
    assert left_behind(tmp_path) == set()


def test_length_that_never_comes_is_said(server, tmp_path):
    url = server.script("/toy.txt", announce(len(BODY) + 5, BODY))
    sentence = fails(toy(url), tmp_path)
    assert f"{url}: the connection ended after {len(BODY)} of {len(BODY) + 5} bytes" in sentence
    assert not (tmp_path / "toy" / "toy.txt").exists()


def test_endless_body_is_cut_off_at_the_stated_size(server, tmp_path):
    url = server.script("/toy.txt", endless(bytes(1 << 16), blocks=1000))
    assert f"{url}: sends more than the 100000 bytes that it should have" in fails(
        toy(url, size_bytes=100_000), tmp_path
    )
    assert left_behind(tmp_path) == set()


def test_body_of_unannounced_length_that_is_too_short_is_refused(server, tmp_path):
    url = server.script("/toy.txt", endless(BODY, blocks=1))
    sentence = fails(toy(url, size_bytes=len(BODY) + 1), tmp_path)
    assert f"{url}: has {len(BODY)} bytes instead of {len(BODY) + 1} stated in the catalog" in sentence
    assert left_behind(tmp_path) == set()


def test_wrong_checksum_is_refused_and_nothing_stays(server, tmp_path):
    url = server.script("/toy.txt", serve(BODY))
    sentence = fails(toy(url, sha256=sha256(b"other")), tmp_path)
    assert f"{url}: has sha256 {sha256(BODY)} instead of {sha256(b'other')} stated in the catalog" in sentence
    assert left_behind(tmp_path) == set()


def test_file_that_differs_from_the_first_one_seen_is_refused(server, tmp_path):
    url = server.script("/toy.txt", serve(BODY), serve(BODY[::-1], etag='"2"'))
    fetch(toy(url), tmp_path, limits=FAST).unlink()
    sentence = fails(toy(url), tmp_path)
    assert f"{url}: has sha256 {sha256(BODY[::-1])} instead of {sha256(BODY)} recorded in" in sentence
    assert left_behind(tmp_path) == set()


def test_raw_file_that_was_changed_on_disk_is_refused(server, tmp_path):
    entry = toy(server.script("/toy.txt", serve(BODY)))
    raw = fetch(entry, tmp_path, limits=FAST)
    raw.write_bytes(BODY + b"1 2 3\n")
    assert f"{raw}: has {len(BODY) + 6} bytes instead of {len(BODY)} recorded in" in fails(entry, tmp_path)


def test_disk_without_room_is_said_before_anything_is_written(server, tmp_path, monkeypatch):
    usage = namedtuple("usage", "total used free")(10, 0, 10)
    monkeypatch.setattr("datasets.download.shutil.disk_usage", lambda folder: usage)
    url = server.script("/toy.txt", serve(BODY))
    assert f"{len(BODY)} bytes are needed but only 10 are free; make room there" in fails(toy(url), tmp_path)
    assert left_behind(tmp_path) == set()


def test_disk_that_fills_up_is_one_sentence(server, tmp_path):
    url = server.script("/toy.txt", serve(BODY))
    (tmp_path / "toy").mkdir()
    part = tmp_path / "toy" / "toy.txt.part"
    part.symlink_to("/dev/full")
    assert fails(toy(url), tmp_path) == f"{part}: cannot be written: No space left on device"
    assert not (tmp_path / "toy" / "toy.txt").exists()
