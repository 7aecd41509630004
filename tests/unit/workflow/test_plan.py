"""The plan of a run: what it lists, what is done already, what would make it smaller, and how near it comes."""

import csv
from collections import Counter
from pathlib import Path

import pytest
import yaml

from harness.files import write_json
from workflow.configuration import read_configuration
from workflow.costs import Costs
from workflow.experiments import read_experiments
from workflow.plan import make_plan, report
from workflow.steps import steps_of

ROOT = Path(__file__).parents[3]
SMALL = {"run": "small", "datasets": ["digg"], "methods": ["line", "edgebank"]}


def experiments(name="", **changes):
    config = yaml.safe_load((ROOT / "config" / f"{name}.yaml").read_text()) if name else SMALL
    return read_experiments(read_configuration(config | changes))


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """Where no run has left anything."""
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("path", sorted((ROOT / "config").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_step_comes_after_those_it_waits_for(path):
    seen = set()
    for step in steps_of(experiments(path.stem)):
        assert set(step.waits_for) <= seen, step
        seen.add(step.output)


def test_the_standard_run_keeps_its_promise():
    plan = make_plan(experiments("paper"), 16)
    assert plan.schedule(16, memory_gb=64).makespan_seconds < 24 * 3600
    assert sum(item.cost.disk_bytes for item in plan.items) < 100e9
    assert {step.step.experiment for step in plan.items} >= {
        *("link prediction", "reconstruction", "ablation", "efficiency", "sensitivity", "tuning")
    }


def test_the_quick_run_keeps_its_promise():
    plan = make_plan(experiments("quick"), 16)
    assert plan.schedule(16, memory_gb=64).makespan_seconds < 2 * 3600
    assert {item.step.method for item in plan.items} >= {"line", "node2vec", "ctdne", "htne", "ehna"}


@pytest.mark.parametrize("name", ["paper", "quick"])
def test_a_run_that_leaves_something_out_says_so_where_its_numbers_are(name):
    assert "floor" in experiments(name).settings.values["note"]


def test_what_is_there_is_done_and_not_counted_again():
    chosen = experiments()
    before = make_plan(chosen, 2)
    fit = next(item.step for item in before.items if item.step.rule == "fit")
    write_json(Path(fit.output), {"cpu_seconds": 1.0})
    after = make_plan(chosen, 2)
    assert len(after.rest) == len(before.rest) - 1
    assert "done already: 1 jobs" in report(after)


def test_a_finished_run_has_no_plan_left():
    chosen = experiments(methods=["edgebank"])
    for step in steps_of(chosen):
        write_json(Path(step.output), {})
    assert "left: 0 jobs" in report(make_plan(chosen, 2))


def test_the_report_names_the_largest_items_and_the_keys_that_shrink_them():
    said = report(make_plan(experiments(methods=["node2vec", "line"]), 16))
    less = said.partition("to take less:")[2].splitlines()[1]
    assert "link prediction of node2vec" in less
    assert "parameters.node2vec.walks_per_node" in less


def test_a_network_of_unknown_size_is_named():
    own = {"name": "mine", "path": "missing.csv"}
    assert "how large they are: mine" in report(make_plan(experiments(datasets=[own]), 2))


# CPU seconds of the steps of one run of the demo on two cores with other work beside it, the fits' from their fit.json.
RECORD = Path(__file__).with_name("demo_costs.csv")


def test_the_plan_of_the_demo_is_within_a_factor_of_two_of_a_run_of_it():
    with RECORD.open(newline="") as file:
        took = {f"results/demo/{row['output']}": float(row["cpu_seconds"]) for row in csv.DictReader(file)}
    demo = experiments("demo")
    costs = Costs(demo)
    said, measured = Counter(), Counter()
    for step in steps_of(demo):
        if step.output in took:
            for group in ("all", step.experiment):
                said[group] += costs.by_table(step).cpu_seconds
                measured[group] += took[step.output]
    assert set(measured) == {
        "all",
        "networks",
        "link prediction",
        "reconstruction",
        "ablation",
        "sensitivity",
        "tuning",
    }
    for group, seconds in measured.items():
        assert seconds / 2 < said[group] < 2 * seconds, (group, said[group], seconds)
