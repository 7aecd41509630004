"""CONTRIBUTING.md and CITATION.cff name what there is."""

import re
import tomllib
from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]


def test_every_file_and_folder_that_contributing_names_is_there() -> None:
    named = re.findall(r"`((?:\w+/)+[\w.]*)`", (ROOT / "CONTRIBUTING.md").read_text())
    assert len(named) > 20
    assert [path for path in named if "NAME" not in path and not (ROOT / path).exists()] == []


def test_the_version_to_cite_is_the_version_to_install() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (citation["version"], citation["license"]) == (project["version"], project["license"])
