"""pyproject.toml tells the truth: what is imported is a dependency, and what is no Python file is package data."""

import ast
import sys
import tomllib
from importlib.metadata import packages_distributions, version
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
PACKAGES = ("harness", "networks", "methods", "evaluation", "workflow")
# networks.interchange hands its objects only to who has it.
NOT_OURS = {"torch_geometric"}


def requirements(*extras: str) -> dict[str, Requirement]:
    project = PROJECT["project"]
    lines = project["dependencies"] + [line for extra in extras for line in project["optional-dependencies"][extra]]
    return {canonicalize_name(found.name): found for found in map(Requirement, lines)}


def imported(package: str) -> set[str]:
    """Top-level modules, of other projects, that a package's files import anywhere in them."""
    names: set[str] = set()
    for file in (ROOT / package).rglob("*.py"):
        if file.with_name("environment.yaml").exists():  # a method with packages of its own
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.split(".")[0])
    return names - sys.stdlib_module_names - set(PACKAGES) - NOT_OURS


@pytest.mark.parametrize("package", PACKAGES)
def test_every_import_has_its_dependency(package: str) -> None:
    named = requirements("workflow") if package == "workflow" else requirements()
    distributions = packages_distributions()
    missing = {name for name in imported(package) if canonicalize_name(distributions[name][0]) not in named}
    assert missing == set()


@pytest.mark.parametrize("name", sorted(requirements("workflow")))
def test_what_is_tested_satisfies_the_lower_bound(name: str) -> None:
    assert requirements("workflow")[name].specifier.contains(version(name))


def test_every_data_file_of_a_package_is_installed_with_it() -> None:
    patterns = PROJECT["tool"]["setuptools"]["package-data"]
    suffixes = {".yaml", ".html", ".csv", ".smk", ".rst"}
    for package in PACKAGES:
        files = {path for path in (ROOT / package).rglob("*") if path.suffix in suffixes}
        covered = {path for pattern in patterns.get(package, ()) for path in (ROOT / package).glob(pattern)}
        assert {path for path in files - covered if "downloads" not in path.parts} == set()
