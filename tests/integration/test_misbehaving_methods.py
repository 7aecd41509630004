"""Methods that misbehave come out as data, each with its reason, and leave nothing running."""

import re
from pathlib import Path

import pytest

from tests.integration.scratch_methods import GOOD_END, assert_ends, copy_methods, fit, pid_in, put


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_methods(tmp_path_factory.mktemp("project"))


BAD = {
    "raises": (
        "    raise ValueError('no such\\nmatrix')\n",
        "failed",
        "ValueError: no such matrix (methods/raises/fit.py:4 in fit)",
    ),
    "exits": ("    sys.exit(3)\n", "failed", "SystemExit: 3 (methods/exits/fit.py:4 in fit)"),
    "leaves": ("    os._exit(0)\n", "failed", "the process ended with exit code 0 before the method returned"),
    "aborts": ("    os.abort()\n", "failed", "the process was ended by SIGABRT"),
    "is_killed": ("    os.kill(os.getpid(), signal.SIGKILL)\n", "killed", "killed (SIGKILL) while it used"),
    "real_time_signal": (
        "    os.kill(os.getpid(), signal.SIGRTMIN + 6)\n",
        "failed",
        "the process was ended by SIGRTMIN+6 before the method returned",
    ),
    "removes_its_folder": (
        "    import shutil\n    with run.epoch(1, 'edges'): pass\n    shutil.rmtree(run.folder.parent)\n"
        "    return np.zeros((network.n_nodes, 2), np.float32)\n",
        "failed",
        "the method removed its scratch folder (run.folder), and with it what it had reported",
    ),
    "removes_its_folder_and_dies": (
        "    import shutil\n    shutil.rmtree(run.folder.parent)\n    os._exit(5)\n",
        "failed",
        "the process ended with exit code 5 before the method returned",
    ),
    "puts_folders_in_the_way": (
        "    for name in ('fit.json', 'fit.log', 'embeddings.npy'):\n"
        "        (run.folder.parent / name / 'x').mkdir(parents=True)\n    raise ValueError('in the way')\n",
        "failed",
        "ValueError: in the way",
    ),
    "surrogate_in_an_exception": (
        "    raise ValueError('x \\udcff\\x1b[31m y')\n",
        "failed",
        r"ValueError: x \udcff\x1b[31m y (methods/surrogate_in_an_exception/fit.py:4 in fit)",
    ),
    "memory_error": ("    np.zeros((1 << 50,))\n", "oom", "Unable to allocate"),
    "nan": (
        "    with run.epoch(1, 'edges'): pass\n    return np.full((network.n_nodes, 2), np.nan)\n",
        "failed",
        "fit returned NaN or infinity in 6 of 6 rows, the first of them 0",
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


def test_a_program_that_is_killed_below_its_limit_says_so(project: Path) -> None:
    folder = project / "methods" / "killed_program"
    folder.mkdir()
    command = 'command: ["{python}", "-c", "import os; os.kill(os.getpid(), 9)"]\n'
    (folder / "method.yaml").write_text(f"label: X\nrole: baseline\ncitation: none\ndescription: misbehaves\n{command}")
    record = fit(project, "killed_program")
    assert record["status"] == "killed"
    assert "was killed (SIGKILL)" in record["reason"]


def test_a_note_that_is_no_text_in_utf8_is_spelt_out(project: Path) -> None:
    put(project, "surrogate_in_a_note", "    run.report(note='x \\udcff\\ny')\n" + GOOD_END)
    assert fit(project, "surrogate_in_a_note")["facts"] == {"note": r"x \udcff y"}


def test_an_environment_that_cannot_be_made_is_a_failed_fit(project: Path) -> None:
    put(project, "no_environment", GOOD_END)
    (project / "methods" / "no_environment" / "environment.yaml").write_text("dependencies: [{pip: [./nowhere]}]")
    record = fit(project, "no_environment")
    assert (record["status"], record["wall_seconds"], record["epochs"]) == ("failed", 0, [])
    assert "no_environment/environment.yaml: the environment cannot be made: " in record["reason"]


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


def test_a_fit_that_is_stopped_before_it_has_the_network_leaves_a_record_like_any_other(project: Path) -> None:
    put(project, "slow_start", "    time.sleep(1000)\n")
    record = fit(project, "slow_start", "--hours", "0.000001")
    assert (record["status"], record["reason"]) == ("timeout", "not done after 0.0036 s, the limit")
    assert (record["network"], record["epochs"], record["facts"]) == ({}, [], {})


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


def test_a_process_that_a_method_forks_and_forgets_ends_with_the_fit(project: Path) -> None:
    put(
        project,
        "forks",
        "    pid = os.fork()\n    if pid == 0: time.sleep(1000)\n    open('forked', 'w').write(str(pid))\n" + GOOD_END,
    )
    assert fit(project, "forks")["status"] == "ok"
    assert_ends(pid_in(project / "forked"))


def test_a_process_forked_from_a_thread_lives_on_when_the_thread_ends(project: Path) -> None:
    body = (
        "    import threading\n    reader, writer = os.pipe()\n    def work():\n        if os.fork() == 0:\n"
        "            time.sleep(0.5)\n            os.write(writer, b'done')\n            os._exit(0)\n"
        "    thread = threading.Thread(target=work)\n    thread.start()\n    thread.join()\n    os.close(writer)\n"
        "    run.report(said=os.read(reader, 4).decode())\n"
    )
    put(project, "thread_forks", body + GOOD_END)
    assert fit(project, "thread_forks")["facts"] == {"said": "done"}


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
