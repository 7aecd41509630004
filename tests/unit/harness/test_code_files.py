"""The files that a module depends on, found without running it."""

from pathlib import Path

import pytest

from harness.code_files import code_files
from harness.errors import UserError


def project(root: Path, **files: str) -> Path:
    """Files by module name, with `__` for the dot."""
    for name, text in files.items():
        path = root.joinpath(*name.split("__")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        (path.parent / "__init__.py").touch()
    for package in {path.parent for path in root.rglob("*.py")}:
        for parent in (package, *package.parents):
            if root in parent.parents:
                (parent / "__init__.py").touch()
    return root


def found(module: str, root: Path) -> set[str]:
    return {str(path.relative_to(root)) for path in code_files(module, root) if path.name != "__init__.py"}


def test_imports_are_followed_through_modules(tmp_path: Path) -> None:
    root = project(
        tmp_path,
        methods__a__fit="from networks.network import Network\nimport numpy as np\n",
        networks__network="import harness.files\n",
        harness__files="",
        networks__unused="",
        methods__b__fit="",
    )
    assert found("methods.a.fit", root) == {"methods/a/fit.py", "networks/network.py", "harness/files.py"}


def test_a_module_imported_from_its_package_is_followed(tmp_path: Path) -> None:
    root = project(tmp_path, methods__a__fit="from methods.walks import temporal, other\n", methods__walks__temporal="")
    assert found("methods.a.fit", root) == {"methods/a/fit.py", "methods/walks/temporal.py"}


def test_relative_imports_and_imports_inside_functions_are_followed(tmp_path: Path) -> None:
    root = project(
        tmp_path,
        methods__a__fit="from . import loss\ndef f():\n    from .model import M\n    from ..walks.temporal import w\n",
        methods__a__model="",
        methods__a__loss="",
        methods__walks__temporal="",
    )
    assert found("methods.a.fit", root) == {
        "methods/a/fit.py",
        "methods/a/model.py",
        "methods/a/loss.py",
        "methods/walks/temporal.py",
    }


def test_packages_on_the_way_count_because_importing_runs_them(tmp_path: Path) -> None:
    root = project(tmp_path, methods__a__fit="", methods__shared="")
    (root / "methods" / "a" / "__init__.py").write_text("import methods.shared\n")
    assert {str(path.relative_to(root)) for path in code_files("methods.a.fit", root)} == {
        "methods/__init__.py",
        "methods/a/__init__.py",
        "methods/a/fit.py",
        "methods/shared.py",
    }


def test_the_description_beside_a_module_belongs_to_it(tmp_path: Path) -> None:
    root = project(tmp_path, methods__a__fit="")
    (root / "methods" / "a" / "method.yaml").touch()
    assert found("methods.a.fit", root) == {"methods/a/fit.py", "methods/a/method.yaml"}


def test_modules_that_import_each_other_end(tmp_path: Path) -> None:
    root = project(tmp_path, networks__a="import networks.b", networks__b="import networks.a")
    assert found("networks.a", root) == {"networks/a.py", "networks/b.py"}


def test_an_edit_that_adds_an_import_is_noticed(tmp_path: Path) -> None:
    root = project(tmp_path, networks__a="", networks__b="")
    assert found("networks.a", root) == {"networks/a.py"}
    (root / "networks" / "a.py").write_text("import networks.b")
    assert found("networks.a", root) == {"networks/a.py", "networks/b.py"}


def test_a_file_that_does_not_parse_is_still_named(tmp_path: Path) -> None:
    root = project(tmp_path, methods__a__fit="def (:\n")
    assert found("methods.a.fit", root) == {"methods/a/fit.py"}


def test_an_unknown_module_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"methods\.none\.fit: no such module"):
        code_files("methods.none.fit", project(tmp_path, methods__a__fit=""))


def test_nothing_is_executed(tmp_path: Path) -> None:
    root = project(tmp_path, methods__a__fit="raise SystemExit('this ran')\n")
    assert found("methods.a.fit", root) == {"methods/a/fit.py"}


def test_imports_for_type_checkers_are_not_followed(tmp_path: Path) -> None:
    text = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import networks.b\nimport networks.c\n"
    root = project(tmp_path, networks__a=text, networks__b="", networks__c="")
    assert found("networks.a", root) == {"networks/a.py", "networks/c.py"}
