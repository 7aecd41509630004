"""The configuration schema: the static part from schemas/, the methods' parameters from their folders."""

from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

from datasets.errors import UserError
from datasets.schema import breach
from methods.registry import method_names, parameters_schema

SCHEMA = Path(__file__).parent / "schemas" / "config.schema.yaml"


# Sections whose keys are names of methods; there is nothing to fill in.
FROM_METHODS = ("parameters", "threads")


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
    problem = breach(config, schema)
    if problem is not None:
        raise UserError(f"configuration: {problem}")
    return with_defaults(deepcopy(config), schema)


def with_defaults(values: dict[str, Any], schema: dict[str, Any]) -> dict[str, Any]:
    """Fill in defaults, also inside sections; the methods complete their own parameters."""
    for key, part in schema["properties"].items():
        if key not in values and "default" in part:
            values[key] = deepcopy(part["default"])
        if key in values and key not in FROM_METHODS and "properties" in part:
            values[key] = with_defaults(values[key] or {}, part)
    return values
