"""What a step costs: CPU seconds, memory and disk, by a table of measured costs and by what the run measured itself."""

import csv
import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

from harness.errors import UserError
from harness.files import read_json
from methods.contract.parameters import parse_settings
from networks.catalog import Entry
from workflow.experiments import EDGES_PER_NODE, Experiments, is_trial
from workflow.steps import Step

TABLE: dict[str, Any] = yaml.safe_load(Path(__file__).with_name("costs.yaml").read_text(encoding="utf-8"))
OPERATORS = 4
MEMORY_MARGIN, MEMORY_MARGIN_MB = 1.3, 300
# A table of vectors of this many bytes fits the cache; one of that many does not.
IN_CACHE, BEYOND = 8e6, 300e6
# Of a contact in an edge list, for a network whose size nobody has stated.
BYTES_PER_LINE, GZIP = 25, 4


@dataclass(frozen=True)
class Size:
    nodes: int
    contacts: int

    def part(self, share: float) -> "Size":
        return Size(self.nodes, round(self.contacts * share))


@dataclass(frozen=True)
class Cost:
    cpu_seconds: float
    memory_mb: float
    disk_bytes: float = 0

    @property
    def asked_mb(self) -> float:
        """What a job asks for: more than the estimate, which is of other machines and networks."""
        return MEMORY_MARGIN * self.memory_mb + MEMORY_MARGIN_MB

    def wall_seconds(self, threads: int) -> float:
        return self.cpu_seconds / threads


@dataclass(frozen=True)
class Costs:
    """Estimates for the steps of one configuration."""

    experiments: Experiments
    corrections: dict[tuple[str, str], float] = field(default_factory=dict)

    def of(self, step: Step) -> Cost:
        """The table's cost, times what the finished steps of this kind took beyond theirs."""
        cost = self.by_table(step)
        factor = self.corrections.get((step.rule, step.method), 1)
        return Cost(cost.cpu_seconds * factor, cost.memory_mb, cost.disk_bytes)

    def by_table(self, step: Step) -> Cost:
        if step.rule in ("fit", "timing") or (step.rule == "score" and self._owner(step) in TABLE["fit"]):
            return self._fit(step)
        if step.rule == "link_prediction":
            return self._link_prediction(step)
        if step.rule == "ranking":
            return self._ranking(step)
        entry = TABLE["steps"][step.rule]
        work = self._work(step, entry.get("unit"))
        seconds = entry["start"] + work * entry.get("each", 0) / 1e6
        size = self.size(step)
        memory = entry.get("memory_mb", 400) + size.contacts * entry.get("bytes_each", 0) / 1e6
        return Cost(seconds, memory, self._disk(step, size))

    def size(self, step: Step) -> Size:
        whole = self._sizes.get(step.dataset, Size(0, 0))
        split = self.experiments.settings.values["split"]
        train = 1 - split["test_fraction"]
        generated = step.dataset in self.experiments.scaling_networks
        share = {"train": train, "tuning": train - split["validation_fraction"]}.get(step.edges, 1)
        return whole if generated else whole.part(share)

    @cached_property
    def _sizes(self) -> dict[str, Size]:
        settings = self.experiments.settings
        sizes = {entry.name: size_of(entry, settings.folder, Path(settings.downloads)) for entry in settings.datasets}
        return sizes | {
            name: Size(edges // EDGES_PER_NODE, edges) for name, edges in self.experiments.scaling_networks.items()
        }

    def unsized(self) -> list[str]:
        """Networks of which neither the catalog nor a file says how large they are."""
        return [name for name, size in self._sizes.items() if not size.contacts]

    def _settings(self, step: Step) -> dict[str, Any]:
        """The parameters of a fit, as far as they are known before tuning."""
        method = self.experiments.settings.method(step.method)
        if step.rule == "timing":
            words = self.experiments.timing_arguments(step.method)
        else:
            words = self._fit_words(step.method, step.purpose)
        return method.defaults | parse_settings(method.parameters, words[1::2])

    @cached_property
    def _words(self) -> dict[tuple[str, str], list[str]]:
        return {}

    def _fit_words(self, method: str, purpose: str) -> list[str]:
        if (method, purpose) not in self._words:
            self._words[method, purpose] = self.experiments.fit_arguments(method, purpose)
        return self._words[method, purpose]

    def _fit(self, step: Step) -> Cost:
        method, size, settings = self.experiments.settings.method(step.method), self.size(step), self._settings(step)
        entry = TABLE["fit"].get(self._owner(step), TABLE["fit"]["other"])
        dimensions = settings.get("dimensions", 1)
        vectors = 4.0 * dimensions * size.nodes
        each = between(entry["in_cache"], entry["beyond"], vectors) * max(dimensions, 16) / 128
        work = work_of_fit(entry["unit"], size, settings) * TABLE["variants"].get(method.name, 1)
        seconds = entry["start"] + work * each / 1e6
        kept = {"fit": vectors, "score": 8 * self._examples(step)}.get(step.rule, 0)
        return Cost(seconds, entry["memory_mb"] + size.contacts * entry["bytes_each"] / 1e6, kept)

    def _owner(self, step: Step) -> str:
        method = self.experiments.settings.method(step.method)
        return method.variant_of or method.name

    def _examples(self, step: Step) -> int:
        if step.block == "ranking":
            return self._ranked_pairs(step)
        split = self.experiments.settings.values["split"]
        share = split["validation_fraction" if is_trial(step.purpose) else "test_fraction"]
        return round(2 * share * self._sizes[step.dataset].contacts)

    def _link_prediction(self, step: Step) -> Cost:
        settings, entry = self.experiments.settings, TABLE["link_prediction"]
        section = settings.values["link_prediction"]
        protocols = 1 if step.purpose else len(section["protocols"])
        splits = self.experiments.section("tuning")["splits"] if is_trial(step.purpose) else section["splits"]
        draws = 1 if is_trial(step.purpose) else section["draws"]
        dimensions, operators = self._features(step)
        per_split = entry["liblinear"] if section["classifier"] == "liblinear" else entry["newton"]
        is_checked = section["classifier"] == "newton_checked" and not step.purpose
        each = splits * per_split + (entry["liblinear"] / draws if is_checked else 0)
        examples = self._examples(step)
        rows = examples * draws * protocols * operators
        seconds = entry["start"] + rows * each * max(dimensions, 8) / 128 / 1e6
        return Cost(seconds, entry["memory_mb"] + examples * entry["bytes_each"] * max(dimensions, 8) / 128 / 1e6)

    def _features(self, step: Step) -> tuple[int, int]:
        """Dimensions of a pair's features, and how many operators make them; a pair's score is one number."""
        settings = self.experiments.settings
        if step.method in settings.values["embeddings"]:
            return 128, OPERATORS
        if settings.method(step.method).kind == "score":
            return 1, 1
        return int(self._settings(step).get("dimensions", 1)), OPERATORS

    def _ranked_pairs(self, step: Step) -> int:
        """Queries that are ranked, each with its positive and its negatives, of one draw."""
        settings = self.experiments.settings.values
        held_out = settings["split"]["test_fraction"] * self._sizes[step.dataset].contacts
        section = settings["ranking"]
        return round(min(section["queries"], held_out / 2) * (1 + section["negatives"]))

    def _ranking(self, step: Step) -> Cost:
        entry, pairs = TABLE["ranking"], self._ranked_pairs(step)
        dimensions, operators = self._features(step)
        draws = self.experiments.settings.values["link_prediction"]["draws"]
        seconds = entry["start"] + pairs * draws * operators * entry["each"] * max(dimensions, 8) / 128 / 1e6
        return Cost(seconds, entry["memory_mb"] + pairs * entry["bytes_each"] / 1e6)

    def _work(self, step: Step, unit: str | None) -> float:
        if unit is None:
            return 0
        if unit == "examples":
            return self._examples(step)
        if unit == "ranked_pairs":
            return self._ranked_pairs(step)
        if unit == "node_pairs":
            section = self.experiments.settings.values["reconstruction"]
            return float(section["draws"] * min(section["nodes"], self.size(step).nodes) ** 2)
        return self.size(step).contacts

    def _disk(self, step: Step, size: Size) -> float:
        if step.rule in ("prepare", "generate"):
            return 16 * size.contacts + 30 * size.nodes
        if step.rule == "split":
            return 2 * 16 * size.contacts + 60 * size.nodes
        if step.rule == "examples":
            return 30 * 0.4 * size.contacts
        if step.rule == "queries":
            return 30 * self._ranked_pairs(step)
        return 8 * self._examples(step) if step.rule == "score" else 0


def between(in_cache: float, beyond: float, size_bytes: float) -> float:
    share = math.log(max(size_bytes, 1) / IN_CACHE) / math.log(BEYOND / IN_CACHE)
    return in_cache + (beyond - in_cache) * min(1.0, max(0.0, share))


def work_of_fit(unit: str, size: Size, settings: dict[str, Any]) -> float:
    """Samples of LINE (both orders; of distinct pairs, of which there are at most as many as contacts), tokens of the
    walks, context windows of CTDNE's budget, contacts."""
    if unit == "samples":
        return 2.0 * settings["samples_per_edge"] * size.contacts
    if unit == "tokens":
        return float(size.nodes * settings["walks_per_node"] * settings["walk_length"] * settings["epochs"])
    if unit == "windows":
        windows = max(1, settings["walk_length"] - settings["window"] + 1)
        return float(size.nodes * settings["walks_per_node"] * windows * settings["epochs"])
    if unit == "contact_epochs":
        return float(size.contacts * settings["epochs"])
    return float(size.contacts)


def size_of(entry: Entry, folder: str, downloads: Path) -> Size:
    """What was counted in the network, or what the catalog says, or what the length of the file makes likely."""
    audit = Path(folder, "networks", entry.name, "audit.json")
    if audit.exists():
        counted = read_json(audit)
        return Size(counted["nodes"], counted["temporal_edges"])
    if stated := entry.counts or entry.paper or entry.about:
        return Size(stated["nodes"], stated["edges"])
    if entry.generate:
        return Size(entry.generate["n_nodes"], entry.generate["n_edges"])
    path = entry.raw_path(downloads)
    length = path.stat().st_size if path is not None and path.exists() else entry.size_bytes or 0
    contacts = length * (GZIP if path is not None and path.suffix == ".gz" else 1) // BYTES_PER_LINE
    return Size(contacts // EDGES_PER_NODE, contacts)


def measured(step: Step, folder: str) -> float | None:
    """CPU seconds that a finished step took, where the run noted them.

    A fit's own record is exact; snakemake looks at the processes of a step now and then, not within the first second.
    """
    try:
        if step.rule in ("fit", "timing", "score"):
            return float(read_json(Path(step.output))["cpu_seconds"])
        if step.rule in ("link_prediction", "ranking", "reconstruction"):
            noted = Path(folder, "costs", Path(step.output).relative_to(folder)).with_suffix(".tsv")
            with noted.open(encoding="utf-8", newline="") as file:
                return float(next(csv.DictReader(file, delimiter="\t"))["cpu_time"])
    except (OSError, UserError, ValueError, KeyError, StopIteration):
        pass
    return None


def corrections(costs: Costs, finished: Iterable[Step]) -> dict[tuple[str, str], float]:
    """By kind of step: what the finished ones took over what the table says of them."""
    took: dict[tuple[str, str], float] = defaultdict(float)
    said: dict[tuple[str, str], float] = defaultdict(float)
    for step in finished:
        seconds = measured(step, costs.experiments.settings.folder)
        if seconds is not None:
            took[step.rule, step.method] += seconds
            said[step.rule, step.method] += costs.by_table(step).cpu_seconds
    return {kind: took[kind] / said[kind] for kind in took if said[kind]}
