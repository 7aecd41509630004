"""A part of a run: with fewer datasets or methods on the command line, what does not concern them is left out."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any

import yaml

from harness.errors import UserError
from methods.contract.errors import MethodError
from methods.contract.registry import load_method


def overridden(words: Iterable[str]) -> dict[str, Any]:
    """`key=value` as `snakemake --config` takes it, the value in YAML."""
    changes = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals:
            raise UserError(f"--config {word}: write it as KEY=VALUE")
        try:
            changes[key] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise UserError(f"--config {word}: the value is not YAML ({' '.join(str(error).split())})") from error
    return changes


def part_of(config: dict[str, Any], changes: dict[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """The configuration without what other networks and methods need, and a line that names it.

    Only where `changes` (of the command line) name datasets or methods: in a file, a section that does not fit is a
    mistake.
    """
    if not {"datasets", "methods"} & set(changes) or not lists_of_names(config):
        return config, []
    config = deepcopy(config)
    networks = {one if isinstance(one, str) else one.get("name") for one in config["datasets"]}
    dropped = []

    def keep(names: list[str], words: str, wanted: Callable[[str], bool]) -> list[str]:
        absent = [name for name in names if not wanted(name)]
        if absent:
            dropped.append(f"{words} {', '.join(absent)}")
        return [name for name in names if name not in absent]

    def among(name: str) -> bool:
        return owner(name) in {owner(method) for method in config["methods"]}

    config["ablation"] = keep(config.get("ablation") or [], "ablation", among)
    for name in ("efficiency", "tuning"):
        if config.get(name):
            config[name]["methods"] = keep(config[name]["methods"], f"{name}.methods", among)
            if not config[name]["methods"]:
                config.pop(name)
    if config.get("efficiency", {}).get("networks"):
        timed = config["efficiency"]["networks"]
        config["efficiency"]["networks"] = keep(timed, "efficiency.networks", networks.__contains__)
    section = config.get("sensitivity")
    if section and (section["dataset"] not in networks or not among(section["method"])):
        config.pop("sensitivity")
        dropped.append(f"sensitivity (of {section['method']} on {section['dataset']})")
    for name, given in list(config.get("embeddings", {}).items()):
        given["files"] = {network: file for network, file in given["files"].items() if network in networks}
        if not given["files"]:
            config["embeddings"].pop(name)
            dropped.append(f"embeddings {name}")
    return config, [f"A part of the run; left out: {'; '.join(dropped)}."] if dropped else []


def lists_of_names(config: dict[str, Any]) -> bool:
    """Whether there is something to cut; what is wrong is said where configurations are checked."""
    return all(isinstance(config.get(key), list) for key in ("datasets", "methods"))


def owner(name: str) -> str:
    """The method that a name is of, itself or the one it is a variant of; an unknown one is refused elsewhere."""
    try:
        return load_method(name).variant_of or name
    except MethodError:
        return name
