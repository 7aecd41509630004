"""A list schedule of tasks that can be drawn on paper."""

import pytest

from workflow.schedule import Task, schedule


def task(name, seconds, cores=1, busy=None, memory_mb=0, after=()):
    return Task(name, seconds, cores, busy or cores, memory_mb, tuple(after))


def test_the_longest_starts_first():
    # Short ones first would take 2 + 6 on two cores.
    found = schedule([task("a", 2), task("b", 2), task("c", 2), task("d", 6)], cores=2)
    assert found.makespan_seconds == 6
    assert found.utilisation(2) == 1


def test_a_task_waits_for_those_it_names_and_for_no_file_that_nobody_makes():
    found = schedule([task("fit", 3, after=["network", "there already"]), task("network", 2)], cores=4)
    assert found.makespan_seconds == 5


def test_what_others_wait_for_longest_goes_before_a_longer_task():
    tasks = [task("trial", 2), task("fit", 5, after=["trial"]), task("alone", 3)]
    assert schedule(tasks, cores=1).makespan_seconds == 10
    tasks = [task("trial", 2), task("fit", 6, after=["trial"]), task("alone", 3), task("other", 3)]
    assert schedule(tasks, cores=2).makespan_seconds == 8


def test_memory_holds_tasks_back():
    two = [task("a", 1, memory_mb=40), task("b", 1, memory_mb=40)]
    assert schedule(two, cores=2, memory_mb=64).makespan_seconds == 2
    assert schedule(two, cores=2, memory_mb=80).makespan_seconds == 1


def test_a_task_that_wants_more_than_there_is_gets_the_machine():
    assert schedule([task("a", 1, cores=16, memory_mb=99)], cores=2, memory_mb=64).makespan_seconds == 1


def test_cores_that_are_held_but_idle_do_not_count_as_work():
    found = schedule([task("timed", 4, cores=16, busy=1)], cores=16)
    assert found.utilisation(16) == pytest.approx(1 / 16)


def test_machines_do_not_share_their_cores():
    found = schedule([task(str(number), 1, cores=3) for number in range(4)], cores=4, machines=2)
    assert found.makespan_seconds == 2
    assert schedule([], cores=4).makespan_seconds == 0
