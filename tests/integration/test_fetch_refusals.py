"""What a server sends, or what lies on disk, is refused when it is not the file: one sentence, and nothing stays."""

from collections import namedtuple

import pytest

from networks.fetch.obtain import fetch
from tests.integration.hostile_server import announce, endless, serve
from tests.integration.toy_source import BODY, FAST, fails, left_behind, sha256, toy

N = len(BODY)
HTML = "is an HTML page instead of the file"
# The answer of the server, what the catalog states, and the words of the refusal.
NOT_THE_FILE = {
    "HTML by its type": (serve(b"<p>We have moved.</p>", content_type="text/html; charset=utf-8"), {}, HTML),
    "HTML by its contents": (serve(b"\n <!DOCTYPE html><html><body>Log in</body></html>"), {}, HTML),
    "empty": (serve(b""), {}, "is an empty file"),
    "announced length": (announce(10, BODY), {"size_bytes": N}, f"announces 10 bytes instead of {N} stated in"),
    "endless": (
        endless(bytes(1 << 16), blocks=1000),
        {"size_bytes": 100_000},
        "sends more than the 100000 bytes that it should have",
    ),
    "too short": (endless(BODY, blocks=1), {"size_bytes": N + 1}, f"has {N} bytes instead of {N + 1} stated in"),
    "checksum": (
        serve(BODY),
        {"sha256": sha256(b"other")},
        f"has sha256 {sha256(BODY)} instead of {sha256(b'other')} stated in the catalog",
    ),
}


@pytest.mark.parametrize(("answer", "stated", "words"), NOT_THE_FILE.values(), ids=NOT_THE_FILE.keys())
def test_what_is_not_the_file_is_refused_and_nothing_stays(answer, stated, words, server, tmp_path):
    url = server.script("/toy.txt", answer)
    assert f"{url}: {words}" in fails(toy(url, **stated), tmp_path)
    assert left_behind(tmp_path) == set()


def test_text_under_the_name_of_an_archive_is_refused(server, tmp_path):
    url = server.script("/toy.txt.gz", serve(BODY))
    assert f"{url}: is not the .gz file that its name says" in fails(toy(url), tmp_path)
    assert left_behind(tmp_path) == set()


def test_length_that_never_comes_is_said(server, tmp_path):
    url = server.script("/toy.txt", announce(N + 5, BODY))
    assert f"{url}: the connection ended after {N} of {N + 5} bytes" in fails(toy(url), tmp_path)
    assert not (tmp_path / "toy" / "toy.txt").exists()


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
    monkeypatch.setattr("networks.fetch.download.shutil.disk_usage", lambda folder: usage)
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
