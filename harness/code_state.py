"""A short name for what code does, so that a step is stale when its code changed and not when a comment did.

Python files count by their syntax tree, without comments, layout, positions and docstrings; other files by their bytes.
"""

import ast
import hashlib
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path

from harness.code_files import ROOT, code_files, syntax_tree

DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
LETTERS = 16


def module_state(module_name: str, root: Path = ROOT) -> str:
    """The state of a module and of all project modules that it imports, directly or not."""
    return files_state((path for path in code_files(module_name, root) if path.suffix == ".py"), root)


def files_state(files: Iterable[Path], root: Path = ROOT) -> str:
    """The state of these files: which they are, and what each does."""
    digest = hashlib.sha256()
    for path in sorted(files):
        status = path.stat()
        digest.update(f"{path.relative_to(root)} {_file_state(path, status.st_mtime_ns, status.st_size)}\n".encode())
    return digest.hexdigest()[:LETTERS]


@lru_cache(maxsize=1024)
def _file_state(path: Path, modified: int, size: int) -> str:
    tree = syntax_tree(path, modified) if path.suffix == ".py" else None
    return hashlib.sha256(path.read_bytes() if tree is None else _meaning(tree)).hexdigest()


def _meaning(tree: ast.Module) -> bytes:
    """The tree without its docstrings; they are taken from it, which no reader of its imports will miss."""
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            del node.body[0]
    return ast.dump(tree).encode()
