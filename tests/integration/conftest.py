"""Fixtures of the tests that run against the outside: here, a server on loopback."""

from collections.abc import Iterator

import pytest

from tests.integration.hostile_server import HostileServer, running


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[HostileServer]:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with running() as hostile:
        yield hostile
