"""Names that a package offers but loads only when somebody asks: `import methods` must not load torch.

Modules are named by text, so that code_files.py does not count them among the files that every step depends on.
"""

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any


def lazily(package: str, names: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """The package's `__getattr__`: `names` of every module of the package."""
    places = {name: f"{package}.{module}" for module, offered in names.items() for name in offered}

    def load(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(importlib.import_module(places[name]), name)

    return load
