"""A fit that is killed, or for which the disk has no room, leaves no result, and goes on from its checkpoint."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tests.conftest import network_of
from tests.integration.scratch_methods import (
    GOOD_END,
    START,
    assert_ends,
    copy_methods,
    environment,
    fit,
    methods,
    pid_in,
    put,
)

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_methods(tmp_path_factory.mktemp("project"))


@pytest.fixture
def endless(project: Path) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """A fit that forks once and then waits for ever; the pids of both are in files."""
    name = "endless"
    if not (project / "methods" / name).exists():
        body = (
            "    open('fit-pid.part', 'w').write(str(os.getpid()))\n    pid = os.fork()\n"
            "    if pid == 0: time.sleep(1000)\n    open('fork-pid', 'w').write(str(pid))\n"
            "    os.rename('fit-pid.part', 'fit-pid')\n    time.sleep(1000)\n"
        )
        put(project, name, body)
    for old in ("fit-pid", "fork-pid"):
        (project / old).unlink(missing_ok=True)
    command = [sys.executable, "-m", "methods", "fit", name, "--network", "train.arrow", "--out", f"fits/{name}"]
    # Tests in the background (`make test &`) ignore SIGINT, and what they start would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    process = subprocess.Popen(command, cwd=project, env=environment(project), stderr=subprocess.DEVNULL)
    yield process, project
    process.kill()
    process.wait()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_killing_the_command_leaves_no_process_and_no_output(
    number: int, endless: tuple[subprocess.Popen[bytes], Path]
) -> None:
    process, project = endless
    pids = [pid_in(project / "fit-pid"), pid_in(project / "fork-pid")]
    process.send_signal(number)
    assert process.wait(timeout=30) == (-9 if number == signal.SIGKILL else 130)
    for pid in pids:
        assert_ends(pid)
    assert not (project / "fits" / "endless" / "fit.json").exists()


def test_a_second_fit_into_the_same_folder_is_refused(endless: tuple[subprocess.Popen[bytes], Path]) -> None:
    _, project = endless
    pid_in(project / "fit-pid")
    done = methods(project, "fit", "endless", "--network", "train.arrow", "--out", "fits/endless")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "error: fits/endless: another process is writing here; wait for it or choose another --out\n"


RESUMES = """\
    state = run.load_checkpoint()
    if state is None:
        run.began = run.began[0] - 1000, run.began[1] - 2000  # as if the first attempt took long
    done = 0 if state is None else int(state["done"])
    for epoch in range(done, 3):
        with run.epoch(10 + epoch, "edges"):
            pass
        run.save_checkpoint(done=np.array(epoch + 1))
        if epoch == 1 and state is None:
            os.kill(os.getppid(), signal.SIGKILL)
            time.sleep(1000)
    return np.full((network.n_nodes, 2), done, np.float32)
"""


def test_a_fit_that_was_killed_goes_on_from_its_checkpoint(project: Path) -> None:
    put(project, "resumes", RESUMES)
    words = ["fit", "resumes", "--network", "train.arrow", "--out", "fits/resumes"]
    assert methods(project, *words).returncode == -9
    record = fit(project, "resumes")
    assert record["status"] == "ok"
    assert [epoch["work"] for epoch in record["epochs"]] == [10, 11, 12]
    assert record["facts"]["epochs_before_resuming"] == 2
    assert 1000 < record["wall_seconds"] < 1200
    assert 2000 < record["cpu_seconds"] < 2200
    assert (np.load(project / "fits" / "resumes" / "embeddings.npy") == 2).all()
    assert not (project / "fits" / "resumes" / ".work").exists()


@pytest.mark.parametrize("change", ["seed", "network", "code", "broken file"])
def test_a_checkpoint_of_another_order_is_thrown_away(change: str, project: Path) -> None:
    name = f"stale_{change.replace(' ', '_')}"
    put(project, name, RESUMES)
    words = ["fit", name, "--network", "train.arrow", "--out", f"fits/{name}"]
    assert methods(project, *words).returncode == -9
    if change == "code":
        asks = "    run.report(found=run.load_checkpoint() is not None)\n"
        (project / "methods" / name / "fit.py").write_text(START + asks + GOOD_END)
    if change == "network":
        network_of([(0, 1, 1), (1, 5, 2)]).save(project / "other.arrow")
        words[3] = "other.arrow"
    if change == "broken file":
        (project / "fits" / name / ".work" / "checkpoint.npz").write_bytes(b"PK\x03\x04 not a zip")
    again = methods(project, *words, *(["--seed", "2"] if change == "seed" else []))
    if change == "code":
        assert json.loads((project / "fits" / name / "fit.json").read_text())["facts"] == {"found": False}
    else:
        assert again.returncode == -9  # it began at the beginning, where it kills its parent


DISK_FILLS_UP = """\
    state = run.load_checkpoint()
    if state is None:
        with run.epoch(10, "edges"):
            pass
        run.report(loss=0.5)
        run.save_checkpoint(done=np.array(1))
        raise OSError(28, "No space left on device")
    return np.ones((network.n_nodes, 2), np.float32)
"""


def test_a_fit_that_the_disk_had_no_room_for_goes_on_from_its_checkpoint(project: Path) -> None:
    put(project, "disk_fills_up", DISK_FILLS_UP)
    words = ["fit", "disk_fills_up", "--network", "train.arrow", "--out", "fits/disk_fills_up"]
    refused = methods(project, *words)
    assert (refused.returncode, refused.stderr) == (1, "error: the disk failed: [Errno 28] No space left on device\n")
    assert not (project / "fits" / "disk_fills_up" / "fit.json").exists()
    record = fit(project, "disk_fills_up")
    assert (record["status"], len(record["epochs"])) == ("ok", 1)
    assert record["facts"] == {"loss": 0.5, "epochs_before_resuming": 1}
