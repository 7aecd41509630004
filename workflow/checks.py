"""What a schema cannot say of a configuration: names that must differ or exist, and paths that the workflow can use."""

from collections.abc import Iterable
from typing import Any

from evaluation.examples.protocols import PROTOCOLS
from harness.errors import UserError
from harness.files import with_home
from harness.schema import nearest
from networks.catalog import Entry, entry_from_config, load_catalog


def check_configuration(values: dict[str, Any], datasets: Iterable[Entry]) -> None:
    """One sentence names the first key that is wrong."""
    names = [entry.name for entry in datasets]
    refuse_repeats(names, "datasets")
    refuse_repeats(values["methods"], "methods")
    columns = [*{*values["methods"], *values["ablation"]}, *values["embeddings"]]
    refuse_repeats(columns, "methods, ablation and embeddings")
    check_fractions(values["split"])
    for protocol in values["link_prediction"]["protocols"]:
        if protocol not in PROTOCOLS:
            hint = nearest(protocol, PROTOCOLS)
            raise UserError(f"configuration: link_prediction.protocols: no protocol named {protocol!r}{hint}")
    for name, given in values["embeddings"].items():
        unknown = sorted(set(given["files"]) - set(names))
        if unknown:
            raise UserError(
                f"configuration: embeddings.{name}.files: {unknown[0]} is not among the datasets of this run"
            )


def refuse_repeats(names: list[str], kind: str) -> None:
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise UserError(f"configuration: {kind}: {repeated[0]} stands twice; give each its own name")


def check_fractions(split: dict[str, Any]) -> None:
    test, validation = split["test_fraction"], split["validation_fraction"]
    if test + validation >= 1:
        raise UserError(
            f"configuration: split: test_fraction {test} and validation_fraction {validation} leave nothing to train "
            "on; together they must be less than 1"
        )


def read_datasets(given: list[Any]) -> list[Entry]:
    """The networks of a run: entries of the catalog by their names, and those that the configuration describes."""
    catalog = load_catalog()
    return [named_entry(one, catalog) if isinstance(one, str) else own_entry(one) for one in given]


def named_entry(name: str, catalog: dict[str, Entry]) -> Entry:
    if name not in catalog:
        raise UserError(f"configuration: datasets: no network named {name!r}{nearest(name, catalog)}")
    return catalog[name]


def own_entry(given: dict[str, Any]) -> Entry:
    try:
        entry = entry_from_config(given)
    except UserError as error:
        raise UserError(f"configuration: datasets: {error}") from error
    refuse_braces(str(entry.path), f"datasets: {entry.name}: path")
    return entry


def usable_path(given: str, key: str) -> str:
    """A path in its one spelling (no ~, no ./, no slash at its end): snakemake compares paths letter by letter."""
    refuse_braces(given, key)
    return str(with_home(given, f"configuration: {key}"))


def refuse_braces(path: str, key: str) -> None:
    """Snakemake takes `{x}` in the name of a file for a wildcard."""
    if "{" in path or "}" in path:
        raise UserError(f"configuration: {key}: {path} has a brace, which the workflow cannot handle; rename it")
