"""The configuration schema: the static part from schemas/, the methods' parameters from their folders."""

import re
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

from harness.errors import UserError
from harness.schema import breach
from methods.contract.registry import method_names, parameters_schema

SCHEMA = Path(__file__).parent / "schemas" / "config.schema.yaml"


# Sections whose keys are names of methods; there is nothing to fill in.
FROM_METHODS = ("parameters", "threads")
# As long as any number that is meant; Python refuses to read integers of thousands of digits.
NUMBER = re.compile(r"[-+0-9.eE]{1,40}")


def configuration_schema() -> dict[str, Any]:
    """The schema file, with the names and parameters of all methods from their folders."""
    schema: dict[str, Any] = yaml.safe_load(SCHEMA.read_text(encoding="utf-8"))
    schema["properties"]["parameters"] |= parameters_schema()
    number = {"type": "integer", "minimum": 1}
    schema["properties"]["threads"]["properties"] = dict.fromkeys(method_names(variants=True), number)
    return schema


def complete(config: dict[str, Any]) -> dict[str, Any]:
    """A checked copy of the configuration with all defaults; one sentence names the key that is wrong."""
    schema = configuration_schema()
    config = with_numbers(deepcopy(config), schema)
    problem = breach(config, schema)
    if problem is not None:
        raise UserError(f"configuration: {problem}")
    return with_defaults(config, schema)


def with_numbers(value: Any, schema: Any) -> Any:
    """The value with texts read as YAML where a number is meant: `--config 'seeds=[1,2]'` hands over texts in lists."""
    if not isinstance(schema, dict):
        return value
    if isinstance(value, dict):
        parts, others = schema.get("properties", {}), schema.get("additionalProperties")
        return {key: with_numbers(part, parts.get(key, others)) for key, part in value.items()}
    if isinstance(value, list):
        return [with_numbers(part, schema.get("items")) for part in value]
    if isinstance(value, str) and schema.get("type") in ("integer", "number"):
        read = yaml.safe_load(value) if NUMBER.fullmatch(value) else value
        return read if isinstance(read, int | float) else value
    return value


def with_defaults(values: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Fill in defaults, also inside sections; the methods complete their own parameters."""
    for key, part in schema["properties"].items():
        if key not in values and "default" in part:
            values[key] = deepcopy(part["default"])
        if key in values and key not in FROM_METHODS and "properties" in part:
            values[key] = with_defaults(values[key] or {}, part)
    return values
