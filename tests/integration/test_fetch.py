"""Fetching from a server on loopback that cuts, changes, delays or redirects: the file comes whole all the same."""

import dataclasses
import io
import json
import multiprocessing
import threading
import time
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest
import requests

from networks.fetch.obtain import fetch
from tests.integration.hostile_server import hold, redirect, running, serve, stall, status, trickle
from tests.integration.toy_source import BODY, FAST, fails, left_behind, sha256, toy


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


OTHER = BODY[::-1]
DATED = {"etag": 'W/"1"', "last_modified": "Tue, 01 Jan 2019 00:00:00 GMT"}
CUT = serve(BODY, cut_after=1000)
# What the server answers, attempt by attempt; the file that comes; the ranges asked for.
TRANSFERS = {
    "a cut transfer goes on where it ended": (
        (CUT, serve(BODY, cut_after=3000), serve(BODY)),
        BODY,
        [None, "bytes=1000-", "bytes=3000-"],
    ),
    "a file that changed is begun anew": ((CUT, serve(OTHER, etag='"2"')), OTHER, [None, "bytes=1000-"]),
    "the rest of a changed file is not joined to the old beginning": (
        (CUT, serve(OTHER, etag='"2"', heeds_if_range=False)),
        OTHER,
        [None, "bytes=1000-", None],
    ),
    "a file shorter than what came is begun anew": (
        (CUT, serve(BODY[:500], heeds_if_range=False)),
        BODY[:500],
        [None, "bytes=1000-", None],
    ),
    "a server that ignores ranges sends all again": (
        (CUT, serve(BODY, heeds_range=False)),
        BODY,
        [None, "bytes=1000-"],
    ),
    "nothing is resumed without a validator": (
        (serve(BODY, etag=None, cut_after=1000), serve(BODY, etag=None)),
        BODY,
        [None, None],
    ),
    "a busy server is asked again": ((status(503), serve(BODY)), BODY, [None, None]),
}


@pytest.mark.parametrize(("answers", "body", "ranges"), TRANSFERS.values(), ids=TRANSFERS.keys())
def test_file_comes_whole_and_is_resumed_only_where_it_is_the_same(server, tmp_path, answers, body, ranges):
    url = server.script("/toy.txt", *answers)
    assert fetch(toy(url), tmp_path, limits=FAST).read_bytes() == body
    assert server.ranges("/toy.txt") == ranges
    assert left_behind(tmp_path) == {"toy.txt"}


def test_date_is_sent_as_the_validator_where_the_tag_is_weak(server, tmp_path):
    url = server.script("/toy.txt", serve(BODY, cut_after=1000, **DATED), serve(BODY, **DATED))
    assert fetch(toy(url), tmp_path, limits=FAST).read_bytes() == BODY
    assert server.requests[1][1]["If-Range"] == DATED["last_modified"]
    assert server.ranges("/toy.txt") == [None, "bytes=1000-"]


def test_later_call_goes_on_where_the_first_gave_up(server, tmp_path):
    url = server.script("/toy.txt", *[serve(BODY, cut_after=1000)] * 3, serve(BODY))
    sentence = fails(toy(url), tmp_path)
    assert f"{url}: the connection ended after 1000 of {len(BODY)} bytes (3 attempts)" in sentence
    assert left_behind(tmp_path) == {"toy.txt.part", "toy.txt.part.json"}
    assert fetch(toy(url), tmp_path, limits=FAST).read_bytes() == BODY
    assert server.ranges("/toy.txt") == [None, "bytes=1000-", "bytes=1000-", "bytes=1000-"]


def test_part_of_another_address_is_not_continued(server, tmp_path):
    first = server.script("/old/toy.txt", serve(BODY[::-1], cut_after=1000))
    fails(toy(first), tmp_path)
    second = server.script("/new/toy.txt", serve(BODY))
    assert fetch(toy(second), tmp_path, limits=FAST).read_bytes() == BODY
    assert server.ranges("/new/toy.txt") == [None]


def test_attempts_are_spaced_by_doubling_waits_and_by_what_the_server_asks(server, tmp_path, monkeypatch):
    waits: list[float] = []
    monkeypatch.setattr("networks.fetch.download.time.sleep", waits.append)
    busy = [status(503), status(503), status(429, **{"Retry-After": "7"}), status(429, **{"Retry-After": "999"})]
    url = server.script("/toy.txt", *busy, serve(BODY))
    limits = dataclasses.replace(FAST, attempts=5, backoff_seconds=1.0, longest_wait_seconds=30.0)
    assert fetch(toy(url), tmp_path, limits=limits).read_bytes() == BODY
    assert waits == [1.0, 2.0, 7.0, 30.0]


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


@pytest.mark.parametrize(
    ("answer", "words", "requested"),
    [
        (status(503), "answers 503 Service Unavailable (3 attempts)", 3),
        (redirect("/toy.txt"), "redirects more than 3 times", 4),
        (redirect("file:///etc/hostname"), "redirects to file:///etc/hostname, which is neither http nor https", 1),
    ],
    ids=["always busy", "redirects in a loop", "a redirect to a file of this machine"],
)
def test_server_that_leads_nowhere_is_given_up(server, tmp_path, answer, words, requested):
    url = server.script("/toy.txt", answer)
    assert f"{url}: {words}" in fails(toy(url), tmp_path)
    assert len(server.requests) == requested


def test_redirect_never_leaves_https(monkeypatch, tmp_path):
    answer = requests.Response()
    answer.status_code = 302
    answer.raw = io.BytesIO()
    answer.headers["Location"] = "http://example.org/toy.txt"
    monkeypatch.setattr(requests.Session, "get", lambda self, url, **options: answer)
    sentence = fails(toy("https://example.org/toy.txt"), tmp_path)
    assert "redirects from https to the unprotected http://example.org/toy.txt" in sentence


def test_silent_server_is_given_up_and_resumed(server, tmp_path):
    url = server.script("/toy.txt", stall(BODY, after=1000), serve(BODY))
    assert fetch(toy(url), tmp_path, limits=dataclasses.replace(FAST, read_seconds=0.5)).read_bytes() == BODY
    assert server.ranges("/toy.txt") == [None, "bytes=1000-"]


def test_trickle_is_given_up(server, tmp_path):
    url = server.script("/toy.txt", trickle(length=10_000, pause_seconds=0.02))
    sentence = fails(toy(url), tmp_path, limits=dataclasses.replace(FAST, stall_seconds=0.3, stall_bytes=1000))
    assert f"{url}: only " in sentence
    assert " bytes came in 0.3 s (3 attempts)" in sentence


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
