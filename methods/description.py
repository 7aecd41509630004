"""Reads one `method.yaml`: what its keys may be, and one sentence for what is wrong with it."""

import string
from collections.abc import Hashable, Iterable
from pathlib import Path
from typing import Any

import yaml

from datasets.schema import NAME, breach, nearest
from methods.errors import MethodError
from methods.parameters import checked_value

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


class _PlainLoader(yaml.SafeLoader):
    """YAML without aliases (a few lines of them can unfold to gigabytes) and without a key that stands twice."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise yaml.MarkedYAMLError(problem="aliases (*name) are not read here", problem_mark=mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key_node, _ in node.value:
            if not isinstance(key_node, yaml.ScalarNode) or not isinstance(self.construct_object(key_node), str):
                problem = "a key must be a text; quote it if it looks like a number, yes, no, on or off"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key_node.start_mark)
            if key_node.value in seen:
                problem = f"the key {key_node.value} stands twice"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key_node.start_mark)
            seen.add(key_node.value)
        return super().construct_mapping(node, deep)


def read_description(path: Path) -> dict[str, Any]:
    """The checked contents of a `method.yaml`, with the optional keys filled in."""
    description: dict[str, Any] = _load(path)
    problem = breach(description, METHOD_SCHEMA)
    if problem is not None:
        raise MethodError(f"{path}: {problem}")
    for key in ("parameters", "search", "variants", "needs", "conformance"):
        description.setdefault(key, {})
    _check_values(path, description)
    _check_command(path, description)
    return description


def _load(path: Path) -> Any:
    try:
        # A SafeLoader: it makes no Python objects.
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_PlainLoader)  # noqa: S506
    except yaml.MarkedYAMLError as error:
        line = f":{error.problem_mark.line + 1}" if error.problem_mark else ""
        raise MethodError(f"{path}{line}: {error.problem}") from None
    except yaml.YAMLError as error:
        raise MethodError(f"{path}: not YAML ({' '.join(str(error).split())})") from None
    except UnicodeDecodeError:
        raise MethodError(f"{path}: not UTF-8 text") from None
    except OSError as error:
        raise MethodError(f"{path}: cannot be read ({error.strerror})") from None
    except (RecursionError, ValueError, TypeError) as error:
        # Nesting without end, dates such as 2020-99-99, numbers of thousands of digits.
        raise MethodError(f"{path}: not readable as YAML ({error})") from None


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
