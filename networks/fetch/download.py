"""Download over http and https into a partial file: resumed when cut, tried again, limited in every way."""

from __future__ import annotations

import contextlib
import re
import shutil
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin, urlsplit

import requests
import urllib3
from tqdm import tqdm

from harness.errors import UserError
from harness.files import read_json, write_json
from networks.errors import NetworkError
from networks.fetch.checksums import Expected, SourceError

BLOCK_BYTES = 1 << 18
# An attempt that brought this much further was no failure: a large file on a bad line may be cut many times.
PROGRESS_BYTES = 1 << 20
# Nothing in the field comes near; without it a server that never ends would fill the disk.
LONGEST_BYTES = 1 << 36

# Answers that another attempt may change: time-out, too early, too many requests, and trouble inside the server.
PASSING = {408, 425, 429, 500, 502, 503, 504}


class NotFoundAtSource(SourceError):
    """The source has no such file."""


class Unreachable(SourceError):
    """The source did not answer, or broke off, in every attempt."""


class _Interrupted(Exception):
    """An attempt that failed in a way that another one may mend."""

    def __init__(self, reason: str, wait_seconds: float = 0.0) -> None:
        super().__init__(reason)
        self.wait_seconds = wait_seconds


@dataclass(frozen=True)
class Limits:
    """How long to wait, and how often to try.

    `read_seconds` ends a silence; `stall_bytes` within `stall_seconds` ends a trickle that never falls silent.
    """

    connect_seconds: float = 15.0
    read_seconds: float = 60.0
    stall_seconds: float = 120.0
    stall_bytes: int = 1 << 16
    attempts: int = 5
    backoff_seconds: float = 1.0
    longest_wait_seconds: float = 60.0
    redirects: int = 5


LIMITS = Limits()


@dataclass(frozen=True)
class _Version:
    """Which version of which file a partial download belongs to; kept beside it."""

    url: str
    etag: str | None = None
    last_modified: str | None = None
    total: int | None = None

    @property
    def validator(self) -> str | None:
        """What If-Range may carry: a strong ETag, else the date; without either nothing can be resumed safely."""
        return self.etag if self.etag and not self.etag.startswith("W/") else self.last_modified


def download(url: str, part: Path, expected: Expected, limits: Limits = LIMITS) -> None:
    """Complete `part`, whether it is there in part, in a version that is no more, or not at all."""
    farthest, failures = 0, 0
    with (
        requests.Session() as session,
        tqdm(desc=part.stem, unit="B", unit_scale=True, unit_divisor=1024, disable=None) as bar,
    ):
        while True:
            try:
                return _attempt(session, url, part, expected, limits, bar)
            except _Interrupted as interruption:
                reached = part.stat().st_size if part.exists() else 0
                failures = 1 if reached >= farthest + PROGRESS_BYTES else failures + 1
                farthest = max(farthest, reached)
                if failures >= limits.attempts:
                    raise Unreachable(f"{url}: {interruption} ({limits.attempts} attempts)") from interruption
                wait = max(limits.backoff_seconds * 2 ** (failures - 1), interruption.wait_seconds)
                time.sleep(min(wait, limits.longest_wait_seconds))


def forget(part: Path) -> None:
    """Delete a partial file and what is noted about it."""
    part.unlink(missing_ok=True)
    _notes(part).unlink(missing_ok=True)


def refuse_full_disk(folder: Path, needed: int) -> None:
    """Say that the disk is full before it is."""
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise NetworkError(f"{folder}: {needed} bytes are needed but only {free} are free; make room there")


def _notes(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def _attempt(
    session: requests.Session, url: str, part: Path, expected: Expected, limits: Limits, bar: tqdm[Any]
) -> None:
    """One request, for what is missing of `part`; return when it is complete."""
    begun = _begun(url, part)
    offset = part.stat().st_size if begun else 0
    if begun and offset == begun.total:
        return
    headers = {"Accept-Encoding": "identity", "User-Agent": "temporal-embedding-benchmark"}
    if begun and offset:
        headers |= {"Range": f"bytes={offset}-", "If-Range": str(begun.validator)}

    with contextlib.closing(_open(session, url, headers, limits)) as response:
        if response.status_code == 206 and begun and offset and _continues(response, begun, offset):
            version = begun
        elif response.status_code == 200:
            version, offset = _version(response, url), 0
        else:
            if response.status_code in (206, 416):
                forget(part)
            raise _refusal(response, url)
        if "text/html" in response.headers.get("Content-Type", "").lower():
            raise SourceError(f"{url}: is an HTML page instead of the file; the source may have moved")
        if expected.size_bytes is not None and version.total not in (None, expected.size_bytes):
            raise SourceError(
                f"{url}: announces {version.total} bytes instead of {expected.size_bytes} {expected.stated_by}"
            )
        refuse_full_disk(part.parent, (version.total or 0) - offset)

        bar.reset(total=version.total)
        bar.update(offset)
        most = version.total or expected.size_bytes or LONGEST_BYTES
        try:
            write_json(_notes(part), asdict(version))
            with part.open("ab" if offset else "wb") as file:
                for block in _blocks(response, limits):
                    file.write(block)
                    offset += len(block)
                    bar.update(len(block))
                    if offset > most:
                        forget(part)
                        raise SourceError(f"{url}: sends more than the {most} bytes that it should have")
        except OSError as error:
            raise NetworkError(f"{part}: cannot be written: {error.strerror or error}") from error
    if version.total is not None and offset < version.total:
        raise _Interrupted(f"the connection ended after {offset} of {version.total} bytes")


def _open(session: requests.Session, url: str, headers: dict[str, str], limits: Limits) -> requests.Response:
    """The answer after redirects, which are followed here because none may leave https or lead to another scheme."""
    here = url
    for _ in range(limits.redirects + 1):
        try:
            response = session.get(
                here,
                headers=headers,
                stream=True,
                allow_redirects=False,
                timeout=(limits.connect_seconds, limits.read_seconds),
            )
        except requests.exceptions.SSLError as error:
            raise SourceError(f"{here}: its certificate cannot be verified: {_root_cause(error)}") from error
        except requests.exceptions.ConnectTimeout as error:
            raise _Interrupted(f"no connection within {limits.connect_seconds:g} s") from error
        except requests.exceptions.Timeout as error:
            raise _Interrupted(f"no answer within {limits.read_seconds:g} s") from error
        except (requests.exceptions.ConnectionError, requests.exceptions.ChunkedEncodingError) as error:
            raise _Interrupted(f"cannot be reached: {_root_cause(error)}") from error
        except (requests.exceptions.RequestException, ValueError) as error:
            raise SourceError(f"{here}: cannot be asked for: {error}") from error
        if not response.is_redirect:
            return response
        response.close()
        there = urljoin(here, response.headers["Location"])
        if urlsplit(there).scheme not in ("http", "https"):
            raise SourceError(f"{url}: redirects to {there}, which is neither http nor https")
        if urlsplit(here).scheme == "https" and urlsplit(there).scheme == "http":
            raise SourceError(f"{url}: redirects from https to the unprotected {there}")
        here = there
    raise SourceError(f"{url}: redirects more than {limits.redirects} times")


def _blocks(response: requests.Response, limits: Limits) -> Iterator[bytes]:
    """The body as it is sent, block by block, until it ends, falls silent or only trickles."""
    since, received = time.monotonic(), 0
    response.raw.enforce_content_length = False  # a body that ends early is counted, and said, by the caller
    while True:
        try:
            # read1 returns what has come; read would wait for a full block, and a trickle would never be noticed.
            # Undecoded: some servers call a .gz file a text in gzip encoding, and it is the .gz that was asked for.
            block: bytes = response.raw.read1(BLOCK_BYTES, decode_content=False)
        except urllib3.exceptions.ReadTimeoutError as error:
            raise _Interrupted(f"nothing came for {limits.read_seconds:g} s") from error
        except (urllib3.exceptions.HTTPError, OSError) as error:
            raise _Interrupted(f"the connection broke: {_root_cause(error)}") from error
        if not block:
            return
        yield block
        received += len(block)
        now = time.monotonic()
        if now - since >= limits.stall_seconds:
            if received < limits.stall_bytes:
                raise _Interrupted(f"only {received} bytes came in {limits.stall_seconds:g} s")
            since, received = now, 0


def _begun(url: str, part: Path) -> _Version | None:
    """The version that `part` is the beginning of, if it can be resumed."""
    if not part.exists() or not _notes(part).exists():
        return None
    try:
        version = _Version(**read_json(_notes(part)))
    except (UserError, TypeError):
        return None
    return version if version.url == url and version.validator else None


def _version(response: requests.Response, url: str) -> _Version:
    length = response.headers.get("Content-Length", "")
    total = int(length) if length.isdecimal() else None
    return _Version(url, response.headers.get("ETag"), response.headers.get("Last-Modified"), total)


def _continues(response: requests.Response, begun: _Version, offset: int) -> bool:
    """Whether a partial answer is the rest of the file that was begun; some servers do not look at If-Range."""
    span = re.fullmatch(r"bytes (\d+)-\d+/(\d+|\*)", response.headers.get("Content-Range", ""))
    if span is None or int(span[1]) != offset or span[2] not in ("*", str(begun.total)):
        return False
    return all(
        known is None or response.headers.get(header, known) == known
        for header, known in (("ETag", begun.etag), ("Last-Modified", begun.last_modified))
    )


def _refusal(response: requests.Response, url: str) -> Exception:
    status = f"{response.status_code} {response.reason}".strip()
    if response.status_code in (404, 410):
        return NotFoundAtSource(f"{url}: answers {status}")
    if response.status_code in (206, 416):
        return _Interrupted("the file changed while it was being transferred")
    if response.status_code in PASSING:
        delay = response.headers.get("Retry-After", "")
        return _Interrupted(f"answers {status}", float(delay) if delay.isdecimal() else 0.0)
    return SourceError(f"{url}: answers {status}")


def _root_cause(error: BaseException) -> str:
    """The innermost reason, which is what a person can read in a stack of wrapped network errors."""
    while (inner := error.__cause__ or error.__context__) is not None:
        error = inner
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
