"""When the steps of a run would start on so many cores: of those that are ready, the one with the longest way to go."""

import heapq
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Task:
    """What a step keeps from others and how long; `busy` of its cores work. `waits_for` are names of other tasks."""

    name: str
    seconds: float
    cores: int
    busy: int
    memory_mb: float
    waits_for: tuple[str, ...] = ()


@dataclass(frozen=True)
class Schedule:
    makespan_seconds: float
    busy_core_seconds: float

    def utilisation(self, cores: int) -> float:
        return self.busy_core_seconds / (self.makespan_seconds * cores) if self.makespan_seconds else 0.0


def schedule(tasks: Sequence[Task], cores: int, memory_mb: float = float("inf"), machines: int = 1) -> Schedule:
    """A list schedule: whatever is ready starts on the machine with most free cores; first whatever begins the longest
    chain of tasks that wait for one another.

    A task that asks for more than a machine has gets the whole machine, as from snakemake.
    """
    known = {task.name for task in tasks}
    to_the_end = chains(tasks)
    missing = {task.name: sum(name in known for name in set(task.waits_for)) for task in tasks}
    waiting: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        for name in set(task.waits_for) & known:
            waiting[name].append(task)
    ready = [task for task in tasks if not missing[task.name]]
    free = [[float(cores), memory_mb] for _ in range(machines)]
    running: list[tuple[float, int, int, int, float, str]] = []
    now = busy = 0.0
    number = 0
    while ready or running:
        ready.sort(key=lambda task: -to_the_end[task.name])
        left = []
        for task in ready:
            need, memory = min(task.cores, cores), min(task.memory_mb, memory_mb)
            machine = max(range(machines), key=lambda i: free[i])
            if free[machine][0] < need or free[machine][1] < memory:
                left.append(task)
                continue
            free[machine][0] -= need
            free[machine][1] -= memory
            busy += task.seconds * task.busy
            number += 1
            heapq.heappush(running, (now + task.seconds, number, machine, need, memory, task.name))
        ready = left
        now, _, machine, cores_freed, memory_freed, name = heapq.heappop(running)
        free[machine][0] += cores_freed
        free[machine][1] += memory_freed
        for task in waiting[name]:
            missing[task.name] -= 1
            if not missing[task.name]:
                ready.append(task)
    return Schedule(now, busy)


def chains(tasks: Sequence[Task]) -> dict[str, float]:
    """By task: the seconds of the longest chain that begins with it."""
    after: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        for name in task.waits_for:
            after[name].append(task)
    found: dict[str, float] = {}

    def chain(task: Task) -> float:
        if task.name not in found:
            found[task.name] = task.seconds + max(map(chain, after[task.name]), default=0.0)
        return found[task.name]

    for task in tasks:
        chain(task)
    return found
