"""CONTRIBUTING.md, README.md and CITATION.cff name what there is."""

import re
import tomllib
from pathlib import Path

import yaml

from methods.contract.registry import load_method, method_names

ROOT = Path(__file__).parents[2]


def test_every_file_and_folder_that_contributing_names_is_there() -> None:
    named = re.findall(r"`((?:\w+/)+[\w.]*)`", (ROOT / "CONTRIBUTING.md").read_text())
    assert len(named) > 20
    assert [path for path in named if "NAME" not in path and not (ROOT / path).exists()] == []


def test_the_readme_lists_the_methods_that_there_are() -> None:
    methods = [load_method(name) for name in method_names()]
    for role in ("proposed", "baseline", "control"):
        labels = ", ".join(method.label for method in methods if method.role == role)
        assert f"| {role} | {labels} |\n" in (ROOT / "README.md").read_text()


def test_the_version_to_cite_is_the_version_to_install() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert (citation["version"], citation["license"]) == (project["version"], project["license"])
