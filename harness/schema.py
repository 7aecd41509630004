"""What a JSON Schema says about a value, in one sentence for the user, and the nearest name for a mistyped one."""

import difflib
import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

from jsonschema import Draft202012Validator, ValidationError
from jsonschema.exceptions import relevance
from jsonschema.validators import extend

_ARTICLES = {
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "string": "a text",
    "array": "a list",
    "object": "a mapping of keys to values",
    "null": "null",
}
# What a network, a method or a file of vectors may be called, and what a run may. `$` alone lets a newline pass.
NAME = r"^[a-z][a-z0-9_]*(?!\n)$"
RUN_NAME = r"^[a-z][a-z0-9_-]*(?!\n)$"
_NAMES = {NAME: "small letters, digits and _", RUN_NAME: "small letters, digits, _ and -"}
_BOUNDS = {
    "minimum": "at least {}",
    "exclusiveMinimum": "more than {}",
    "maximum": "at most {}",
    "exclusiveMaximum": "less than {}",
    "multipleOf": "a multiple of {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} items",
    "maxItems": "at most {} items",
    "minProperties": "at least {} keys",
    "pattern": "matching {}",
}


def _is_integer(_checker: Any, value: Any) -> bool:
    """JSON has one kind of number, so a JSON Schema takes 2.0 for an integer; a range or a file name does not."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(checker: Any, value: Any) -> bool:
    """YAML has .nan and .inf, which pass every bound or none."""
    return _is_integer(checker, value) or (isinstance(value, float) and math.isfinite(value))


Validator = extend(
    Draft202012Validator,
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine_many({"integer": _is_integer, "number": _is_number}),
)


def breach(value: Any, schema: Mapping[str, Any]) -> str | None:
    """One sentence about what does not fit the schema, with the path of keys that leads to it; None if all fits."""
    validator = Validator(schema, format_checker=Draft202012Validator.FORMAT_CHECKER)
    error = max(validator.iter_errors(value), key=_rank, default=None)
    return None if error is None else _sentence(error)


def _rank(error: ValidationError) -> Any:
    """Of several breaches a misspelt key is told first: a missing one is often the same mistake."""
    return error.validator == "additionalProperties", relevance(error)


def _sentence(error: ValidationError) -> str:
    key = ".".join(str(part) for part in error.absolute_path)
    place = f"key {key}: " if key else ""
    schema: Any = error.schema
    instance: Any = error.instance
    if error.validator == "additionalProperties":
        unknown = next(name for name in instance if name not in schema.get("properties", {}))
        return f"{place}unknown key {unknown!r}{nearest(unknown, schema.get('properties', {}))}"
    if error.validator == "required":
        missing = next(name for name in schema["required"] if name not in instance)
        return f"{place}the key {missing!r} is missing"
    if error.validator == "uniqueItems":
        return f"{place}{shown(instance)} names something twice"
    if error.validator == "pattern" and error.validator_value in _NAMES:
        return f"{place}{shown(instance)} is no name; use {_NAMES[error.validator_value]}, a letter first"
    if error.validator in ("anyOf", "format"):
        return f"{place}{shown(instance)} is none of the forms that are allowed here"
    return f"{f'key {key} ' if key else ''}is {shown(instance)}, but must be {allowed(schema)}"


def allowed(schema: Mapping[str, Any]) -> str:
    """What the schema admits, in words: "an integer, at least 1"."""
    if "enum" in schema:
        return "one of " + ", ".join(shown(value) for value in schema["enum"])
    kinds = " or ".join(_ARTICLES[name] for name in types(schema)) or "a value"
    bounds = [_bound(keyword, schema[keyword]) for keyword in _BOUNDS if keyword in schema]
    if schema.get("uniqueItems"):
        bounds.append("none of them twice")
    if "items" in schema and "anyOf" not in schema["items"]:
        bounds.append(f"each {allowed(schema['items'])}")
    return ", ".join([kinds, *bounds])


def _bound(keyword: str, limit: Any) -> str:
    if limit == 1 and keyword in ("minLength", "minItems", "minProperties"):
        return "not empty"
    return _BOUNDS[keyword].format(limit)


def types(schema: Mapping[str, Any]) -> tuple[str, ...]:
    named = schema.get("type", ())
    return (named,) if isinstance(named, str) else tuple(named)


def nearest(name: object, known: Iterable[str]) -> str:
    """A hint for a mistyped name: the nearest known one, or all of them if none is near."""
    names = list(known)
    close = difflib.get_close_matches(str(name), names, n=1, cutoff=0.5)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known are {', '.join(names)}" if names else "; none is known here"


def shown(value: Any, most: int = 60) -> str:
    """A value as the user wrote it, cut short if it is long."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError):
        text = repr(value)
    return text if len(text) <= most else text[: most - 1] + "…"
