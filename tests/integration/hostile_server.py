"""An HTTP server on loopback that misbehaves as told: it cuts, redirects, lies, stalls, and changes its mind."""

import contextlib
import threading
from collections.abc import Callable, Iterator
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# No answer holds a connection longer than this, whatever the client does.
LONGEST_SILENCE_SECONDS = 5.0
LONGEST_HOLD_SECONDS = 60.0


class HostileServer(ThreadingHTTPServer):
    """Answers the requests for a path with the answers scripted for it, in turn; the last one is repeated."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers: dict[str, list[Answer]] = {}
        self.requests: list[tuple[str, Message]] = []
        self.closing = threading.Event()

    def script(self, path: str, *answers: "Answer") -> str:
        """Say how requests for `path` are answered, and return its address."""
        self.answers[path] = list(answers)
        return f"http://127.0.0.1:{self.server_port}{path}"

    def ranges(self, path: str) -> list[str | None]:
        """The Range header of every request for `path` so far."""
        return [headers["Range"] for asked, headers in self.requests if asked == path]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: HostileServer

    def do_GET(self) -> None:
        self.server.requests.append((self.path, self.headers))
        answers = self.server.answers.get(self.path, [status(404)])
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        self.close_connection = True
        with contextlib.suppress(ConnectionError):  # a client that has had enough may leave
            answer(self)

    def head(self, code: int, **headers: str | int | None) -> None:
        self.send_response(code)
        for name, value in headers.items():
            if value is not None:
                self.send_header(name.replace("_", "-"), str(value))
        self.send_header("Connection", "close")
        self.end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        """Nothing: a test's output is its own."""


Answer = Callable[[_Handler], None]


@contextlib.contextmanager
def running() -> Iterator[HostileServer]:
    with HostileServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.closing.set()
            server.shutdown()
            thread.join()


def serve(
    body: bytes,
    etag: str | None = '"1"',
    last_modified: str | None = None,
    content_type: str = "application/octet-stream",
    heeds_range: bool = True,
    heeds_if_range: bool = True,
    cut_after: int | None = None,
) -> Answer:
    """A good server, which knows Range and If-Range; or one without either, or one that hangs up too early."""

    def answer(handler: _Handler) -> None:
        wanted, condition = handler.headers["Range"], handler.headers["If-Range"]
        known = {"ETag": etag, "Last_Modified": last_modified, "Content_Type": content_type}
        start = 0
        if heeds_range and wanted and (not heeds_if_range or condition in (etag, last_modified)):
            start = int(wanted.removeprefix("bytes=").removesuffix("-"))
        if start >= len(body) > 0:
            handler.head(416, Content_Range=f"bytes */{len(body)}", Content_Length=0)
            return
        if start:
            span = f"bytes {start}-{len(body) - 1}/{len(body)}"
            handler.head(206, Content_Range=span, Content_Length=len(body) - start, **known)
        else:
            handler.head(200, Content_Length=len(body), **known)
        handler.wfile.write(body[start:cut_after])

    return answer


def announce(length: int, body: bytes) -> Answer:
    """A server that lies about the length."""

    def answer(handler: _Handler) -> None:
        handler.head(200, Content_Length=length, ETag='"1"')
        handler.wfile.write(body)

    return answer


def status(code: int, **headers: str) -> Answer:
    return lambda handler: handler.head(code, Content_Length=0, **headers)


def redirect(location: str) -> Answer:
    return status(302, Location=location)


def stall(body: bytes, after: int) -> Answer:
    """A server that falls silent in the middle, and keeps the line open."""

    def answer(handler: _Handler) -> None:
        handler.head(200, Content_Length=len(body), ETag='"1"')
        handler.wfile.write(body[:after])
        handler.server.closing.wait(LONGEST_SILENCE_SECONDS)

    return answer


def hold(body: bytes, gate: threading.Event) -> Answer:
    """A server that sends the second half when the gate opens."""

    def answer(handler: _Handler) -> None:
        handler.head(200, Content_Length=len(body), ETag='"1"')
        handler.wfile.write(body[: len(body) // 2])
        handler.wfile.flush()
        gate.wait(LONGEST_HOLD_SECONDS)
        handler.wfile.write(body[len(body) // 2 :])

    return answer


def trickle(length: int, pause_seconds: float) -> Answer:
    """A server that is never silent, and never done."""

    def answer(handler: _Handler) -> None:
        handler.head(200, Content_Length=length, ETag='"1"')
        for _ in range(int(LONGEST_SILENCE_SECONDS / pause_seconds)):
            handler.wfile.write(b"x")
            if handler.server.closing.wait(pause_seconds):
                return

    return answer


def endless(block: bytes, blocks: int) -> Answer:
    """A server that does not say how much will come."""

    def answer(handler: _Handler) -> None:
        handler.head(200)
        for _ in range(blocks):
            handler.wfile.write(block)

    return answer
