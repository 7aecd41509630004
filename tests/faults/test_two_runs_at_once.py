"""A second run in the same folder is told that there is a first one, and does not disturb it."""

import time

import pandas as pd
import pytest

from tests.faults.small_run import kill, run, start, write_config
from tests.integration.project_copy import copy_project
from tests.integration.scratch_methods import put

# The fit ends when the test has seen what it wanted to see.
WAITS = """
    open("waiting", "w").close()
    while not os.path.exists("go"):
        time.sleep(0.05)
    with run.epoch(1, "edges"):
        return np.ones((network.n_nodes, 2), np.float32) * np.arange(1, network.n_nodes + 1)[:, None]
"""


def test_a_second_run_is_refused_and_the_first_one_ends_well(tmp_path_factory: pytest.TempPathFactory) -> None:
    project = copy_project(tmp_path_factory.mktemp("twice"))
    put(project, "waits", WAITS)
    config = write_config(project, methods=["random", "waits"])
    first = start(project, config)
    try:
        deadline = time.monotonic() + 300
        while not (project / "waiting").exists():
            assert time.monotonic() < deadline and first.poll() is None, (project / "log.txt").read_text()
            time.sleep(0.05)
        second = run(project, config)
        assert second.returncode != 0
        assert "cannot be locked" in second.stdout
        assert "Traceback" not in second.stdout
        assert first.poll() is None
        (project / "go").touch()
        assert first.wait(300) == 0, (project / "log.txt").read_text()
    finally:
        if first.poll() is None:
            kill(first, project)
    table = pd.read_csv(project / "results" / "test" / "tables" / "link_prediction.csv")
    assert set(table["method"]) == {"random", "waits"}
    assert set(table["status"]) == {"ok"}
