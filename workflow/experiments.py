"""The experiments beside the main tables: efficiency, sensitivity and tuning, as files and arguments."""

import itertools
import random
from dataclasses import dataclass
from typing import Any

from harness.errors import UserError
from harness.schema import nearest
from methods.contract.parameters import as_settings, checked_value, complete_parameters
from methods.contract.registry import Method, load_method, resolve
from workflow.configuration import Configuration, assignments, flags

# Nodes of a generated network in the scaling experiment: ten contacts for every node, as in the paper's networks.
EDGES_PER_NODE = 5


@dataclass(frozen=True)
class Experiments:
    """What the sections `efficiency`, `sensitivity` and `tuning` ask for; an absent section asks for nothing."""

    settings: Configuration

    def section(self, name: str) -> dict[str, Any]:
        return dict(self.settings.values.get(name) or {})

    # Efficiency

    @property
    def timed_methods(self) -> list[str]:
        return list(self.section("efficiency").get("methods", []))

    @property
    def scaling_networks(self) -> dict[str, int]:
        """Generated networks of growing size, as {name: edges}."""
        return {f"scaling_{edges}": edges for edges in self.section("efficiency").get("scaling", [])}

    def generate_arguments(self, network: str) -> list[str]:
        edges = self.scaling_networks[network]
        return ["--nodes", str(max(2, edges // EDGES_PER_NODE)), "--edges", str(edges), "--seed", "1"]

    def timed_network(self, network: str) -> str:
        file = "generated" if network in self.scaling_networks else "train"
        return f"{self.settings.folder}/networks/{network}/{file}.arrow"

    def timing_arguments(self, method: str) -> list[str]:
        """The settings of the main run, with those that the experiment changes (one epoch is enough for a time)."""
        changes = self.section("efficiency").get("parameters", {})
        of_base = changes.get(self.settings.method(method).variant_of, {})
        changed = of_base | changes.get(method, {})
        return [*self.settings.fit_arguments(method, changed), *assignments(changed)]

    def timing_files(self) -> list[str]:
        networks = [*self.section("efficiency").get("networks", self.settings.dataset_names), *self.scaling_networks]
        return [
            f"{self.settings.folder}/timings/{network}/{method}/fit.json"
            for network in (networks if self.timed_methods else [])
            for method in self.timed_methods
        ]

    # Sensitivity

    def sensitivity_settings(self) -> list[str]:
        """One change of one parameter each, as `parameter=value`."""
        parameters = self.section("sensitivity").get("parameters", {})
        return [
            setting for name, values in parameters.items() for value in values for setting in as_settings({name: value})
        ]

    def settings_of_main_fits(self) -> list[str]:
        """Those of the changes that change nothing, if tuning does not choose that parameter: the main fits serve."""
        section = self.section("sensitivity")
        if not section or not {*section.get("seeds", [])} <= {*self.settings.seeds}:
            return []
        method = section["method"]
        if method not in [one.name for one in self.settings.methods]:
            return []
        tuner = self.tuner(method)
        searched = self.settings.method(tuner).search if tuner else {}
        values = resolve(method, self.settings.values["parameters"])
        same = as_settings({name: value for name, value in values.items() if name not in searched})
        return [setting for setting in self.sensitivity_settings() if setting in same]

    def sensitivity_files(self) -> list[str]:
        section = self.section("sensitivity")
        served = self.settings_of_main_fits()
        return [
            f"{self.settings.folder}/link_prediction/{section['dataset']}/{section['method']}/{setting}/seed-{seed}.csv"
            for setting in self.sensitivity_settings()
            if setting not in served
            for seed in section.get("seeds", self.settings.seeds)
        ]

    # Tuning

    @property
    def tuned_methods(self) -> list[str]:
        return list(self.section("tuning").get("methods", []))

    def tuner(self, method: str) -> str | None:
        """The method whose chosen settings a fit uses: itself, or the method that it is a variant of."""
        base = self.settings.method(method).variant_of or method
        return base if base in self.tuned_methods else None

    @property
    def fitted_methods(self) -> list[str]:
        """All that the run fits, in whichever experiment."""
        varied = self.section("sensitivity").get("method")
        main = [method.name for method in self.settings.methods]
        return [*main, *self.settings.values["ablation"], *self.timed_methods, *([varied] if varied else [])]

    def trials(self, method: str) -> list[dict[str, Any]]:
        """The method's grid, or that many points of it; the defaults are always the first."""
        return grid_points(self.settings.method(method), self.section("tuning")["trials"])

    def trial_files(self, dataset: str, method: str) -> list[str]:
        folder = f"{self.settings.folder}/link_prediction/{dataset}/{method}"
        seed = self.settings.seeds[0]
        return [f"{folder}/trial-{trial}/seed-{seed}.csv" for trial in range(len(self.trials(method)))]

    def trial_records(self, dataset: str, method: str) -> list[str]:
        folder = f"{self.settings.folder}/fits/{dataset}/tuning/{method}"
        seed = self.settings.seeds[0]
        return [f"{folder}/trial-{trial}/seed-{seed}/fit.json" for trial in range(len(self.trials(method)))]

    def tuning_files(self) -> list[str]:
        return [
            f"{self.settings.folder}/tuning/{dataset}/{method}/scores.json"
            for dataset in self.settings.dataset_names
            for method in self.tuned_methods
        ]

    def chosen_file(self, dataset: str, method: str) -> list[str]:
        """The file that a fit must wait for if its method is tuned; nothing is tuned on generated networks."""
        tuner = self.tuner(method)
        if tuner is None or dataset in self.scaling_networks:
            return []
        return [f"{self.settings.folder}/tuning/{dataset}/{tuner}/chosen.json"]

    # One rule fits and one evaluates, whatever for: `purpose` is empty for the main tables, `parameter=value/` for the
    # sensitivity, `trial-i/` for tuning.

    def fit_arguments(self, method: str, purpose: str) -> list[str]:
        """Settings of a fit as `--set key=value`.

        Those that an experiment changes are always given, default or not: tuning may have chosen another value.
        """
        if not purpose:
            return self.settings.fit_arguments(method)
        if is_trial(purpose):
            point = self.trials(method)[int(purpose.strip("/").removeprefix("trial-"))]
            return [*self.settings.fit_arguments(method, point), *assignments(point)]
        setting = purpose.strip("/")
        return [*self.settings.fit_arguments(method, [setting.partition("=")[0]]), "--set", setting]

    def fit_folder(self, wildcards: Any) -> str:
        edges = "tuning" if is_trial(wildcards.settings) else "train"
        last = f"{wildcards.method}/{wildcards.settings}seed-{wildcards.seed}"
        return f"{self.settings.folder}/fits/{wildcards.dataset}/{edges}/{last}"

    def chosen_files(self, wildcards: Any) -> list[str]:
        """The choice that a fit waits for; a trial does not."""
        trial = is_trial(wildcards.get("settings", ""))
        return [] if trial else self.chosen_file(wildcards.dataset, wildcards.method)

    def example_files(self, wildcards: Any) -> list[str]:
        """Tuning is judged by one draw of the validation block, all else by the test block."""
        folder = f"{self.settings.folder}/examples/{wildcards.dataset}"
        if is_trial(wildcards.settings):
            return [f"{folder}/validation/draw-1.arrow"]
        return [f"{folder}/test/draw-{draw}.arrow" for draw in self.settings.draws]

    def vectors(self, wildcards: Any) -> list[str]:
        return self.settings.vectors(wildcards.dataset, wildcards.method, wildcards.seed, self.fit_folder(wildcards))

    def vector_arguments(self, wildcards: Any) -> list[str]:
        return self.settings.vector_arguments(
            wildcards.dataset, wildcards.method, wildcards.seed, self.fit_folder(wildcards)
        )

    def query_files(self, wildcards: Any) -> list[str]:
        folder = f"{self.settings.folder}/examples/{wildcards.dataset}/ranking"
        return [f"{folder}/draw-{draw}.arrow" for draw in self.settings.draws]

    def ranked_vectors(self, wildcards: Any) -> list[str]:
        return self.settings.vectors(*self._of_main_fit(wildcards), block="ranking")

    def ranked_vector_arguments(self, wildcards: Any) -> list[str]:
        return self.settings.vector_arguments(*self._of_main_fit(wildcards), block="ranking")

    def _of_main_fit(self, wildcards: Any) -> tuple[str, str, str, str]:
        folder = f"{self.settings.folder}/fits/{wildcards.dataset}/train/{wildcards.method}/seed-{wildcards.seed}"
        return wildcards.dataset, wildcards.method, wildcards.seed, folder

    def protocols(self, wildcards: Any) -> list[str]:
        """The headline is enough beside the main tables."""
        return self.settings.protocols[:1] if wildcards.settings else self.settings.protocols

    def classifier_arguments(self, wildcards: Any) -> list[str]:
        """Tuning has a number of splits of its own: more splits of the tables choose nothing anew.

        Only numbers of the main tables are compared with LIBLINEAR's.
        """
        section = dict(self.settings.classifier_section)
        if wildcards.settings:
            section["classifier"] = section["classifier"].removesuffix("_checked")
        if is_trial(wildcards.settings):
            section["splits"] = self.section("tuning")["splits"]
        return flags(section)


def is_trial(purpose: str) -> bool:
    return purpose.startswith("trial-")


def read_experiments(settings: Configuration) -> Experiments:
    """Check what the schema cannot know: that methods, networks and parameters exist."""
    experiments = Experiments(settings)
    efficiency, sensitivity = experiments.section("efficiency"), experiments.section("sensitivity")
    for method, changes in efficiency.get("parameters", {}).items():
        complete_parameters(load_method(method).parameters, changes, f"configuration: efficiency.parameters.{method}")
    for method in experiments.timed_methods:
        refuse_scores(method, "efficiency.methods")
        experiments.timing_arguments(method)
    for network in set(efficiency.get("networks", [])) - set(settings.dataset_names):
        known = nearest(network, settings.dataset_names)
        raise UserError(f"configuration: efficiency.networks: no {network!r} in this run{known}")
    for network in set(settings.dataset_names) & set(experiments.scaling_networks):
        raise UserError(f"configuration: datasets: {network} is a name that efficiency.scaling gives to a network")
    for method in experiments.tuned_methods:
        refuse_scores(method, "tuning.methods")
        check_tuned(method, settings)
        experiments.trials(method)
        if not any(experiments.tuner(name) == method for name in experiments.fitted_methods):
            raise UserError(
                f"configuration: tuning.methods: no fit of this run would use what is chosen for {method}; add it to "
                "methods, or leave it out there"
            )
    if sensitivity:
        refuse_scores(sensitivity["method"], "sensitivity.method")
        if sensitivity["dataset"] not in settings.dataset_names:
            known = nearest(sensitivity["dataset"], settings.dataset_names)
            raise UserError(f"configuration: sensitivity.dataset: no {sensitivity['dataset']!r} in this run{known}")
        where = "configuration: sensitivity.parameters"
        for name, values in sensitivity["parameters"].items():
            for value in values:
                checked_value(load_method(sensitivity["method"]).parameters, name, value, where)
                if "/" in str(value):
                    raise UserError(f"{where}.{name}: {value} has a slash, and the value names a folder")
    return experiments


def refuse_scores(method: str, key: str) -> None:
    """A method that scores pairs is not fitted, so there is nothing to time, vary or tune."""
    if load_method(method).kind == "score":
        raise UserError(f"configuration: {key}: {method} scores pairs without a fit; leave it out there")


def check_tuned(method: str, settings: Configuration) -> None:
    """Variants take what their method's tuning chose, and no parameter is both searched and set."""
    base = load_method(method).variant_of
    if base is not None:
        raise UserError(f"configuration: tuning.methods: {method} is a variant of {base}; name {base}, it covers both")
    for name, given in settings.values["parameters"].items():
        twice = sorted(set(load_method(method).search or {}) & set(given))
        if twice and method in (name, load_method(name).variant_of):
            raise UserError(
                f"configuration: parameters.{name}.{twice[0]}: tuning searches it too; leave it out, or leave {method} "
                "out of tuning.methods"
            )


def grid_points(method: Method, most: int) -> list[dict[str, Any]]:
    """At most `most` points of the method's search grid, the default first, the others in a fixed random order."""
    if not method.search:
        raise UserError(f"configuration: tuning.methods: {method.name} has no `search` grid in its method.yaml")
    names = list(method.search)
    points = [dict(zip(names, values, strict=True)) for values in itertools.product(*method.search.values())]
    default = {name: method.defaults[name] for name in names}
    others = [point for point in points if point != default]
    # A fixed order that is not the grid's, so that a small budget does not only vary the last parameter.
    random.Random(method.name).shuffle(others)  # noqa: S311
    return [default, *others][:most]
