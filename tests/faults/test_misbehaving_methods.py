"""Whatever a method does, its cells are marked with the reason, and those of the others are as they would be."""

import json
from pathlib import Path

import pandas as pd
import pytest

from tests.faults.small_run import run, write_config
from tests.integration.project_copy import copy_project
from tests.integration.scratch_methods import DESCRIPTION, GOOD_END, put

# One for each status that a fit can end with: what it does, its status, and words of the reason.
BAD = {
    "hangs": ("    time.sleep(100_000)\n", "timeout", "the limit"),
    "eats_memory": ("    kept = []\n    while True: kept.append(np.ones(5_000_000))\n", "oom", "GB"),
    "is_killed_once": (
        "    if not os.path.exists('killed once'):\n"
        "        open('killed once', 'w').close()\n        os.kill(os.getpid(), 9)\n"
        + GOOD_END.replace("zeros", "ones"),
        "killed",
        "killed (SIGKILL) while it used",
    ),
    "fills_its_files": (
        "    for _ in range(3):\n"
        "        (run.folder / 'array.npy').write_bytes(b'rubbish' * 1000)\n"
        "        (run.folder.parent / 'embeddings.npy').write_bytes(b'rubbish' * 1000)\n"
        "        (run.folder.parent / 'fit.json').write_text('{}')\n"
        "    raise RuntimeError('after writing rubbish into its folder')\n",
        "failed",
        "after writing rubbish into its folder",
    ),
}
METHODS = ["random", *BAD]
LIMITS = {"hours": 0.007, "memory_gb": 1.5}


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = copy_project(tmp_path_factory.mktemp("misbehaving"))
    for name, (body, *_) in BAD.items():
        put(project, name, body, DESCRIPTION.replace("X", name))
    done = run(project, write_config(project, methods=METHODS, limits=LIMITS))
    assert done.returncode == 0, done.stdout
    return project / "results" / "test"


@pytest.mark.parametrize("name", BAD)
def test_the_cells_of_a_misbehaving_method_say_what_it_did(name: str, results: Path) -> None:
    _, status, reason = BAD[name]
    record = json.loads((results / "fits" / "tiny_communities" / "train" / name / "seed-1" / "fit.json").read_text())
    assert record["status"] == status
    assert reason in record["reason"]
    table = pd.read_csv(results / "tables" / "link_prediction.csv")
    cells = table[table["method"] == name]
    assert len(cells)
    assert set(cells["status"]) == {status}
    assert cells["mean"].isna().all()
    assert record["reason"] in (results / "tables" / "status.csv").read_text()


def test_the_other_methods_are_not_disturbed(results: Path) -> None:
    table = pd.read_csv(results / "tables" / "link_prediction.csv")
    cells = table[table["method"] == "random"]
    assert set(cells["status"]) == {"ok"}
    assert cells["mean"].notna().all()


def test_the_next_run_tries_again_what_was_killed_and_nothing_else(results: Path) -> None:
    """Last in this file: it changes the results."""
    project = results.parents[1]
    records = {path: path.stat().st_mtime_ns for path in results.glob("fits/*/train/*/seed-1/fit.json")}
    config = write_config(project, methods=METHODS, limits=LIMITS)
    done = run(project, config)
    assert done.returncode == 0, done.stdout
    made_again = {path.parts[-3] for path, modified in records.items() if path.stat().st_mtime_ns != modified}
    assert made_again == {"is_killed_once"}
    table = pd.read_csv(results / "tables" / "link_prediction.csv")
    assert set(table[table["method"] == "is_killed_once"]["status"]) == {"ok"}
    assert "Nothing to be done" in run(project, config).stdout
