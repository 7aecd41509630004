"""Fetching, against a server on loopback that misbehaves: the file comes whole, or one sentence says why not."""

import dataclasses
import gzip
import hashlib
import io
import json
import multiprocessing
import tarfile
import threading
import time
from collections import namedtuple
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from datasets.catalog import Entry, entry_from_config, load_catalog
from datasets.checksums import SourceError
from datasets.download import Limits
from datasets.errors import DatasetError, UserError
from datasets.fetch import fetch
from tests.integration.hostile_server import (
    HostileServer,
    announce,
    endless,
    hold,
    redirect,
    running,
    serve,
    stall,
    status,
    trickle,
)

BODY = b"".join(b"%d %d %d\n" % (row % 7, row % 11 + 7, row) for row in range(2000))
FAST = Limits(attempts=3, backoff_seconds=0, redirects=3)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[HostileServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with running() as hostile:
        yield hostile


def toy(url: str, **known: object) -> Entry:
    return dataclasses.replace(Entry(name="toy", label="Toy", urls=(url,), format="delimited"), **known)


def sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def left_behind(downloads: Path) -> set[str]:
    """The files of the toy network's folder, but for its lock."""
    return {file.name for file in (downloads / "toy").iterdir()} - {".lock"}


def fails(entry: Entry, downloads: Path, mirror: Path | None = None, limits: Limits = FAST) -> str:
    """The sentence with which fetching fails."""
    with pytest.raises(UserError) as failure:
        fetch(entry, downloads, mirror, limits)
    assert "\n" not in str(failure.value)
    return str(failure.value)


def test_file_comes_whole_and_its_first_checksum_is_recorded_and_said(server, tmp_path, caplog):
    url = server.script("/toy.txt", serve(BODY))
    raw = fetch(toy(url), tmp_path, limits=FAST)
    assert raw == tmp_path / "toy" / "toy.txt"
    assert raw.read_bytes() == BODY
    known = json.loads((tmp_path / "checksums.json").read_text())
    assert known == {
        "toy/toy.txt": {"sha256": sha256(BODY), "bytes": len(BODY), "checksum": "first seen", "source": url}
    }
    assert f"sha256 {sha256(BODY)} is recorded" in caplog.text
    assert left_behind(tmp_path) == {"toy.txt"}


def test_stated_checksum_is_recorded_as_such_without_a_word(server, tmp_path, caplog):
    url = server.script("/toy.txt", serve(BODY))
    fetch(toy(url, size_bytes=len(BODY), sha256=sha256(BODY)), tmp_path, limits=FAST)
    assert json.loads((tmp_path / "checksums.json").read_text())["toy/toy.txt"]["checksum"] == "stated in the catalog"
    assert caplog.text == ""


def test_file_that_is_there_is_not_asked_for_again(server, tmp_path):
    entry = toy(server.script("/toy.txt", serve(BODY)))
    fetch(entry, tmp_path, limits=FAST)
    fetch(entry, tmp_path, limits=FAST)
    assert len(server.requests) == 1


def test_cut_transfer_goes_on_where_it_ended(server, tmp_path):
    url = server.script("/toy.txt", serve(BODY, cut_after=1000), serve(BODY, cut_after=3000), serve(BODY))
    assert fetch(toy(url), tmp_path, limits=FAST).read_bytes() == BODY
    assert server.ranges("/toy.txt") == [None, "bytes=1000-", "bytes=3000-"]
    assert left_behind(tmp_path) == {"toy.txt"}


def test_later_call_goes_on_where_the_first_gave_up(server, tmp_path):
    url = server.script("/toy.txt", *[serve(BODY, cut_after=1000)] * 3, serve(BODY))
    sentence = fails(toy(url), tmp_path)
    assert f"{url}: the connection ended after 1000 of {len(BODY)} bytes (3 attempts)" in sentence
    assert left_behind(tmp_path) == {"toy.txt.part", "toy.txt.part.json"}
    assert fetch(toy(url), tmp_path, limits=FAST).read_bytes() == BODY
    assert server.ranges("/toy.txt") == [None, "bytes=1000-", "bytes=1000-", "bytes=1000-"]


def test_date_is_the_validator_where_the_tag_is_weak(server, tmp_path):
    date = "Tue, 01 Jan 2019 00:00:00 GMT"
    known = {"etag": 'W/"1"', "last_modified": date}
    url = server.script("/toy.txt", serve(BODY, cut_after=1000, **known), serve(BODY, **known))
    assert fetch(toy(url), tmp_path, limits=FAST).read_bytes() == BODY
    assert server.requests[1][1]["If-Range"] == date
    assert server.ranges("/toy.txt") == [None, "bytes=1000-"]


def test_file_that_changed_between_attempts_is_begun_anew(server, tmp_path):
    new = BODY[::-1]
    url = server.script("/toy.txt", serve(BODY, cut_after=1000), serve(new, etag='"2"'))
    assert fetch(toy(url), tmp_path, limits=FAST).read_bytes() == new
    assert server.ranges("/toy.txt") == [None, "bytes=1000-"]


def test_rest_of_a_changed_file_is_not_joined_to_the_old_beginning(server, tmp_path):
    new = BODY[::-1]
    url = server.script("/toy.txt", serve(BODY, cut_after=1000), serve(new, etag='"2"', heeds_if_range=False))
    assert fetch(toy(url), tmp_path, limits=FAST).read_bytes() == new
    assert server.ranges("/toy.txt") == [None, "bytes=1000-", None]


def test_file_that_became_shorter_than_what_came_is_begun_anew(server, tmp_path):
    url = server.script("/toy.txt", serve(BODY, cut_after=1000), serve(BODY[:500], heeds_if_range=False))
    assert fetch(toy(url), tmp_path, limits=FAST).read_bytes() == BODY[:500]


def test_server_that_ignores_ranges_sends_all_again(server, tmp_path):
    url = server.script("/toy.txt", serve(BODY, cut_after=1000), serve(BODY, heeds_range=False))
    assert fetch(toy(url), tmp_path, limits=FAST).read_bytes() == BODY


def test_nothing_is_resumed_without_a_validator(server, tmp_path):
    url = server.script("/toy.txt", serve(BODY, etag=None, cut_after=1000), serve(BODY, etag=None))
    assert fetch(toy(url), tmp_path, limits=FAST).read_bytes() == BODY
    assert server.ranges("/toy.txt") == [None, None]


def test_part_of_another_address_is_not_continued(server, tmp_path):
    first = server.script("/old/toy.txt", serve(BODY[::-1], cut_after=1000))
    fails(toy(first), tmp_path)
    second = server.script("/new/toy.txt", serve(BODY))
    assert fetch(toy(second), tmp_path, limits=FAST).read_bytes() == BODY
    assert server.ranges("/new/toy.txt") == [None]


def test_busy_server_is_asked_again(server, tmp_path):
    url = server.script("/toy.txt", status(503), serve(BODY))
    assert fetch(toy(url), tmp_path, limits=FAST).read_bytes() == BODY


def test_attempts_are_spaced_by_doubling_waits_and_by_what_the_server_asks(server, tmp_path, monkeypatch):
    waits: list[float] = []
    monkeypatch.setattr("datasets.download.time.sleep", waits.append)
    busy = [status(503), status(503), status(429, **{"Retry-After": "7"}), status(429, **{"Retry-After": "999"})]
    url = server.script("/toy.txt", *busy, serve(BODY))
    limits = dataclasses.replace(FAST, attempts=5, backoff_seconds=1.0, longest_wait_seconds=30.0)
    assert fetch(toy(url), tmp_path, limits=limits).read_bytes() == BODY
    assert waits == [1.0, 2.0, 7.0, 30.0]


def test_server_that_stays_busy_is_given_up(server, tmp_path):
    url = server.script("/toy.txt", status(503))
    assert f"{url}: answers 503 Service Unavailable (3 attempts)" in fails(toy(url), tmp_path)
    assert len(server.requests) == 3


def test_missing_file_is_said_at_once_with_what_to_do(server, tmp_path):
    url = server.script("/toy.txt", status(404))
    assert fails(toy(url), tmp_path) == (
        f"toy: {url}: answers 404 Not Found; put toy.txt into {tmp_path / 'toy'} by hand and run this again"
    )
    assert len(server.requests) == 1
    assert left_behind(tmp_path) == set()


def test_second_address_is_tried_when_the_first_fails(server, tmp_path):
    urls = (server.script("/gone/toy.txt", status(410)), server.script("/toy.txt", serve(BODY)))
    assert fetch(toy("", urls=urls), tmp_path, limits=FAST).read_bytes() == BODY


def test_unreachable_server_is_named_with_the_reason(tmp_path):
    with running() as server:
        url = server.script("/toy.txt", serve(BODY))
    assert f"{url}: cannot be reached: Connection refused (3 attempts)" in fails(toy(url), tmp_path)


def test_redirect_is_followed(server, tmp_path):
    server.script("/there.txt", serve(BODY))
    url = server.script("/toy.txt", redirect("/there.txt"))
    assert fetch(toy(url), tmp_path, limits=FAST).read_bytes() == BODY


def test_redirects_in_a_loop_end(server, tmp_path):
    url = server.script("/toy.txt", redirect("/toy.txt"))
    assert f"{url}: redirects more than 3 times" in fails(toy(url), tmp_path)
    assert len(server.requests) == 4


def test_redirect_never_leads_to_a_file_of_this_machine(server, tmp_path):
    url = server.script("/toy.txt", redirect("file:///etc/hostname"))
    assert "redirects to file:///etc/hostname, which is neither http nor https" in fails(toy(url), tmp_path)


def test_redirect_never_leaves_https(monkeypatch, tmp_path):
    answer = requests.Response()
    answer.status_code = 302
    answer.raw = io.BytesIO()
    answer.headers["Location"] = "http://example.org/toy.txt"
    monkeypatch.setattr(requests.Session, "get", lambda self, url, **options: answer)
    sentence = fails(toy("https://example.org/toy.txt"), tmp_path)
    assert "redirects from https to the unprotected http://example.org/toy.txt" in sentence


def test_html_page_is_refused_by_its_type(server, tmp_path):
    url = server.script("/toy.txt", serve(b"<p>We have moved.</p>", content_type="text/html; charset=utf-8"))
    assert f"{url}: is an HTML page instead of the file" in fails(toy(url), tmp_path)
    assert left_behind(tmp_path) == set()


def test_html_page_under_a_false_type_is_refused_by_its_contents(server, tmp_path):
    url = server.script("/toy.txt", serve(b"\n <!DOCTYPE html><html><body>Log in</body></html>"))
    assert f"{url}: is an HTML page instead of the file" in fails(toy(url), tmp_path)
    assert left_behind(tmp_path) == set()


def test_file_that_is_not_what_its_name_says_is_refused(server, tmp_path):
    url = server.script("/toy.txt.gz", serve(BODY))
    assert f"{url}: is not the .gz file that its name says" in fails(toy(url), tmp_path)
    assert left_behind(tmp_path) == set()


def test_empty_file_is_refused(server, tmp_path):
    url = server.script("/toy.txt", serve(b""))
    assert f"{url}: is an empty file" in fails(toy(url), tmp_path)
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


def test_silent_server_is_given_up_and_resumed(server, tmp_path):
    url = server.script("/toy.txt", stall(BODY, after=1000), serve(BODY))
    assert fetch(toy(url), tmp_path, limits=dataclasses.replace(FAST, read_seconds=0.5)).read_bytes() == BODY
    assert server.ranges("/toy.txt") == [None, "bytes=1000-"]


def test_trickle_is_given_up(server, tmp_path):
    url = server.script("/toy.txt", trickle(length=10_000, pause_seconds=0.02))
    sentence = fails(toy(url), tmp_path, limits=dataclasses.replace(FAST, stall_seconds=0.3, stall_bytes=1000))
    assert f"{url}: only " in sentence
    assert " bytes came in 0.3 s (3 attempts)" in sentence


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


def test_file_address_is_copied_and_checked(tmp_path):
    source = tmp_path / "with space.txt"
    source.write_bytes(BODY)
    entry = toy(source.as_uri(), sha256=sha256(BODY))
    assert fetch(entry, tmp_path / "downloads").read_bytes() == BODY
    assert fetch(entry, tmp_path / "downloads").name == "with space.txt"


@pytest.fixture
def archive() -> bytes:
    """A KONECT-like toy.tar.bz2 with the member toy/out.toy."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:bz2") as tar:
        for name, body in (("toy/README", b"read me"), ("toy/out.toy", BODY)):
            item = tarfile.TarInfo(name)
            item.size = len(body)
            tar.addfile(item, io.BytesIO(body))
    return packed.getvalue()


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


def test_mirror_that_is_no_folder_is_said(tmp_path):
    missing = tmp_path / "missing"
    sentence = fails(toy("http://127.0.0.1:9/toy.txt"), tmp_path, mirror=missing)
    assert sentence == f"mirror: {missing} is neither a folder nor an address"


def test_source_with_terms_says_what_to_put_where_and_goes_on_from_there(tmp_path, archive):
    terms = "accept the agreement at https://example.org and get the archive"
    entry = toy("", urls=(), terms=terms, member="toy/out.toy", files=("toy.tar.bz2", "review.json"))
    folder = tmp_path / "toy"
    assert fails(entry, tmp_path) == (
        f"toy: {terms}; put toy.tar.bz2 or review.json or out.toy into {folder} by hand and run this again"
    )
    (folder / "toy.tar.bz2").write_bytes(archive)
    assert fetch(entry, tmp_path).read_bytes() == BODY


def test_yelp_goes_on_from_a_review_file_put_there_by_hand(tmp_path):
    folder = tmp_path / "yelp"
    folder.mkdir()
    (folder / "yelp_academic_dataset_review.json").write_text('{"user_id": "a"}\n')
    assert fetch(load_catalog()["yelp"], tmp_path) == folder / "yelp_academic_dataset_review.json"


def test_file_of_a_package_is_checked_and_used_where_it_lies(tmp_path):
    entry = load_catalog()["college_msg"]
    raw = fetch(entry, tmp_path)
    assert raw.name == "collegemsg.csv.gz"
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(SourceError, match=r"has sha256 .* instead of 0{64} stated in the catalog"):
        fetch(dataclasses.replace(entry, sha256="0" * 64), tmp_path)


def test_generated_network_has_nothing_to_fetch(tmp_path):
    with pytest.raises(DatasetError, match="tiny_communities: is generated when it is prepared"):
        fetch(load_catalog()["tiny_communities"], tmp_path)


def test_own_file_is_used_where_it_lies_or_said_to_be_missing(tmp_path):
    entry = entry_from_config({"name": "mine", "path": str(tmp_path / "mine.txt")})
    assert fails(entry, tmp_path) == f"mine: path {tmp_path / 'mine.txt'}: no such file"
    (tmp_path / "mine.txt").write_text("1 2 3\n")
    assert fetch(entry, tmp_path) == tmp_path / "mine.txt"


def _fetch_elsewhere(url: str, downloads: Path, started: Path) -> bytes:
    started.touch()
    return fetch(toy(url), downloads, limits=FAST).read_bytes()


def _wait_for(file: Path) -> None:
    for _ in range(3000):
        if file.exists():
            return
        time.sleep(0.01)
    raise AssertionError(f"{file} did not appear within 30 s")


def test_two_processes_that_want_the_same_file_download_it_once(server, tmp_path):
    gate = threading.Event()
    url = server.script("/toy.txt", hold(BODY, gate))
    downloads, started = tmp_path / "downloads", tmp_path / "started"
    other = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
    with ThreadPoolExecutor(1) as here, other as there:
        first = here.submit(fetch, toy(url), downloads, limits=FAST)
        _wait_for(downloads / "toy" / "toy.txt.part")
        second = there.submit(_fetch_elsewhere, url, downloads, started)
        _wait_for(started)
        time.sleep(0.3)  # time enough to ask for the file, if nothing held it back
        gate.set()
        assert first.result(60).read_bytes() == BODY
        assert second.result(60) == BODY
    assert len(server.requests) == 1
    assert left_behind(downloads) == {"toy.txt"}
