"""The environment of the peers: a virtual environment beside ours, because their pins (numpy 1) contradict ours."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from harness.errors import UserError

ENVIRONMENT = Path(".venv-peers")
LOCK = Path(__file__).parents[1] / "peers.lock"


def peer_python() -> Path:
    """The interpreter of the peers; makes their environment from benchmarks/peers.lock if it is missing or outdated."""
    python = ENVIRONMENT / "bin" / "python"
    installed = ENVIRONMENT / "installed.lock"
    if python.exists() and installed.exists() and installed.read_text() == LOCK.read_text():
        return python
    print(f"making {ENVIRONMENT} from {LOCK.name}, once", file=sys.stderr)
    venv.create(ENVIRONMENT, with_pip=True, clear=True)
    install: list[str | Path] = [
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--requirement",
        LOCK,
    ]
    outcome = subprocess.run(install, capture_output=True, text=True)
    if outcome.returncode != 0:
        reason = (outcome.stderr.strip().splitlines() or ["no message"])[-1]
        raise UserError(f"{LOCK}: the peers could not be installed ({reason}); check the connection and run again")
    installed.write_text(LOCK.read_text())
    return python


def run_peer(program: str, *arguments: object) -> Any:
    """Run benchmarks/peers/<program>.py in the peers' environment; its last line of output is JSON."""
    script = Path(__file__).with_name(f"{program}.py")
    outcome = subprocess.run([peer_python(), script, *map(str, arguments)], capture_output=True, text=True)
    if outcome.returncode != 0:
        raise failed(script, outcome.stderr)
    return json.loads(outcome.stdout.splitlines()[-1])


@contextmanager
def peer_in_turns(program: str, *arguments: object) -> Iterator[Callable[[str], dict[str, float]]]:
    """Start benchmarks/peers/<program>.py; the function has it measure the peer of that name once more.

    The program reads a name from every line and answers with a line of JSON (benchmarks/peers/turns.py).
    """
    script = Path(__file__).with_name(f"{program}.py")
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            [peer_python(), script, *map(str, arguments)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            start_new_session=True,
        )
        assert process.stdin is not None and process.stdout is not None  # they are pipes

        def measured(name: str) -> dict[str, float]:
            assert process.stdin is not None and process.stdout is not None
            try:
                print(name, file=process.stdin, flush=True)
                answer = process.stdout.readline()
            except BrokenPipeError:
                answer = ""
            if not answer:
                process.wait()
                errors.seek(0)
                raise failed(script, errors.read())
            return dict(json.loads(answer))

        try:
            yield measured
        finally:
            # With it go its own children: joblib's workers would live on, and hold the pipe, for minutes.
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            process.stdout.close()


def failed(script: Path, errors: str) -> UserError:
    reason = (errors.strip().splitlines() or ["no message"])[-1]
    return UserError(f"{script}: the peer failed: {reason}")
