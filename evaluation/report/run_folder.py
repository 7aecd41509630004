"""The folder of a run: what run.json says of it, and the raw repeats and records that its steps left."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from evaluation.errors import EvaluationError
from evaluation.examples.protocols import strict_protocol
from evaluation.repeats_file import LINK_PREDICTION_COLUMNS, RECONSTRUCTION_COLUMNS, read_repeats
from harness.files import read_json

COMPARED_ROLES = ("proposed", "baseline", "external")


@dataclass(frozen=True)
class Dataset:
    name: str
    label: str
    paper: dict[str, int] | None


@dataclass(frozen=True)
class Method:
    name: str
    label: str
    role: str
    variant_of: str | None
    purpose: str | None

    @property
    def is_compared(self) -> bool:
        """Controls and variants stand apart: they neither count as baselines nor win a row."""
        return self.role in COMPARED_ROLES and self.purpose is None


@dataclass(frozen=True)
class RunFolder:
    path: Path

    @cached_property
    def description(self) -> dict[str, Any]:
        described = read_json(self.path / "run.json")
        missing = [key for key in ("run", "datasets", "methods", "seeds") if key not in described]
        if missing:
            raise EvaluationError(f"{self.path / 'run.json'}: lacks the key {missing[0]}; run the workflow again")
        return dict(described)

    @cached_property
    def datasets(self) -> list[Dataset]:
        return [
            Dataset(entry["name"], entry.get("label") or entry["name"], entry.get("paper"))
            for entry in self.description["datasets"]
        ]

    @cached_property
    def methods(self) -> list[Method]:
        return [
            Method(
                entry["name"],
                entry.get("label") or entry["name"],
                entry.get("role", "baseline"),
                entry.get("variant_of"),
                entry.get("purpose"),
            )
            for entry in self.description["methods"]
        ]

    @property
    def seeds(self) -> list[int]:
        """The training seeds of this run; files of seeds that the configuration no longer names are not read."""
        return list(self.description["seeds"])

    @property
    def evaluated_methods(self) -> list[Method]:
        """Compared methods first, then the ones that stand apart; variants for timing or ablation have own tables."""
        shown = [method for method in self.methods if method.purpose not in ("timing", "ablation")]
        return sorted(shown, key=lambda method: not method.is_compared)

    def section(self, name: str) -> dict[str, Any]:
        """A section of the configuration; files of a section that it no longer has are not read."""
        return dict(self.description.get("config", {}).get(name) or {})

    @property
    def settings_of_main_fits(self) -> list[str]:
        """Values of the sensitivity, as `parameter=value`, that the main fits have anyway."""
        return list(self.description.get("settings_of_main_fits", []))

    @property
    def protocols(self) -> list[str]:
        return list(self.section("link_prediction").get("protocols", ["paper"]))

    @property
    def headline_protocol(self) -> str:
        """The first of the configuration: that of tables and figures which show one only."""
        return self.protocols[0]

    @property
    def strict_protocol(self) -> str | None:
        """The one that stands beside the headline everywhere."""
        return strict_protocol(self.protocols)

    @property
    def shown_protocols(self) -> list[str]:
        return [self.headline_protocol, *([self.strict_protocol] if self.strict_protocol else [])]

    def link_prediction(self, dataset: str, method: str) -> pd.DataFrame | None:
        """All repeats of a method on a network, one row per value, or None where the run has none."""
        return self._repeats("link_prediction", dataset, method, LINK_PREDICTION_COLUMNS, self.seeds)

    def ranking(self, dataset: str, method: str) -> pd.DataFrame | None:
        if "ranking" not in self.description.get("config", {}):
            return None
        return self._repeats("ranking", dataset, method, LINK_PREDICTION_COLUMNS, self.seeds)

    def reconstruction(self, dataset: str, method: str) -> pd.DataFrame | None:
        if "reconstruction" not in self.description.get("config", {}):
            return None
        seeds = self.section("reconstruction").get("seeds", self.seeds)
        return self._repeats("reconstruction", dataset, method, RECONSTRUCTION_COLUMNS, seeds)

    def _repeats(
        self, task: str, dataset: str, method: str, columns: list[str], seeds: list[int]
    ) -> pd.DataFrame | None:
        parts = [read_repeats(path, columns) for path in self.repeats_files(task, dataset, method, seeds)]
        return pd.concat(parts, ignore_index=True) if parts else None

    def repeats_files(self, task: str, dataset: str, method: str, seeds: list[int]) -> list[Path]:
        paths = [self.path / task / dataset / method / f"seed-{seed}.csv" for seed in seeds]
        return [path for path in paths if path.exists()]

    def audits(self) -> Iterator[tuple[Dataset, dict[str, Any]]]:
        """What was counted in each network, where it was."""
        for dataset in self.datasets:
            path = self.path / "networks" / dataset.name / "audit.json"
            if path.exists():
                yield dataset, read_json(path)

    def fits(self) -> Iterator[tuple[Dataset, str, Method, list[dict[str, Any]]]]:
        """Records of the fits per network, edges (train, all) and method, one per seed, in the order of run.json."""
        for dataset in self.datasets:
            for edges in ("train", "all"):
                for method in self.methods:
                    folder = self.path / "fits" / dataset.name / edges / method.name
                    paths = [folder / f"seed-{seed}" / "fit.json" for seed in self.seeds]
                    records = [read_json(path) for path in paths if path.exists()]
                    if records:
                        yield dataset, edges, method, records

    @property
    def timed_methods(self) -> list[Method]:
        timed = self.section("efficiency").get("methods", [])
        return [method for method in self.methods if method.name in timed]

    @property
    def scaling_networks(self) -> dict[int, str]:
        """Generated networks of growing size, as {edges: name}."""
        return {edges: f"scaling_{edges}" for edges in sorted(self.section("efficiency").get("scaling", []))}

    def timed_fit(self, network: str, method: str) -> dict[str, Any] | None:
        """The record of a fit that had the machine to itself."""
        path = self.path / "timings" / network / method / "fit.json"
        return read_json(path) if path.exists() else None

    def timings(self) -> Iterator[tuple[Dataset, Method, dict[str, Any]]]:
        """Records of timed fits per network of the run and method."""
        for dataset in self.datasets:
            for method in self.timed_methods:
                if (record := self.timed_fit(dataset.name, method.name)) is not None:
                    yield dataset, method, record

    def choices(self) -> Iterator[tuple[Dataset, Method, dict[str, Any]]]:
        """What tuning tried and chose, per network and method."""
        tuned = self.section("tuning").get("methods", [])
        for dataset in self.datasets:
            for method in (method for method in self.methods if method.name in tuned):
                path = self.path / "tuning" / dataset.name / method.name / "scores.json"
                if path.exists():
                    yield dataset, method, read_json(path)
