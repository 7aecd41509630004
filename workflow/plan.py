"""The plan of a run before it starts: jobs, core hours, wall hours, memory and disk, and what would make it smaller."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from workflow.costs import Cost, Costs, corrections
from workflow.experiments import Experiments
from workflow.schedule import Schedule, Task, schedule
from workflow.steps import Step, steps_of

# Of the machines that a plan is made for.
GB_PER_CORE = 4
# What to change in the configuration for fewer hours of an experiment.
KEYS = {
    "tuning": "tuning.trials, or fewer tuning.methods",
    "ablation": "ablation (fewer variants), seeds",
    "sensitivity": "sensitivity.parameters (fewer values), sensitivity.seeds",
    "efficiency": "efficiency.parameters (less work per fit), efficiency.methods, efficiency.networks",
    "ranking": "ranking (leave it out), ranking.queries, ranking.negatives",
    "reconstruction": "reconstruction.seeds, reconstruction.draws",
    "link prediction": "seeds, link_prediction.protocols, link_prediction.splits",
}
# And of a method's fits.
METHOD_KEYS = {
    "node2vec": "parameters.node2vec.walks_per_node",
    "ctdne": "parameters.ctdne.walks_per_node",
    "line": "parameters.line.samples_per_edge",
    "htne": "parameters.htne.epochs",
    "ehna": "parameters.ehna.final_walks",
}


@dataclass(frozen=True)
class Item:
    step: Step
    cost: Cost
    done: bool


@dataclass(frozen=True)
class Plan:
    """All steps with their estimates; `rest` are those whose files are not there yet."""

    experiments: Experiments
    cores: int
    items: list[Item]
    unsized: list[str]

    @cached_property
    def rest(self) -> list[Item]:
        return [item for item in self.items if not item.done]

    def schedule(self, cores: int, memory_gb: float = float("inf"), machines: int = 1) -> Schedule:
        tasks = [task_of(item, cores) for item in self.rest]
        return schedule(tasks, cores, memory_gb * 1000, machines)


def task_of(item: Item, cores: int) -> Task:
    """A timed fit takes all cores of the machine and works on as many as the method has threads."""
    step, cost = item.step, item.cost
    threads = min(cores, step.threads)
    taken = cores if step.rule == "timing" else threads
    return Task(step.output, cost.wall_seconds(threads), taken, threads, cost.asked_mb, step.waits_for)


def make_plan(experiments: Experiments, cores: int) -> Plan:
    steps = steps_of(experiments)
    done = {step.output for step in steps if Path(step.output).exists()}
    costs = Costs(experiments)
    costs = Costs(experiments, corrections(costs, (step for step in steps if step.output in done)))
    return Plan(
        experiments, cores, [Item(step, costs.of(step), step.output in done) for step in steps], costs.unsized()
    )


def report(plan: Plan) -> str:
    """What `python -m workflow plan` prints."""
    total, rest = plan.items, plan.rest
    run = plan.experiments.settings.run
    lines = [f"{run}: {len(total):,} jobs, {hours(total)} core hours, {disk_gb(total):.3g} GB of vectors and networks"]
    if len(rest) < len(total):
        done = len(total) - len(rest)
        lines.append(f"done already: {done:,} jobs; left: {len(rest):,} jobs, {hours(rest)} core hours")
    largest = max(rest, key=lambda item: item.cost.memory_mb, default=None)
    if largest is not None:
        lines.append(f"largest job: {largest.cost.memory_mb / 1000:.1f} GB of memory ({words(largest.step)})")
        lines += ["", *makespans(plan), ""]
        for title, key in (
            ("network", lambda step: step.dataset),
            ("experiment", lambda step: step.experiment),
            ("method", lambda step: step.method),
            ("step", lambda step: step.rule),
        ):
            lines += [*table(title, rest, key), ""]
        lines += ["to take less:", *(f"  {line}" for line in advice(rest))]
    if plan.unsized:
        lines.append(f"not counted, because nothing says how large they are: {', '.join(plan.unsized)}")
    lines.append(
        "Downloads are not counted. Costs: workflow/costs.yaml, corrected by what finished steps of this run took."
    )
    return "\n".join(lines)


def makespans(plan: Plan) -> list[str]:
    lines = [f"wall time with {GB_PER_CORE} GB of memory per core, the longest way to go first:"]
    for cores, machines in dict.fromkeys([(plan.cores, 1), (16, 1), (64, 1), (16, 10)]):
        text = f"{machines} x {cores} cores" if machines > 1 else f"{cores} cores"
        found = plan.schedule(cores, GB_PER_CORE * cores, machines)
        busy = f"{found.utilisation(cores * machines):4.0%} of the cores at work"
        lines.append(f"  {text:<16}{found.makespan_seconds / 3600:8.2f} h, {busy}")
    return lines


def table(title: str, items: Iterable[Item], key: Callable[[Step], str]) -> list[str]:
    groups: dict[str, list[Item]] = defaultdict(list)
    for item in items:
        groups[key(item.step) or "(all)"].append(item)
    lines = [f"{'by ' + title:<22}{'jobs':>7}{'core hours':>12}{'disk GB':>9}"]
    for name, group in sorted(groups.items(), key=lambda pair: -seconds(pair[1])):
        lines.append(f"  {name:<20}{len(group):>7,}{hours(group):>12}{disk_gb(group):>9.2f}")
    return lines


def advice(items: list[Item]) -> list[str]:
    """The three largest pairs of experiment and method, and the keys that shrink them."""
    groups: dict[tuple[str, str], list[Item]] = defaultdict(list)
    for item in items:
        groups[item.step.experiment, item.step.method].append(item)
    largest = sorted(groups.items(), key=lambda pair: -seconds(pair[1]))[:3]
    return [
        f"{experiment} of {method or 'all'}: {hours(group)} core hours; "
        + "; ".join(filter(None, (KEYS.get(experiment), METHOD_KEYS.get(method))))
        for (experiment, method), group in largest
    ]


def words(step: Step) -> str:
    return " ".join(filter(None, (step.rule, step.dataset, step.method, step.purpose.strip("/"))))


def seconds(items: Iterable[Item]) -> float:
    return sum(item.cost.cpu_seconds for item in items)


def hours(items: Iterable[Item]) -> str:
    return f"{seconds(items) / 3600:,.2f}"


def disk_gb(items: Iterable[Item]) -> float:
    return sum(item.cost.disk_bytes for item in items) / 1e9
