"""A new method: the worked example of docs/add-a-method.md under a name of one's own."""

import keyword
import re
from pathlib import Path

from harness.files import write_text
from harness.schema import NAME, shown
from methods.contract.errors import MethodError
from methods.contract.registry import FOLDER, method_names

EXAMPLE = "decayed_factors"


def new_method(name: str, folder: Path = FOLDER) -> list[Path]:
    """Write the method's files and its test; return their paths. Nothing that exists is written over."""
    example = folder.parent / "docs" / "example_method"
    if not re.match(NAME, name) or keyword.iskeyword(name):
        raise MethodError(
            f"{shown(name)} is no name for a method; use small letters, digits and _, a letter first, no Python word"
        )
    if not example.is_dir():
        raise MethodError(f"{example}: no such folder; `new` works in a copy of the whole project")
    if {name, f"{name}_static"} & set(method_names(variants=True, folder=folder)):
        raise MethodError(f"{name}: a method or variant of this name, or {name}_static, exists; choose another")
    test = folder.parent / "tests" / "unit" / "methods" / f"test_{name}.py"
    for path in (folder / name, test):
        if path.exists():
            raise MethodError(f"{path}: exists; choose another name")
    texts = {
        test: (example / "test_fit.py").read_text(encoding="utf-8"),
        folder / name / "__init__.py": "",
        folder / name / "fit.py": (example / "fit.py").read_text(encoding="utf-8"),
        # Last: the folder is a method from when it has a description.
        folder / name / "method.yaml": (example / "method.yaml").read_text(encoding="utf-8"),
    }
    label = name.replace("_", " ").capitalize()
    for path, text in texts.items():
        write_text(path, text.replace(EXAMPLE, name).replace(EXAMPLE.replace("_", " ").capitalize(), label))
    return list(texts)
