"""Parameters of a method: checked against its own schema, completed with defaults, read from `key=value` words."""

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from jsonschema import Draft202012Validator

from harness.schema import allowed, nearest, shown, types
from methods.contract.errors import MethodError

Properties = Mapping[str, Mapping[str, Any]]

_WORDS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def complete_parameters(
    properties: Properties, given: Mapping[str, Any], where: str, defaults: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """All parameters of a method: `given` where it says something, `defaults` (or the schema's) elsewhere.

    `where` names the place that `given` comes from, for the sentence to the user.
    """
    if not isinstance(given, Mapping):
        raise MethodError(f"{where}: parameters are a mapping of names to values, not {shown(given)}")
    values = {key: schema["default"] for key, schema in properties.items()} | dict(defaults or {})
    values |= {key: checked_value(properties, key, value, where) for key, value in given.items()}
    return values


def checked_value(properties: Properties, key: str, value: Any, where: str) -> Any:
    """The value in the type that the schema names, or one sentence about why it cannot be had."""
    if key not in properties:
        raise MethodError(f"{where}: unknown parameter {key!r}{nearest(key, properties)}")
    schema = properties[key]
    if not finite(value) or not Draft202012Validator(schema).is_valid(value):
        raise MethodError(f"{where}: parameter {key} is {shown(value)}, but must be {allowed(schema)}")
    return _in_schema_type(value, types(schema))


def _in_schema_type(value: Any, names: tuple[str, ...]) -> Any:
    """1 and 1.0 are the same to JSON Schema but not to a compiled kernel, so a number is always a float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if "integer" in names and (isinstance(value, int) or value.is_integer()):
        return int(value)
    return float(value) if "number" in names else value


def finite(value: Any) -> bool:
    """Whether numbers in it fit 64 bits: comparisons with NaN are false, so that bounds would let it pass."""
    if isinstance(value, list):
        return all(finite(item) for item in value)
    if isinstance(value, int):
        return abs(value) < 2**63
    return not isinstance(value, float) or math.isfinite(value)


def parse_settings(properties: Properties, words: Iterable[str]) -> dict[str, Any]:
    """Read `key=value` words, each value in the type that the schema of its key names."""
    values: dict[str, Any] = {}
    for word in words:
        key, equals, text = word.partition("=")
        key = key.strip()
        if not equals:
            raise MethodError(f"--set {word}: write it as key=value")
        if key in values:
            raise MethodError(f"--set {word}: {key} is set twice")
        if key not in properties:
            raise MethodError(f"--set {word}: unknown parameter {key!r}{nearest(key, properties)}")
        values[key] = checked_value(properties, key, _parse_value(text.strip(), properties[key]), f"--set {word}")
    return values


def _parse_value(text: str, schema: Mapping[str, Any]) -> Any:
    """The first reading of the text that the schema's types offer; the text itself if none fits, to be refused."""
    names = types(schema)
    if "null" in names and text in ("null", "none", ""):
        return None
    if "boolean" in names and text.lower() in _WORDS:
        return _WORDS[text.lower()]
    for name, read in (("integer", int), ("number", float), ("array", json.loads)):
        if name in names:
            try:
                return read(text)
            except ValueError:
                continue
    return text


def as_settings(parameters: Mapping[str, Any]) -> list[str]:
    """The `key=value` words that `parse_settings` reads back to the same parameters."""
    return [f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in parameters.items()]
