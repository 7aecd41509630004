"""Which of the project's files a module depends on, found by reading import statements, without running any.

The workflow names these files as inputs of a step, so that an edit reruns the steps that use the edited file and no
other. A module loaded by a computed name (`importlib.import_module(f"…")`) is not seen.
"""

import ast
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from harness.errors import UserError

ROOT = Path(__file__).parent.parent
PACKAGES = ("harness", "networks", "methods", "evaluation")


def code_files(module_name: str, root: Path = ROOT) -> list[Path]:
    """The file of a module, those of all project modules that it imports, directly or not, and their packages'.

    A `method.yaml` beside one of them belongs to them. Paths are absolute and sorted.
    """
    if _file(module_name, root) is None:
        raise UserError(f"{module_name}: no such module under {root}")
    found: dict[str, Path] = {}
    waiting = [module_name]
    while waiting:
        name = waiting.pop()
        path = _file(name, root)
        if name in found or path is None:
            continue
        found[name] = path
        waiting += _parents(name)
        waiting += _imported_modules(path, name, path.stat().st_mtime_ns)
    descriptions = {path.with_name("method.yaml") for path in found.values()}
    return sorted({*found.values(), *(path for path in descriptions if path.exists())})


def _file(module_name: str, root: Path) -> Path | None:
    parts = module_name.split(".")
    if parts[0] not in PACKAGES:
        return None
    base = root.joinpath(*parts)
    return next((path for path in (base.with_suffix(".py"), base / "__init__.py") if path.is_file()), None)


def _parents(module_name: str) -> list[str]:
    """Importing a.b.c runs the `__init__.py` of a and of a.b first."""
    parts = module_name.split(".")
    return [".".join(parts[:length]) for length in range(1, len(parts))]


@lru_cache(maxsize=1024)
def syntax_tree(path: Path, modified: int) -> ast.Module | None:
    """What the file says; None if it does not parse: the step that runs it will say what is wrong with it."""
    try:
        return ast.parse(path.read_bytes(), filename=str(path))
    except (SyntaxError, ValueError, RecursionError):
        return None


@lru_cache(maxsize=1024)
def _imported_modules(path: Path, module_name: str, modified: int) -> tuple[str, ...]:
    """Names that the file's import statements may mean; `from a import b` may mean the module a.b or a name in a."""
    tree = syntax_tree(path, modified)
    if tree is None:
        return ()
    package = module_name if path.name == "__init__.py" else module_name.rpartition(".")[0]
    names: list[str] = []
    for node in _statements_that_run(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")[: len(package.split(".")) - node.level + 1]
                base = ".".join([*above, base] if base else above)
            names += [base, *(f"{base}.{alias.name}" for alias in node.names)]
    return tuple(name for name in names if name.split(".")[0] in PACKAGES)


def _statements_that_run(tree: ast.AST) -> Iterator[ast.AST]:
    """All nodes but those under `if TYPE_CHECKING:`, which only type checkers read."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        yield node
        yield from _statements_that_run(node)
