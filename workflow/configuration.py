"""Configuration: the checked settings of a run, and the files and arguments that rules derive from them."""

import json
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from datasets.catalog import Entry, entry_from_config, load_catalog
from datasets.code import code_files
from datasets.errors import UserError
from datasets.schema import nearest
from evaluation.protocols import PROTOCOLS
from evaluation.sections import Place, place_of_table
from methods.parameters import as_settings
from methods.registry import Method, load_method, method_code, resolve
from workflow.schema import complete


def read_configuration(config: dict[str, Any]) -> "Configuration":
    """Check a configuration against the schema and the catalogs; one sentence names the first key that is wrong."""
    checked = complete(config)
    catalog = load_catalog()
    entries = [entry if isinstance(entry, str) else entry_from_config(entry) for entry in checked["datasets"]]
    datasets = [load_entry(entry, catalog) if isinstance(entry, str) else entry for entry in entries]
    methods = [load_method(name) for name in checked["methods"]]
    for name in checked["ablation"]:
        load_method(name)
    for kind, names in (
        ("datasets", [entry.name for entry in datasets]),
        ("methods", [method.name for method in methods]),
        ("methods, ablation and embeddings", [*{*checked["methods"], *checked["ablation"]}, *checked["embeddings"]]),
    ):
        repeated = sorted({name for name in names if names.count(name) > 1})
        if repeated:
            raise UserError(f"configuration: {kind}: {repeated[0]} stands twice; give each its own name")
    for name in checked["link_prediction"]["protocols"]:
        if name not in PROTOCOLS:
            hint = nearest(name, PROTOCOLS)
            raise UserError(f"configuration: link_prediction.protocols: no protocol named {name!r}{hint}")
    for name, external in checked["embeddings"].items():
        unknown = sorted(set(external["files"]) - {entry.name for entry in datasets})
        if unknown:
            raise UserError(
                f"configuration: embeddings.{name}.files: {unknown[0]} is not among the datasets of this run"
            )
    settings = Configuration(checked, tuple(datasets), tuple(methods))
    refuse_braces(settings)
    return settings


@dataclass(frozen=True)
class Configuration:
    """Settings with all defaults filled in. Lists of arguments go to `python -m …` as they are."""

    values: dict[str, Any]
    datasets: tuple[Entry, ...]
    methods: tuple[Method, ...]

    @property
    def run(self) -> str:
        return str(self.values["run"])

    @property
    def folder(self) -> str:
        return f"results/{self.run}"

    @property
    def downloads(self) -> str:
        return str(self.values["downloads"])

    @property
    def dataset_names(self) -> list[str]:
        return [entry.name for entry in self.datasets]

    @property
    def seeds(self) -> list[int]:
        return list(self.values["seeds"])

    @property
    def draws(self) -> list[int]:
        return list(range(1, self.values["link_prediction"]["draws"] + 1))

    @property
    def classifier_arguments(self) -> list[str]:
        section = self.values["link_prediction"]
        return flags({key: section[key] for key in ("splits", "unseen")})

    @property
    def protocols(self) -> list[str]:
        return list(self.values["link_prediction"]["protocols"])

    @property
    def negatives(self) -> list[str]:
        """The kinds of negative examples that the protocols need, each once."""
        return list(dict.fromkeys(PROTOCOLS[name].negatives for name in self.protocols))

    @cached_property
    def _entries(self) -> dict[str, Entry]:
        return {entry.name: entry for entry in self.datasets}

    @property
    def described_methods(self) -> list[Method]:
        """All methods that the results mention: the main ones, then variants that only an experiment has."""
        timed = self.values.get("efficiency", {}).get("methods", [])
        names = [method.name for method in self.methods]
        return [load_method(name) for name in dict.fromkeys([*names, *self.values["ablation"], *timed])]

    # Networks

    @property
    def fetch_arguments(self) -> list[str]:
        """Where raw files are kept, and where they are looked for first."""
        mirror = ["--mirror", self.values["mirror"]] if self.values["mirror"] else []
        return ["--downloads", self.downloads, *mirror]

    @property
    def split_arguments(self) -> list[str]:
        return flags(self.values["split"])

    def fetched_files(self, dataset: str) -> list[str]:
        """The file that preparing a network waits for, if it has to be fetched."""
        entry = self._entries[dataset]
        path = entry.raw_path(Path(self.downloads))
        return [str(path)] if path is not None and entry.package is None and entry.path is None else []

    def own_files(self, dataset: str) -> list[str]:
        path = self._entries[dataset].path
        return [] if path is None else [str(path)]

    def prepare_arguments(self, dataset: str) -> list[str]:
        entry = self._entries[dataset]
        return [entry.name, "--downloads", self.downloads] if entry.path is None else own_network_arguments(entry)

    def definition(self, dataset: str) -> str:
        """What the catalog says about how a network is made; a change makes it stale."""
        entry = self._entries[dataset]
        return json.dumps([entry.format, entry.options, entry.generate, entry.member], sort_keys=True)

    def edges_file(self, dataset: str, edges: str) -> str:
        """The network with all contacts, or without the test block."""
        file = {"all": "network", "train": "train"}[edges]
        return f"{self.folder}/networks/{dataset}/{file}.arrow"

    # Methods

    def method_code(self, method: str) -> list[str]:
        """The files whose change makes a fit stale: the method's own and what they import."""
        return relative(method_code(method))

    def fit_arguments(self, method: str) -> list[str]:
        """Settings as `--set key=value`, where the configuration differs from the method's defaults."""
        defaults = load_method(method).defaults
        settings = resolve(method, self.values["parameters"])
        changed = {key: value for key, value in settings.items() if value != defaults[key]}
        return [part for setting in as_settings(changed) for part in ("--set", setting)]

    @property
    def limit_arguments(self) -> list[str]:
        strict = ["--strict"] if self.values["strict"] else []
        return [*flags(self.values["limits"]), "--device", self.values["device"], *strict]

    def threads_of(self, method: str) -> int:
        """A timing variant states its own number of threads; every other fit has the configuration's."""
        chosen = load_method(method)
        threads = self.values["threads"]
        if chosen.purpose == "timing":
            return chosen.threads
        if isinstance(threads, int):
            return threads
        return int(threads.get(method, threads.get(chosen.variant_of, 1)))

    # Evaluation

    def vectors(self, dataset: str, method: str, seed: str) -> list[str]:
        """The files that hold what a method says about a network's pairs."""
        if method in self.values["embeddings"]:
            return [self.values["embeddings"][method]["files"][dataset]]
        if load_method(method).kind == "score":
            folders = self._score_folders(dataset, method, seed)
            return [f"{folder}/{file}" for folder in folders for file in ("score.json", "scores.npy")]
        return [f"{self._fit_folder(dataset, method, seed)}/{file}" for file in ("fit.json", "embeddings.npy")]

    def vector_arguments(self, dataset: str, method: str, seed: str) -> list[str]:
        if method in self.values["embeddings"]:
            return ["--embeddings", *self.vectors(dataset, method, seed)]
        if load_method(method).kind == "score":
            return ["--scores", *self._score_folders(dataset, method, seed)]
        return ["--fit", self._fit_folder(dataset, method, seed)]

    def _fit_folder(self, dataset: str, method: str, seed: str) -> str:
        return f"{self.folder}/fits/{dataset}/train/{method}/seed-{seed}"

    def _score_folders(self, dataset: str, method: str, seed: str) -> list[str]:
        return [f"{self.folder}/scores/{dataset}/test/{method}/seed-{seed}/draw-{draw}" for draw in self.draws]

    def link_prediction_files(self) -> list[str]:
        fitted = [
            f"{self.folder}/link_prediction/{dataset}/{method}/seed-{seed}.csv"
            for dataset in self.dataset_names
            for method in dict.fromkeys([*(method.name for method in self.methods), *self.values["ablation"]])
            for seed in self.seeds
        ]
        given = [
            f"{self.folder}/link_prediction/{dataset}/{name}/seed-{self.seeds[0]}.csv"
            for name, external in self.values["embeddings"].items()
            for dataset in external["files"]
        ]
        return fitted + given

    @property
    def reconstruction_arguments(self) -> list[str]:
        section = self.values.get("reconstruction", {})
        return flags({key: ",".join(map(str, value)) if key == "pairs" else value for key, value in section.items()})

    def reconstruction_files(self) -> list[str]:
        """One file per fit of an embedding on all edges; methods that score pairs have no embedding to rank by."""
        if "reconstruction" not in self.values:
            return []
        return [
            f"{self.folder}/reconstruction/{dataset}/{method.name}/seed-{seed}.csv"
            for dataset in self.dataset_names
            for method in self.methods
            if method.kind != "score"
            for seed in self.seeds
        ]

    def place_of_table(self, name: str) -> Place:
        """The section and the title of a table by the name of its file."""
        return place_of_table(name, {entry.name: entry.label for entry in self.datasets})

    def description(self) -> str:
        """run.json: what tables, figures and the page need to know about the run, in the order they show it."""
        methods = [
            {
                "name": method.name,
                "label": method.label,
                "role": method.role,
                "variant_of": method.variant_of,
                "purpose": method.purpose,
                "citation": method.citation,
            }
            for method in self.described_methods
        ]
        external = [
            {"name": name, "label": given.get("label", name), "role": "external"}
            for name, given in self.values["embeddings"].items()
        ]
        datasets = [
            {"name": entry.name, "label": entry.label, "paper": entry.paper, "citation": entry.citation}
            for entry in self.datasets
        ]
        run = {
            "run": self.run,
            "datasets": datasets,
            "methods": methods + external,
            "seeds": self.seeds,
            "draws": self.draws,
            "config": self.values,
        }
        return json.dumps(run, ensure_ascii=False)


def refuse_braces(settings: Configuration) -> None:
    """Snakemake takes `{x}` in the name of a file for a wildcard."""
    paths = [("downloads", settings.downloads)]
    paths += [(f"datasets: {entry.name}: path", str(entry.path)) for entry in settings.datasets]
    paths += [
        (f"embeddings.{name}.files", path)
        for name, given in settings.values["embeddings"].items()
        for path in given["files"].values()
    ]
    for key, path in paths:
        if "{" in path or "}" in path:
            raise UserError(f"configuration: {key}: {path} has a brace, which the workflow cannot handle; rename it")


def load_entry(name: str, catalog: dict[str, Entry]) -> Entry:
    if name not in catalog:
        raise UserError(f"configuration: datasets: no network named {name!r}{nearest(name, catalog)}")
    return catalog[name]


def code(module: str) -> list[str]:
    """The project files that a step's result depends on: the module it runs and all that it imports."""
    return relative(code_files(module))


def prefer_running_python() -> None:
    """Let `python` in a rule be the interpreter that runs snakemake, unless --use-conda activates another one."""
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])


def relative(paths: Iterable[Path]) -> list[str]:
    """Paths from the working folder, so that a project that is moved does not look changed."""
    return [os.path.relpath(path) for path in paths]


def flags(section: dict[str, Any]) -> list[str]:
    """A section of the configuration as command-line flags: {"memory_gb": 8} becomes --memory-gb 8.

    Sorted, because another order of the same keys must not look like a change.
    """
    return [part for key, value in sorted(section.items()) for part in (f"--{key.replace('_', '-')}", as_text(value))]


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def own_network_arguments(entry: Entry) -> list[str]:
    """`prepare FILE` with the columns, separator and time format that the configuration gives.

    A relative path begins with a dot, so that it is never taken for a flag or a name of the catalog.
    """
    path = os.path.join(".", str(entry.raw_path(Path())))  # noqa: PTH118 (pathlib drops the dot)
    return [path, "--name", entry.name, *flags(entry.options)]
