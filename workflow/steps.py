"""Every step of a run, with the file that it makes: what a plan counts."""

from collections.abc import Iterator
from dataclasses import dataclass

from workflow.experiments import Experiments, is_trial

REPORT = ("tables", "figures", "manifest", "page")


@dataclass(frozen=True)
class Step:
    """One job: its rule, what it is about, the experiment it is for, the file it makes and those it waits for."""

    rule: str
    experiment: str
    output: str
    waits_for: tuple[str, ...] = ()
    dataset: str = ""
    method: str = ""
    edges: str = ""
    purpose: str = ""
    threads: int = 1
    block: str = "test"  # whose pairs are scored


def steps_of(experiments: Experiments) -> list[Step]:
    """All steps but downloads, in an order in which each comes after those it waits for."""
    run = StepsOfRun(experiments)
    found: dict[str, Step] = {}
    for step in [*run.networks(), *run.tuning(), *run.efficiency(), *run.sensitivity(), *run.main()]:
        found.setdefault(step.output, step)
    before = tuple(found)
    for rule in REPORT:
        step = Step(rule, "report", f"{run.folder}/{REPORT_OUTPUTS[rule]}", before)
        found[step.output] = step
        before = (step.output,)
    return list(found.values())


REPORT_OUTPUTS = {"tables": "tables", "figures": "figures", "manifest": "manifest.json", "page": "index.html"}


@dataclass(frozen=True)
class StepsOfRun:
    experiments: Experiments

    @property
    def folder(self) -> str:
        return self.experiments.settings.folder

    def networks(self) -> Iterator[Step]:
        settings = self.experiments.settings
        for dataset in settings.dataset_names:
            prepared = f"{self.folder}/networks/{dataset}/network.arrow"
            split = f"{self.folder}/networks/{dataset}/split.json"
            yield Step("prepare", "networks", prepared, dataset=dataset)
            yield Step("split", "networks", split, (prepared,), dataset)
            for draw in settings.draws:
                yield Step("examples", "networks", self.examples(dataset, "test", draw), (split,), dataset)
                if "ranking" in settings.values:
                    yield Step("queries", "ranking", self.examples(dataset, "ranking", draw), (split,), dataset)
            if self.experiments.tuned_methods:
                yield Step("examples", "networks", self.examples(dataset, "validation", 1), (split,), dataset)
            leakage = f"{self.folder}/leakage/{dataset}.json"
            yield Step("leakage", "networks", leakage, (self.examples(dataset, "test", 1),), dataset)
        yield Step("describe", "report", f"{self.folder}/run.json")

    def examples(self, dataset: str, block: str, draw: int) -> str:
        return f"{self.folder}/examples/{dataset}/{block}/draw-{draw}.arrow"

    def tuning(self) -> Iterator[Step]:
        experiments = self.experiments
        seed = experiments.settings.seeds[0]
        for dataset in experiments.settings.dataset_names:
            for method in experiments.tuned_methods:
                tables = []
                for trial in range(len(experiments.trials(method))):
                    for step in self.predicted("tuning", dataset, method, seed, f"trial-{trial}/"):
                        yield step
                        tables.append(step.output)
                (choice,) = experiments.chosen_file(dataset, method)
                yield Step("choose", "tuning", choice, tuple(tables), dataset, method)

    def efficiency(self) -> Iterator[Step]:
        for network in self.experiments.scaling_networks if self.experiments.timed_methods else ():
            yield Step("generate", "efficiency", self.experiments.timed_network(network), dataset=network)
        for record in self.experiments.timing_files():
            network, method = record.split("/")[-3:-1]
            before = [self.experiments.timed_network(network), *self.experiments.chosen_file(network, method)]
            waits = tuple(path.replace("train.arrow", "split.json") for path in before)
            threads = self.experiments.settings.threads_of(method)
            yield Step("timing", "efficiency", record, waits, network, method, "train", threads=threads)

    def sensitivity(self) -> Iterator[Step]:
        for table in self.experiments.sensitivity_files():
            dataset, method, setting, file = table.split("/")[-4:]
            seed = int(file.removeprefix("seed-").removesuffix(".csv"))
            yield from self.predicted("sensitivity", dataset, method, seed, f"{setting}/")

    def main(self) -> Iterator[Step]:
        settings = self.experiments.settings
        names = [method.name for method in settings.methods]
        for table in settings.link_prediction_files():
            dataset, method, file = table.split("/")[-3:]
            seed = int(file.removeprefix("seed-").removesuffix(".csv"))
            if method in settings.values["embeddings"]:
                examples = self.examples(dataset, "test", 1)
                yield Step("link_prediction", "link prediction", table, (examples,), dataset, method)
            else:
                experiment = "link prediction" if method in names else "ablation"
                yield from self.predicted(experiment, dataset, method, seed, "")
        for table in settings.ranking_files():
            dataset, method, file = table.split("/")[-3:]
            queries = [self.examples(dataset, "ranking", draw) for draw in settings.draws]
            before = queries
            if method not in settings.values["embeddings"]:
                seed = int(file.removeprefix("seed-").removesuffix(".csv"))
                found = list(self.fitted_or_scored("ranking", dataset, method, seed, "", queries, "ranking"))
                yield from found
                before = [*(step.output for step in found), *queries]
            yield Step("ranking", "ranking", table, tuple(before), dataset, method, "train")
        for table in settings.reconstruction_files():
            dataset, method, file = table.split("/")[-3:]
            fit = self.fit("reconstruction", dataset, "all", method, f"{file.removesuffix('.csv')}")
            yield fit
            yield Step("reconstruction", "reconstruction", table, (fit.output,), dataset, method, "all")

    def predicted(self, experiment: str, dataset: str, method: str, seed: int, purpose: str) -> Iterator[Step]:
        """The fit, or the scores, and the evaluation of its link prediction."""
        edges, block = ("tuning", "validation") if is_trial(purpose) else ("train", "test")
        draws = [1] if is_trial(purpose) else self.experiments.settings.draws
        examples = [self.examples(dataset, block, draw) for draw in draws]
        found = list(self.fitted_or_scored(experiment, dataset, method, seed, purpose, examples, "test"))
        yield from found
        before = [step.output for step in found]
        table = f"{self.folder}/link_prediction/{dataset}/{method}/{purpose}seed-{seed}.csv"
        yield Step("link_prediction", experiment, table, (*before, *examples), dataset, method, edges, purpose)

    def fitted_or_scored(
        self, experiment: str, dataset: str, method: str, seed: int, purpose: str, examples: list[str], block: str
    ) -> Iterator[Step]:
        """The fit of a method, or its scores of these example sets, one per draw."""
        edges = "tuning" if is_trial(purpose) else "train"
        if self.experiments.settings.method(method).kind == "score":
            for draw, example in enumerate(examples, start=1):
                record = f"{self.folder}/scores/{dataset}/{block}/{method}/seed-{seed}/draw-{draw}/score.json"
                yield Step("score", experiment, record, (example,), dataset, method, edges, block=block)
        else:
            yield self.fit(experiment, dataset, edges, method, f"{purpose}seed-{seed}", purpose)

    def fit(self, experiment: str, dataset: str, edges: str, method: str, last: str, purpose: str = "") -> Step:
        record = f"{self.folder}/fits/{dataset}/{edges}/{method}/{last}/fit.json"
        waits = [f"{self.folder}/networks/{dataset}/{'network.arrow' if edges == 'all' else 'split.json'}"]
        waits += [] if is_trial(purpose) else self.experiments.chosen_file(dataset, method)
        threads = self.experiments.settings.threads_of(method)
        return Step("fit", experiment, record, tuple(waits), dataset, method, edges, purpose, threads)
