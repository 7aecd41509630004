"""Reads one `method.yaml`: what its keys may be, and one sentence for what is wrong with it."""

import string
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from harness.schema import NAME, breach, nearest
from harness.yaml_file import read_yaml
from methods.contract.errors import MethodError
from methods.contract.parameters import checked_value

PLACEHOLDERS = ("edges", "vectors", "nodes", "seed", "threads", "folder", "python")

_VALUE = {"type": ["integer", "number", "boolean", "string", "array", "null"]}
_TYPES = {"enum": ["integer", "number", "boolean", "string", "array", "null"]}
_COUNT = {"type": "integer", "minimum": 0}
_TEXT = {"type": "string", "minLength": 1}

# A parameter's schema is a closed part of JSON Schema: no `$ref`, which could reach out to the network, and no
# combinations, which could not be said in one sentence.
_CONSTRAINTS = {
    "type": {"anyOf": [_TYPES, {"type": "array", "items": _TYPES, "minItems": 1}]},
    "enum": {"type": "array", "minItems": 1},
    "minimum": {"type": "number"},
    "maximum": {"type": "number"},
    "exclusiveMinimum": {"type": "number"},
    "exclusiveMaximum": {"type": "number"},
    "multipleOf": {"type": "number", "exclusiveMinimum": 0},
    "minLength": _COUNT,
    "maxLength": _COUNT,
    "pattern": {"type": "string", "format": "regex"},
    "minItems": _COUNT,
    "maxItems": _COUNT,
    "uniqueItems": {"type": "boolean"},
}


def _record(properties: dict[str, Any], required: Iterable[str] = ()) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def _map(values: dict[str, Any], names: str) -> dict[str, Any]:
    return {"type": "object", "propertyNames": {"pattern": names}, "additionalProperties": values}


_ITEMS = _record(_CONSTRAINTS, ["type"])
_PARAMETER = _record(
    _CONSTRAINTS | {"items": _ITEMS, "default": _VALUE, "description": _TEXT}, ["default", "description"]
)
_VALUES = _map(_VALUE, "^[A-Za-z][A-Za-z0-9_]*$")

METHOD_SCHEMA = _record(
    {
        "label": _TEXT,
        "role": {"enum": ["proposed", "baseline", "control"]},
        "purpose": {"enum": ["extra"]},
        "citation": _TEXT,
        "description": _TEXT,
        "parameters": _map(_PARAMETER, "^[A-Za-z][A-Za-z0-9_]*$"),
        "search": _map({"type": "array", "minItems": 1}, "^[A-Za-z][A-Za-z0-9_]*$"),
        "variants": _map(
            _record(
                {
                    "label": _TEXT,
                    "description": _TEXT,
                    "purpose": {"enum": ["timing", "ablation", "extra"]},
                    "threads": {"type": "integer", "minimum": 1},
                    "parameters": _VALUES,
                },
                ["label", "purpose"],
            ),
            NAME,
        ),
        "needs": _record(
            {
                "threads": {"type": "integer", "minimum": 1},
                "gpu": {"type": "boolean"},
            }
        ),
        "deterministic": {"type": "boolean"},
        "thread_independent": {"type": "boolean"},
        "conformance": _VALUES,
        "command": {"type": "array", "items": {"type": "string"}, "minItems": 1},
    },
    ["label", "role", "citation", "description"],
)


def read_description(path: Path) -> dict[str, Any]:
    """The checked contents of a `method.yaml`, with the optional keys filled in."""
    description: dict[str, Any] = read_yaml(path, MethodError)
    problem = breach(description, METHOD_SCHEMA)
    if problem is not None:
        raise MethodError(f"{path}: {problem}")
    for key in ("parameters", "search", "variants", "needs", "conformance"):
        description.setdefault(key, {})
    _check_values(path, description)
    _check_command(path, description)
    return description


def _check_values(path: Path, description: dict[str, Any]) -> None:
    """Every value that the file gives for a parameter must be one that it allows."""
    properties = description["parameters"]
    given: list[tuple[str, dict[str, Any]]] = [
        ("parameters", {key: schema["default"] for key, schema in properties.items()}),
        ("conformance", description["conformance"]),
    ]
    given += [(f"search.{key}", {key: value}) for key, values in description["search"].items() for value in values]
    given += [(f"variants.{name}", variant.get("parameters", {})) for name, variant in description["variants"].items()]
    for place, values in given:
        for key, value in values.items():
            checked_value(properties, key, value, f"{path}: key {place}")


def _check_command(path: Path, description: dict[str, Any]) -> None:
    """Every placeholder must be known and mean one thing: a parameter cannot have the name of one that we fill in."""
    if "command" not in description:
        return
    properties = description["parameters"]
    for key in properties:
        if key in PLACEHOLDERS:
            raise MethodError(
                f"{path}: key parameters.{key}: in a command {{{key}}} has a meaning already; choose another name"
            )
    for word in description["command"]:
        _check_placeholders(path, word, [*PLACEHOLDERS, *properties])


def _check_placeholders(path: Path, word: str, known: list[str]) -> None:
    try:
        fields = [(name, spec, conversion) for _, name, spec, conversion in string.Formatter().parse(word)]
    except ValueError as error:
        raise MethodError(f"{path}: key command: {word!r}: {error}") from None
    for name, spec, conversion in fields:
        if name is not None and (name not in known or spec or conversion):
            raise MethodError(f"{path}: key command: unknown placeholder in {word!r}{nearest(name, known)}")
