"""The version of the evaluation that made a result: a hash of the code that decides it, and of the examples it used.

Numbers of two versions must not stand in one table. Comments, docstrings and blank lines do not change the version.
"""

import ast
import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
# What decides a number, given the vectors and the examples.
CODE = {
    "link prediction": (
        *("embeddings.py", "examples/negatives.py", "examples/example_set.py", "examples/protocols.py"),
        *("link_prediction/evaluate.py", "link_prediction/classifier.py", "link_prediction/operators.py"),
        *("link_prediction/features.py", "link_prediction/liblinear_fit.py", "link_prediction/newton.py"),
        "link_prediction/metrics.py",
    ),
    "ranking": (
        *("embeddings.py", "examples/example_set.py", "ranking/queries.py", "ranking/ranks.py"),
        *("link_prediction/classifier.py", "link_prediction/operators.py", "link_prediction/features.py"),
        "link_prediction/newton.py",
    ),
    "reconstruction": ("embeddings.py", "reconstruction/precision.py"),
}
UNKNOWN = "unknown"  # results that were made before versions were stored


@cache
def code_version(task: str) -> str:
    """Eight digits of the hash of a task's code."""
    return code_hash((FOLDER / name).read_text(encoding="utf-8") for name in CODE[task])


def code_hash(sources: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for source in sources:
        digest.update(ast.dump(without_docstrings(ast.parse(source))).encode())
    return digest.hexdigest()[:8]


def without_docstrings(tree: ast.Module) -> ast.Module:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:]
    return tree


def version_on(task: str, examples_sha256: str) -> str:
    """`code-examples`: results of one draw compare only if both parts are equal."""
    return f"{code_version(task)}-{examples_sha256[:8]}"
