"""Configuration: the checked settings of a run, and the files and arguments that rules derive from them."""

import json
import os
import sys
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from evaluation.examples.protocols import PROTOCOLS
from evaluation.report.sections import Place, place_of_table
from harness.code_state import files_state
from methods.contract.parameters import as_settings
from methods.contract.registry import Method, load_method, method_code, resolve
from networks.catalog import Entry
from workflow.checks import check_configuration, read_datasets, usable_path
from workflow.schema import complete


def read_configuration(config: dict[str, Any]) -> "Configuration":
    """Check a configuration against the schema and the catalogs; one sentence names the first key that is wrong."""
    checked = complete(config)
    datasets = read_datasets(checked["datasets"])
    methods = [load_method(name) for name in checked["methods"]]
    for name in checked["ablation"]:
        load_method(name)
    check_configuration(checked, datasets)
    checked["downloads"] = usable_path(checked["downloads"], "downloads")
    for name, given in checked["embeddings"].items():
        key = f"embeddings.{name}.files"
        given["files"] = {network: usable_path(path, key) for network, path in given["files"].items()}
    return Configuration(checked, tuple(datasets), tuple(methods))


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
    def classifier_section(self) -> dict[str, Any]:
        """The keys that every evaluation is told as flags."""
        section = self.values["link_prediction"]
        return {key: section[key] for key in section if key not in ("draws", "protocols")}

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
        return [self.method(name) for name in dict.fromkeys([*names, *self.values["ablation"], *timed])]

    # Networks

    def fetch_arguments(self, wildcards: Any, output: Any) -> list[str]:
        """Where raw files are kept, and where they are looked for first.

        Snakemake does not compare a param that is a function of `output`: another mirror makes no network stale.
        """
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

    def catalog_entry(self, dataset: str) -> str:
        """What the catalog says about how a network is made and what it must be; a change makes it stale."""
        entry = self._entries[dataset]
        made_by = [entry.format, entry.otherwise, entry.options, entry.generate, entry.member]
        must_be = [entry.sha256, entry.md5, entry.size_bytes, entry.counts, entry.paper]
        return json.dumps([*made_by, *must_be], sort_keys=True)

    def edges_file(self, dataset: str, edges: str) -> str:
        """The network with all contacts, without the test block, or without the validation block either."""
        file = {"all": "network", "train": "train", "tuning": "tuning"}[edges]
        return f"{self.folder}/networks/{dataset}/{file}.arrow"

    # Methods

    def method(self, name: str) -> Method:
        """Looked up once: a workflow asks a thousand times."""
        if name not in self._methods:
            self._methods[name] = load_method(name)
        return self._methods[name]

    @cached_property
    def _methods(self) -> dict[str, Method]:
        return {}

    def method_state(self, name: str) -> str:
        """What makes a fit stale: another text means other code, other defaults or another command."""
        if name not in self._states:
            method = self.method(name)
            files = (path for path in method_code(name) if path.name != "method.yaml")
            settings = json.dumps([method.defaults, method.command], sort_keys=True)
            self._states[name] = f"{files_state(files)} {settings}"
        return self._states[name]

    @cached_property
    def _states(self) -> dict[str, str]:
        return {}

    def fit_arguments(self, method: str, changed: Collection[str] = ()) -> list[str]:
        """Settings as `--set key=value`, where the configuration differs from the method's defaults.

        Without those of `changed`, which an experiment sets.
        """
        defaults = self.method(method).defaults
        settings = resolve(method, self.values["parameters"])
        return assignments(
            {key: value for key, value in settings.items() if key not in changed and value != defaults[key]}
        )

    def limit_arguments(self, wildcards: Any, output: Any) -> list[str]:
        """When a fit ends early, and whether that ends the run.

        Snakemake does not compare a param that is a function of `output`: other limits leave finished fits alone.
        """
        return [*flags(self.values["limits"]), *([] if self.values["strict"] else ["--record-failures"])]

    def threads_of(self, method: str) -> int:
        """A timing variant states its own number of threads; every other fit has the configuration's."""
        chosen = self.method(method)
        threads = self.values["threads"]
        if chosen.purpose == "timing":
            return chosen.threads
        if isinstance(threads, int):
            return threads
        return int(threads.get(method, threads.get(chosen.variant_of, 1)))

    def threads_that_matter(self, method: str) -> str:
        """The number of threads, where vectors depend on it: a param, because another number makes them stale."""
        return "any" if self.method(method).thread_independent else f"{self.threads_of(method)} threads"

    # Evaluation

    def vectors(self, dataset: str, method: str, seed: str, fit_folder: str, block: str = "test") -> list[str]:
        """The files that hold what a method says about the pairs of a block; `fit_folder` is that of its fit."""
        if method in self.values["embeddings"]:
            return [self.values["embeddings"][method]["files"][dataset]]
        if self.method(method).kind == "score":
            folders = self._score_folders(dataset, method, seed, block)
            return [f"{folder}/{file}" for folder in folders for file in ("score.json", "scores.npy")]
        return [f"{fit_folder}/{file}" for file in ("fit.json", "embeddings.npy")]

    def vector_arguments(self, dataset: str, method: str, seed: str, fit_folder: str, block: str = "test") -> list[str]:
        if method in self.values["embeddings"]:
            return ["--embeddings", *self.vectors(dataset, method, seed, fit_folder)]
        if self.method(method).kind == "score":
            return ["--scores", *self._score_folders(dataset, method, seed, block)]
        return ["--fit", fit_folder]

    def _score_folders(self, dataset: str, method: str, seed: str, block: str) -> list[str]:
        return [f"{self.folder}/scores/{dataset}/{block}/{method}/seed-{seed}/draw-{draw}" for draw in self.draws]

    def link_prediction_files(self) -> list[str]:
        return self._repeats_files("link_prediction", self.values["ablation"])

    def ranking_files(self) -> list[str]:
        return self._repeats_files("ranking") if "ranking" in self.values else []

    def _repeats_files(self, task: str, variants: Sequence[str] = ()) -> list[str]:
        fitted = [
            f"{self.folder}/{task}/{dataset}/{method}/seed-{seed}.csv"
            for dataset in self.dataset_names
            for method in dict.fromkeys([*(method.name for method in self.methods), *variants])
            for seed in self.seeds_of(method, self.seeds)
        ]
        given = [
            f"{self.folder}/{task}/{dataset}/{name}/seed-{self.seeds[0]}.csv"
            for name, external in self.values["embeddings"].items()
            for dataset in external["files"]
        ]
        return fitted + given

    @property
    def ranking_arguments(self) -> list[str]:
        return flags(self.values.get("ranking", {}))

    @property
    def reconstruction_arguments(self) -> list[str]:
        section = {key: value for key, value in self.values.get("reconstruction", {}).items() if key != "seeds"}
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
            for seed in self.seeds_of(method.name, self.values["reconstruction"].get("seeds", self.seeds))
        ]

    def seeds_of(self, method: str, seeds: list[int]) -> list[int]:
        """A method that is the same with every seed is fitted once."""
        return seeds[:1] if self.method(method).deterministic else seeds

    def place_of_table(self, name: str) -> Place:
        """The section and the title of a table by the name of its file."""
        return place_of_table(name, {entry.name: entry.label for entry in self.datasets})

    def description(self, settings_of_main_fits: Sequence[str] = ()) -> str:
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
            "settings_of_main_fits": list(settings_of_main_fits),
            "config": self.values,
        }
        return json.dumps(run, ensure_ascii=False)


def prefer_running_python() -> None:
    """Let `python` in a rule be the interpreter that runs snakemake, unless --use-conda activates another one."""
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])


def flags(section: dict[str, Any]) -> list[str]:
    """A section of the configuration as command-line flags: {"memory_gb": 8} becomes --memory-gb 8.

    Sorted, because another order of the same keys must not look like a change.
    """
    return [part for key, value in sorted(section.items()) for part in (f"--{key.replace('_', '-')}", as_text(value))]


def assignments(settings: dict[str, Any]) -> list[str]:
    """Parameters of a method as `--set key=value`; sorted, as flags are."""
    return [part for setting in as_settings(dict(sorted(settings.items()))) for part in ("--set", setting)]


def as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def own_network_arguments(entry: Entry) -> list[str]:
    """`prepare FILE` with the format, columns, separator and time format that the configuration gives.

    A relative path begins with a dot, so that it is never taken for a flag or a name of the catalog.
    """
    path = os.path.join(".", str(entry.raw_path(Path())))  # noqa: PTH118 (pathlib drops the dot)
    return [path, "--name", entry.name, "--format", entry.format, *flags(entry.options)]
