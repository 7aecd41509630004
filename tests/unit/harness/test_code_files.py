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


# What is asked for, the files that there are by module name, and those of them that it depends on.
IMPORTS: dict[str, tuple[str, dict[str, str], set[str]]] = {
    "imports are followed through modules": (
        "methods.a.fit",
        {
            "methods__a__fit": "from networks.network import Network\nimport numpy as np\n",
            "networks__network": "import harness.files\n",
            **dict.fromkeys(("harness__files", "networks__unused", "methods__b__fit"), ""),
        },
        {"methods/a/fit.py", "networks/network.py", "harness/files.py"},
    ),
    "modules imported from their package are followed": (
        "methods.a.fit",
        {"methods__a__fit": "from methods.walks import temporal, other\n", "methods__walks__temporal": ""},
        {"methods/a/fit.py", "methods/walks/temporal.py"},
    ),
    "relative imports and those inside functions are followed": (
        "methods.a.fit",
        {
            "methods__a__fit": "from . import loss\n"
            "def f():\n    from .model import M\n    from ..walks.forward import w\n",
            **dict.fromkeys(("methods__a__model", "methods__a__loss", "methods__walks__forward"), ""),
        },
        {"methods/a/fit.py", "methods/a/model.py", "methods/a/loss.py", "methods/walks/forward.py"},
    ),
    "modules that import each other end": (
        "networks.a",
        {"networks__a": "import networks.b", "networks__b": "import networks.a"},
        {"networks/a.py", "networks/b.py"},
    ),
    "a file that does not parse is still named": ("networks.a", {"networks__a": "def (:\n"}, {"networks/a.py"}),
    "nothing is executed": ("networks.a", {"networks__a": "raise SystemExit('this ran')\n"}, {"networks/a.py"}),
    "imports for type checkers are not followed": (
        "networks.a",
        {
            "networks__a": "from typing import TYPE_CHECKING\n"
            "if TYPE_CHECKING:\n    import networks.b\nimport networks.c\n",
            **dict.fromkeys(("networks__b", "networks__c"), ""),
        },
        {"networks/a.py", "networks/c.py"},
    ),
}


@pytest.mark.parametrize(("module", "files", "expected"), IMPORTS.values(), ids=IMPORTS.keys())
def test_the_files_of_a_module_are_found(
    module: str, files: dict[str, str], expected: set[str], tmp_path: Path
) -> None:
    assert found(module, project(tmp_path, **files)) == expected


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


def test_an_edit_that_adds_an_import_is_noticed(tmp_path: Path) -> None:
    root = project(tmp_path, networks__a="", networks__b="")
    assert found("networks.a", root) == {"networks/a.py"}
    (root / "networks" / "a.py").write_text("import networks.b")
    assert found("networks.a", root) == {"networks/a.py", "networks/b.py"}


def test_an_unknown_module_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"methods\.none\.fit: no such module"):
        code_files("methods.none.fit", project(tmp_path, methods__a__fit=""))
