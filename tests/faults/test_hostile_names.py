"""No name of a folder, file, label or value is ever run as a command, taken for an option, or shown as HTML."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from harness.errors import UserError
from tests.faults.small_run import run, write_config
from tests.integration.project_copy import copy_project
from tests.integration.scratch_methods import DESCRIPTION, put
from workflow.configuration import read_configuration

HOSTILE = 'it\'s a "name" $(touch pwned) `touch pwned`; touch pwned & | > pwned # \\ * ? [x] ~ %s ünï ☃'
OWN_FILES = ("-rf --help", "digg", "$(touch pwned)", "a b; touch pwned", "it's.txt", "line\nbreak", "ünï☃")
NODES = 40
CONTACTS = "".join(f"{u} {(u * k + k) % NODES} {u * k}\n" for k in range(2, 14) for u in range(NODES))
TAKES_A_TEXT = ", parameters: {mode: {type: string, default: plain, description: any text}}}"
IS_VALID = """
    assert isinstance(params["mode"], str)
    with run.epoch(1, "edges"):
        return np.random.default_rng(run.seed).normal(size=(network.n_nodes, 4)).astype(np.float32)
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project in a folder with a hostile name."""
    folder = tmp_path_factory.mktemp("hostile") / HOSTILE
    folder.mkdir()
    return copy_project(folder)


def assert_nothing_was_run(project: Path) -> None:
    assert [path for path in (*project.parent.iterdir(), *project.rglob("*")) if path.name == "pwned"] == []


def test_a_run_with_hostile_names_everywhere_comes_out_as_any_other(project: Path) -> None:
    (project / HOSTILE.replace("/", "")).write_text(CONTACTS)
    vectors = project / f"{HOSTILE} vectors.npy"
    np.save(vectors, np.random.default_rng(1).normal(size=(NODES, 4)))
    put(project, "takes_a_text", IS_VALID, DESCRIPTION.replace("}", TAKES_A_TEXT))
    config = write_config(
        project,
        datasets=[{"name": "own", "path": HOSTILE, "label": "<script>alert(1)</script>"}],
        methods=["random", "takes_a_text"],
        parameters={"takes_a_text": {"mode": HOSTILE}},
        embeddings={"given": {"label": "<img src=x onerror=alert(1)>" + HOSTILE, "files": {"own": vectors.name}}},
        sensitivity={"dataset": "own", "method": "takes_a_text", "parameters": {"mode": ["plain", "$(touch pwned)"]}},
    )
    done = run(project, config)
    assert done.returncode == 0, done.stdout
    results = project / "results" / "test"
    with (results / "tables" / "link_prediction.csv").open() as file:
        cells = list(csv.DictReader(file))
    assert {cell["method"] for cell in cells} == {"random", "takes_a_text", "given"}
    assert {cell["status"] for cell in cells} == {"ok"}
    record = json.loads((results / "fits" / "own" / "train" / "takes_a_text" / "seed-1" / "fit.json").read_text())
    assert record["parameters"]["mode"] == HOSTILE
    page = (results / "index.html").read_text()
    assert "<script>alert" not in page
    assert "<img src=x" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert_nothing_was_run(project)


def test_files_of_any_name_are_prepared_as_networks(project: Path) -> None:
    for name in OWN_FILES:
        (project / name).write_text(CONTACTS)
    datasets = [{"name": f"own_{number}", "path": name} for number, name in enumerate(OWN_FILES)]
    config = write_config(project, run="names", datasets=datasets)
    audits = [f"results/names/networks/{dataset['name']}/audit.json" for dataset in datasets]
    done = run(project, config, "--", *audits)
    assert done.returncode == 0, done.stdout
    assert [json.loads((project / audit).read_text())["nodes"] for audit in audits] == [NODES] * len(OWN_FILES)
    assert_nothing_was_run(project)


@pytest.mark.parametrize("name", [HOSTILE, "../up", "/etc", "-x", "a b", "", ".", "Ünï", "a\nb", "a/b", "A"])
@pytest.mark.parametrize("key", ["run", "datasets", "methods", "embeddings"])
def test_a_name_that_becomes_part_of_a_path_is_refused_unless_it_is_plain(key: str, name: str) -> None:
    values = {
        "run": {"run": name},
        "datasets": {"datasets": [{"name": name, "path": "edges.txt"}]},
        "methods": {"methods": [name]},
        "embeddings": {"embeddings": {name: {"files": {"tiny_communities": "v.npy"}}}},
    }[key]
    sound = {"run": "x", "datasets": ["tiny_communities"], "methods": ["random"]}
    with pytest.raises(UserError):
        read_configuration(sound | values)


@pytest.mark.parametrize(
    "values",
    [
        {"datasets": [{"name": "own", "path": "a{b}.txt"}]},
        {"downloads": "{here}"},
        {"embeddings": {"given": {"files": {"tiny_communities": "}.npy"}}}},
    ],
)
def test_a_path_that_snakemake_would_misread_is_refused(values: dict[str, Any]) -> None:
    with pytest.raises(UserError, match=r"has a brace, which the workflow cannot handle; rename it"):
        read_configuration({"run": "x", "datasets": ["tiny_communities"], "methods": ["random"]} | values)
