"""docs/add-a-method.md works as written, and methods that misbehave come out as data, in a copy of the project."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from tests.conftest import network_of

ROOT = Path(__file__).parents[2]
DESCRIPTION = "{label: X, role: baseline, citation: none, description: misbehaves}\n"
START = "import os, sys, time, signal\nimport numpy as np\ndef fit(network, params, run):\n"
GOOD_END = "    with run.epoch(1, 'edges'): pass\n    return np.zeros((network.n_nodes, 2), np.float32)\n"


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the tree, without data, with a stored network."""
    root = tmp_path_factory.mktemp("project")
    for folder in ("datasets", "methods", "tests"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__", "downloads"))
    shutil.copy(ROOT / "pyproject.toml", root)
    contacts = [(0, 1, 1), (1, 2, 2), (2, 0, 3), (2, 3, 4), (3, 4, 5), (4, 2, 6)]
    network_of(contacts, n_nodes=6).save(root / "train.arrow")
    return root


def environment(root: Path) -> dict[str, str]:
    """The copy stands alone: nothing of this tree may be imported."""
    return {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | {"PYTHONPATH": str(root)}


def methods(root: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "methods", *words]
    return subprocess.run(command, cwd=root, env=environment(root), capture_output=True, text=True, timeout=120)


def put(root: Path, name: str, body: str, description: str = DESCRIPTION) -> None:
    folder = root / "methods" / name
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "method.yaml").write_text(description)
    (folder / "fit.py").write_text(START + body)


def fit(root: Path, name: str, *words: str) -> dict[str, Any]:
    """Fit by command line and return the record; a failure of the method must not be one of the command."""
    done = methods(root, "fit", name, "--network", "train.arrow", "--out", f"fits/{name}", *words)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stdout
    record: dict[str, Any] = json.loads((root / "fits" / name / "fit.json").read_text())
    if record["status"] != "ok":
        assert np.load(root / "fits" / name / "embeddings.npy").shape == (0, 0)
        assert record["reason"] in (root / "fits" / name / "fit.log").read_text()
        assert "\n" not in record["reason"]
    return record


@pytest.fixture(scope="module")
def example(project: Path) -> Path:
    """The files of the worked example, exactly as the page shows them."""
    page = (ROOT / "docs" / "add-a-method.md").read_text()
    files = re.findall(r"^`(methods/\S+)`:\n\n```\w+\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    assert [name for name, _ in files] == ["methods/decayed_svd/method.yaml", "methods/decayed_svd/fit.py"]
    (project / "methods" / "decayed_svd").mkdir()
    (project / "methods" / "decayed_svd" / "__init__.py").touch()
    for name, text in files:
        (project / name).write_text(text)
    return project


def test_the_example_is_found_and_described(example: Path) -> None:
    assert "Decayed SVD" in methods(example, "list").stdout
    said = methods(example, "describe", "decayed_svd").stdout
    assert "decay = 3.0  (a number, at least 0)" in said
    assert "static_svd: Static SVD, decay = 0" in said


def test_the_example_approximates_the_decayed_adjacency(example: Path) -> None:
    record = fit(example, "decayed_svd", "--set", "dimensions=6", "--set", "decay=0")
    vectors = np.load(example / "fits" / "decayed_svd" / "embeddings.npy").astype(np.float64)
    assert (record["status"], record["embeddings"]["dimensions"]) == ("ok", 6)
    adjacency = np.zeros((6, 6))
    for u, v in [(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)]:
        adjacency[u, v] = adjacency[v, u] = 1
    # U S U' is the polar factor (A A')^(1/2) of the symmetric matrix A = U S V'.
    values, basis = np.linalg.eigh(adjacency)
    assert np.allclose(vectors @ vectors.T, basis * np.abs(values) @ basis.T, atol=1e-5)
    assert record["facts"]["largest_singular_value"] == pytest.approx(np.abs(values).max())


def test_the_example_passes_the_conformance_suite(example: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "tests/integration/test_method_conformance.py",
        "-k",
        "decayed_svd or static_svd",
    ]
    done = subprocess.run(command, cwd=example, env=environment(example), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout
    assert re.search(r"^1\d passed", done.stdout, flags=re.MULTILINE)


BAD = {
    "raises": (
        "    raise ValueError('no such\\nmatrix')\n",
        "failed",
        "ValueError: no such matrix (methods/raises/fit.py:4 in fit)",
    ),
    "exits": ("    sys.exit(3)\n", "failed", "SystemExit: 3 (methods/exits/fit.py:4 in fit)"),
    "leaves": ("    os._exit(0)\n", "failed", "the process ended with exit code 0 before the method returned"),
    "aborts": ("    os.abort()\n", "failed", "the process was ended by SIGABRT"),
    "is_killed": ("    os.kill(os.getpid(), signal.SIGKILL)\n", "oom", "killed by the system (SIGKILL), most likely"),
    "memory_error": ("    np.zeros((1 << 50,))\n", "oom", "Unable to allocate"),
    "nan": (
        "    with run.epoch(1, 'edges'): pass\n    return np.full((network.n_nodes, 2), np.nan)\n",
        "failed",
        "fit returned NaN or infinity in 6 of 6 rows, the first of them 0",
    ),
    "rubbish": ("    return [[1, 2]] * network.n_nodes\n", "failed", "fit returned a list, not a numpy array"),
    "objects": (
        "    return np.array([[None]] * 6)\n",
        "failed",
        "fit returned an array of object, not of real numbers",
    ),
    "no_epoch": ("    return np.zeros((6, 2), np.float32)\n", "failed", "fit recorded no epoch; put its work into"),
    "writes": ("    network.source[0] = 5\n", "failed", "read-only (methods/writes/fit.py:4 in fit)"),
    "does_not_parse": ("    return (\n", "failed", "SyntaxError: '(' was never closed"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_method_that_breaks_the_contract_is_a_result_with_a_reason(name: str, project: Path) -> None:
    body, status, reason = BAD[name]
    put(project, name, body)
    record = fit(project, name)
    assert record["status"] == status
    assert reason in record["reason"]


def test_a_folder_without_the_function_fails_with_its_file(project: Path) -> None:
    put(project, "no_function", GOOD_END)
    (project / "methods" / "no_function" / "fit.py").write_text("")
    assert "fit.py: has no function named fit" in fit(project, "no_function")["reason"]


def test_a_method_that_hangs_is_stopped_and_keeps_the_epochs_it_did(project: Path) -> None:
    put(project, "hangs", "    with run.epoch(12, 'edges'): pass\n    run.report(loss=0.5)\n    time.sleep(1000)\n")
    record = fit(project, "hangs", "--hours", "0.001")
    assert (record["status"], record["reason"]) == ("timeout", "not done after 3.6 s, the limit")
    assert [(epoch["work"], epoch["unit"]) for epoch in record["epochs"]] == [(12, "edges")]
    assert record["facts"] == {"loss": 0.5}
    assert record["network"] == {"name": "toy", "nodes": 6, "edges": 6}


def test_a_method_that_eats_memory_is_stopped_at_the_limit(project: Path) -> None:
    put(
        project,
        "eats",
        "    kept = []\n    while True:\n        kept.append(np.ones(1_000_000))\n        time.sleep(0.002)\n",
    )
    record = fit(project, "eats", "--memory-gb", "0.6")
    assert record["status"] == "oom"
    assert re.fullmatch(r"used \d\.\d\d GB of memory, the limit is 0\.60 GB", record["reason"])
    assert record["peak_bytes"] > 0.6e9


def test_memory_of_forked_processes_counts(project: Path) -> None:
    body = (
        "    if os.fork() == 0:\n        kept = []\n        while True:\n"
        "            kept.append(np.ones(1_000_000))\n            time.sleep(0.002)\n    time.sleep(1000)\n"
    )
    put(project, "fork_eats", body)
    assert fit(project, "fork_eats", "--memory-gb", "0.6", "--hours", "0.02")["status"] == "oom"


def pid_in(path: Path) -> int:
    deadline = time.monotonic() + 60
    while not path.exists() or not path.read_text():
        assert time.monotonic() < deadline, f"{path} never came"
        time.sleep(0.05)
    return int(path.read_text())


def assert_ends(pid: int) -> None:
    try:
        process = psutil.Process(pid)
        process.wait(timeout=30)
    except psutil.NoSuchProcess:
        return
    except psutil.TimeoutExpired:
        assert process.status() == psutil.STATUS_ZOMBIE, f"process {pid} is still there"


def test_a_process_that_a_method_forks_and_forgets_ends_with_the_fit(project: Path) -> None:
    put(
        project,
        "forks",
        "    pid = os.fork()\n    if pid == 0: time.sleep(1000)\n    open('forked', 'w').write(str(pid))\n" + GOOD_END,
    )
    assert fit(project, "forks")["status"] == "ok"
    assert_ends(pid_in(project / "forked"))


def test_a_forked_process_that_returns_too_does_not_write_a_result(project: Path) -> None:
    body = (
        "    pid = os.fork()\n    if pid: os.waitpid(pid, 0)\n"
        "    run.report(written=sorted(path.name for path in run.folder.iterdir()))\n"
    )
    put(project, "fork_returns", body + GOOD_END)
    record = fit(project, "fork_returns")
    assert (record["status"], len(record["epochs"])) == ("ok", 1)
    assert record["facts"]["written"] == ["fingerprint.json", "job.json", "journal.jsonl", "log.txt"]


def test_a_thread_that_never_ends_does_not_hold_up_the_fit(project: Path) -> None:
    put(
        project,
        "threads",
        "    import threading\n    threading.Thread(target=time.sleep, args=(1000,)).start()\n" + GOOD_END,
    )
    assert fit(project, "threads")["status"] == "ok"


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
