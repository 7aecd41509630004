"""Programs under limits: they are stopped with all they started, and what they used is measured."""

import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from methods.running.limits import Ending, Limits, run_limited
from tests.integration.scratch_methods import assert_ends

EAT = "kept = []\nwhile True:\n    kept.append(bytearray(b'x' * 4_000_000)); time.sleep(0.001)\n"


def run(code: str, limits: Limits | None = None) -> Ending:
    return run_limited([sys.executable, "-c", f"import os, time\n{code}"], dict(os.environ), limits or Limits())


@pytest.mark.parametrize(("code", "exit_code"), [("", 0), ("os._exit(3)", 3), ("os.kill(os.getpid(), 9)", -9)])
def test_a_program_that_ends_by_itself_ends_with_its_own_code(code: str, exit_code: int) -> None:
    ending = run(code)
    assert (ending.stopped, ending.exit_code) == (None, exit_code)


def test_processor_time_of_the_program_and_of_those_it_waited_for_is_counted() -> None:
    burn = "def burn():\n    end = time.process_time() + 0.3\n    while time.process_time() < end: pass\n"
    forks = burn + "pid = os.fork()\nburn()\nif pid == 0: os._exit(0)\nos.wait()\n"
    assert run(forks).cpu_seconds >= 0.6


def test_a_program_over_its_time_is_stopped() -> None:
    assert run("time.sleep(1000)", Limits(wall_seconds=0.3)).stopped == "timeout"


def test_a_program_that_ignores_polite_signals_is_stopped() -> None:
    stubborn = "import signal\nfor n in (1, 2, 15): signal.signal(n, signal.SIG_IGN)\ntime.sleep(1000)"
    assert run(stubborn, Limits(wall_seconds=0.5)).stopped == "timeout"


def test_a_program_over_its_memory_is_stopped() -> None:
    ending = run(EAT, Limits(memory_bytes=200_000_000))
    assert ending.stopped == "oom"
    assert ending.peak_bytes > 200_000_000


def test_memory_of_children_counts() -> None:
    ending = run(f"if os.fork():\n    os.wait()\n{EAT}", Limits(memory_bytes=200_000_000, wall_seconds=60))
    assert ending.stopped == "oom"


def test_memory_that_forks_share_counts_once() -> None:
    shares = "held = bytearray(b'x' * 100_000_000)\nfor _ in range(3):\n    if os.fork() == 0: break\ntime.sleep(0.6)\n"
    ending = run(shares, Limits(memory_bytes=300_000_000))
    assert ending.stopped is None
    assert 100_000_000 < ending.peak_bytes < 300_000_000


@pytest.mark.parametrize("leave", ["", "os.setsid()\n        "], ids=["same session", "own session"])
@pytest.mark.parametrize("ends", ["time.sleep(2)", "time.sleep(1000)"], ids=["ended", "stopped"])
def test_no_process_is_left(ends: str, leave: str, tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = (
        f"for _ in range(2):\n    if os.fork() == 0:\n        {leave}file = open({str(pids)!r}, 'a')\n"
        f"        print(os.getpid(), file=file, flush=True)\n        time.sleep(1000)\n{ends}\n"
    )
    run(code, Limits(wall_seconds=5))
    written = [int(line) for line in pids.read_text().split()]
    assert len(written) == 2
    for pid in written:
        assert_ends(pid)


def test_a_process_that_detaches_from_a_program_that_ends_at_once_is_not_left(tmp_path: Path) -> None:
    code = (
        "import subprocess\nsleeper = subprocess.Popen(['sleep', '1000'], start_new_session=True)\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(sleeper.pid))\nos._exit(0)"
    )
    assert run(code).exit_code == 0
    assert not psutil.pid_exists(int((tmp_path / "pid").read_text()))


def test_a_process_of_somebody_else_is_left_alone() -> None:
    with subprocess.Popen(["sleep", "1000"]) as other:
        run("")
        assert other.poll() is None
        other.kill()


def test_what_the_program_prints_is_not_our_output(capfd: pytest.CaptureFixture[str]) -> None:
    run("print('from the method')")
    said = capfd.readouterr()
    assert (said.out, said.err) == ("", "from the method\n")


def test_an_interrupt_while_waiting_leaves_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(tree: object) -> int:
        while not (tmp_path / "pid").exists():
            time.sleep(0.01)
        raise KeyboardInterrupt

    monkeypatch.setattr("methods.running.limits._ProcessTree.memory_bytes", interrupted)
    code = f"open({str(tmp_path / 'part')!r}, 'w').write(str(os.getpid()))\n"
    code += f"os.rename({str(tmp_path / 'part')!r}, {str(tmp_path / 'pid')!r})\ntime.sleep(1000)"
    with pytest.raises(KeyboardInterrupt):
        run(code)
    assert_ends(int((tmp_path / "pid").read_text()))
