"""The methods there are: folders with a `method.yaml`, and their variants, found by looking; nothing is registered.

Importing this module is cheap (no numpy, numba or torch), because the workflow asks it for names and schemas.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

from harness.code_files import code_files
from harness.schema import NAME, nearest, shown
from methods.contract.description import read_description
from methods.contract.errors import MethodError
from methods.contract.parameters import complete_parameters

FOLDER = Path(__file__).parents[1]


@dataclass(frozen=True)
class Method:
    """What `method.yaml` says of a method, or of a variant of it: the same code under other settings.

    `parameters` are the JSON Schema properties, `defaults` the values (a variant's own on top). `purpose` is "timing",
    "ablation" or "extra" for a variant, which also names its method in `variant_of`; "extra" for a method that stands
    apart from the comparison; else None. `variants` are the settings of each variant by its name. `deterministic`: any
    seed gives the same; `thread_independent`: any number of threads does.
    """

    name: str
    label: str
    role: Literal["proposed", "baseline", "control"]
    citation: str
    description: str
    parameters: dict[str, dict[str, Any]]
    defaults: dict[str, Any]
    search: dict[str, list[Any]]
    variants: dict[str, dict[str, Any]]
    needs: dict[str, Any]
    kind: Literal["fit", "score", "command"]
    folder: Path
    threads: int = 1
    variant_of: str | None = None
    purpose: Literal["timing", "ablation", "extra"] | None = None
    command: tuple[str, ...] = ()
    deterministic: bool = False
    thread_independent: bool = False
    conformance: dict[str, Any] = field(default_factory=dict)

    @property
    def module(self) -> str:
        """The module with the method's function; a `command` method has none."""
        return f"methods.{self.folder.name}.{self.kind}"

    @property
    def environment(self) -> Path | None:
        """The file of the environment that the method needs, if it is not that of the harness."""
        path = self.folder / "environment.yaml"
        return path if path.exists() else None


def method_names(variants: bool = False, folder: Path = FOLDER) -> list[str]:
    """The methods in alphabetical order; with `variants`, each is followed by its variants."""
    names = sorted(path.parent.name for path in folder.glob("*/method.yaml"))
    for name in names:
        if not re.match(NAME, name):
            raise MethodError(
                f"{folder / name}: the name of a method's folder is small letters, digits and _, a letter first"
            )
    if not variants:
        return names
    everything = [entry for name in names for entry in (name, *_read(folder / name).variants)]
    for name in everything:
        if everything.count(name) > 1:
            owners = [owner for owner in names if name == owner or name in _read(folder / owner).variants]
            raise MethodError(
                f"{folder / owners[-1] / 'method.yaml'}: key variants.{name}: the name is taken; choose another"
            )
    return everything


def load_method(name: str, folder: Path = FOLDER) -> Method:
    """The method or variant of this name."""
    names = method_names(folder=folder)
    if name in names:
        return _read(folder / name)
    for owner in names:
        if name in _read(folder / owner).variants:
            return _variant(_read(folder / owner), name)
    raise MethodError(f"no method named {name!r}{nearest(name, method_names(variants=True, folder=folder))}")


def resolve(name: str, section: Mapping[str, Mapping[str, Any]] | None = None, folder: Path = FOLDER) -> dict[str, Any]:
    """All parameters of a method under a configuration's `parameters:` section.

    Later ones win: the schema's defaults, what the section says of the method, the variant's own settings, what the
    section says of the variant.
    """
    section = section or {}
    method = load_method(name, folder)
    owner = load_method(method.variant_of, folder) if method.variant_of else method
    values = complete_parameters(owner.parameters, section.get(owner.name) or {}, f"parameters.{owner.name}")
    if method.variant_of:
        values |= {key: method.defaults[key] for key in owner.variants[name].get("parameters", {})}
        values = complete_parameters(method.parameters, section.get(name) or {}, f"parameters.{name}", values)
    return values


def parameters_schema(folder: Path = FOLDER) -> dict[str, Any]:
    """JSON Schema of a configuration's `parameters:` section, assembled from all folders.

    Defaults stand in the descriptions: as keywords a validator may fill them in (Snakemake's does), and what is filled
    in for a variant would hide what the configuration says of its method.
    """
    methods = [load_method(name, folder) for name in method_names(variants=True, folder=folder)]
    return {
        "type": "object",
        "description": "parameters that differ from the methods' defaults, by method or variant",
        "properties": {
            method.name: {
                "type": "object",
                "description": method.label,
                "properties": {key: _without_default(method, key) for key in method.parameters},
                "additionalProperties": False,
            }
            for method in methods
        },
        "additionalProperties": False,
    }


def _without_default(method: Method, key: str) -> dict[str, Any]:
    schema = {keyword: value for keyword, value in method.parameters[key].items() if keyword != "default"}
    return schema | {"description": f"{schema['description']} (default: {shown(method.defaults[key])})"}


def method_code(name: str, folder: Path = FOLDER) -> list[Path]:
    """The files that a method's result depends on: the modules it imports, its description, or its program."""
    method = load_method(name, folder)
    if method.kind == "command":
        return sorted(path for path in method.folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    described = [method.folder / "method.yaml", *filter(None, [method.environment])]
    return sorted({*code_files(method.module, root=folder.parent), *described})


def _read(folder: Path) -> Method:
    path = folder / "method.yaml"
    status = path.stat()
    return _read_version(path, status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=256)
def _read_version(path: Path, modified: int, size: int) -> Method:
    """Reading YAML takes milliseconds and a workflow asks hundreds of times; an edited file is read anew."""
    description = read_description(path)
    for name in description["variants"]:
        if name == path.parent.name:
            raise MethodError(f"{path}: key variants.{name}: the name is taken by the method itself; choose another")
    return Method(
        name=path.parent.name,
        label=description["label"],
        role=description["role"],
        citation=description["citation"],
        description=description["description"],
        parameters=description["parameters"],
        defaults=complete_parameters(description["parameters"], {}, str(path)),
        search=description["search"],
        variants=description["variants"],
        needs=description["needs"],
        kind=_kind(path, description),
        folder=path.parent,
        threads=description["needs"].get("threads", 1),
        purpose=description.get("purpose"),
        command=tuple(description.get("command", ())),
        deterministic=description.get("deterministic", False),
        thread_independent=description.get("thread_independent", False),
        conformance=description["conformance"],
    )


def _kind(path: Path, description: dict[str, Any]) -> Literal["fit", "score", "command"]:
    kinds: list[Literal["fit", "score", "command"]] = []
    if (path.parent / "fit.py").exists():
        kinds.append("fit")
    if (path.parent / "score.py").exists():
        kinds.append("score")
    if "command" in description:
        kinds.append("command")
    if len(kinds) != 1:
        found = " and ".join(kinds) or "none"
        raise MethodError(f"{path}: a method has one of fit.py, score.py and the key command; found {found}")
    return kinds[0]


def _variant(owner: Method, name: str) -> Method:
    settings = owner.variants[name]
    return replace(
        owner,
        name=name,
        label=settings["label"],
        description=settings.get("description", owner.description),
        defaults=complete_parameters(
            owner.parameters, settings.get("parameters", {}), f"variants.{name}", owner.defaults
        ),
        variants={},
        threads=settings.get("threads", owner.threads),
        variant_of=owner.name,
        purpose=settings["purpose"],
    )
