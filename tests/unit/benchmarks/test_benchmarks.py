"""Benchmarks: which rows are kept and when, and that EHNA's compare like with like; no time is asserted."""

import json
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import psutil
import pytest
import torch

from benchmarks import __main__ as command
from benchmarks import ehna, ehna_scaling, forward_walks
from benchmarks.measurement import Measurement, in_turns
from benchmarks.peers import environment
from harness.errors import UserError
from methods.contract.registry import load_method
from methods.ehna import aggregation
from networks.network import TemporalNetwork
from networks.synthetic import generate

SMALL = load_method("ehna").defaults | {"dimensions": 8, "walks": 2, "final_walks": 3, "walk_length": 3}


def measured(name: str, ours: float = 2.0) -> Measurement:
    return Measurement(name, ours, 1.0, "steps/s", "toy")


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "benchmarks.json"
    monkeypatch.setattr(command, "RESULTS", path)
    monkeypatch.setattr(command, "benchmark_names", lambda: ["walks", "loader"])
    return path


def run(monkeypatch: pytest.MonkeyPatch, name: str, measurements: Any) -> None:
    module = SimpleNamespace(measure=lambda: measurements)
    monkeypatch.setattr(command.importlib, "import_module", {f"benchmarks.{name}": module}.__getitem__)
    command.measure(SimpleNamespace(names=[name]))


def stored(results: Path) -> list[tuple[str, str, float]]:
    return [(row["benchmark"], row["name"], row["ours"]) for row in json.loads(results.read_text())]


def test_rows_of_a_benchmark_are_replaced_as_a_set(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(monkeypatch, "walks", [measured("old name"), measured("same name", 1.0)])
    run(monkeypatch, "loader", [measured("reads")])
    run(monkeypatch, "walks", [measured("same name", 3.0), measured("new name")])
    assert stored(results) == [
        ("loader", "reads", 2.0),
        ("walks", "same name", 3.0),
        ("walks", "new name", 2.0),
    ]


def test_rows_of_benchmarks_that_are_gone_are_dropped(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results.write_text(json.dumps([{"benchmark": "gone", "name": "a"}, {"name": "from before rows knew theirs"}]))
    run(monkeypatch, "walks", [measured("new")])
    assert stored(results) == [("walks", "new", 2.0)]


def test_a_stopped_run_keeps_what_it_measured(results: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped() -> Iterator[Measurement]:
        yield measured("first")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(monkeypatch, "walks", stopped())
    assert stored(results) == [("walks", "first", 2.0)]


def test_turns_go_round_and_the_best_of_each_is_compared() -> None:
    asked: list[str] = []
    rates = {"ours": iter([3.0, 8.0]), "theirs": iter([4.0, 2.0])}

    def of(name: str) -> Any:
        return lambda: (asked.append(name), next(rates[name]))[1]

    turns = in_turns({name: of(name) for name in rates}, rounds=2)
    assert asked == ["ours", "theirs", "ours", "theirs"]
    row = turns.measurement("walks", "ours", "theirs", "steps/s", "toy", target=None).as_row()
    assert (row["ours"], row["peer"], row["ratio"]) == (8.0, 4.0, 2.0)
    assert row["rounds"] == {"ours": [3.0, 8.0], "peer": [4.0, 2.0]}
    assert len(row["load"]) == 2  # type: ignore[arg-type]


def test_walks_of_another_law_are_not_compared() -> None:
    forward_walks.refuse_other_walks({"ours": 4.0, "peer": 4.05})
    with pytest.raises(UserError, match=r"4\.000 steps a walk, but the peer's have 5\.000"):
        forward_walks.refuse_other_walks({"ours": 4.0, "peer": 5.0})


@pytest.mark.parametrize(("program", "answer"), [("import os; os.abort()", None), ("print(input())", {"rate": 1.5})])
def test_a_peer_that_ends_before_it_answers_is_an_error(
    program: str, answer: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "peer.py").write_text(program)
    monkeypatch.setattr(environment, "__file__", str(tmp_path / "environment.py"))
    monkeypatch.setattr(environment, "peer_python", lambda: sys.executable)
    with environment.peer_in_turns("peer") as peer:
        if answer is not None:
            assert peer('{"rate": 1.5}') == answer
        with pytest.raises(UserError, match="the peer failed"):
            peer("again")


def test_nothing_that_a_peer_started_is_left_running(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = "import json, subprocess\nchild = subprocess.Popen(['sleep', '300'])\ninput()\n"
    program += "print(json.dumps({'pid': child.pid}), flush=True)\ninput()\n"
    (tmp_path / "peer.py").write_text(program)
    monkeypatch.setattr(environment, "__file__", str(tmp_path / "environment.py"))
    monkeypatch.setattr(environment, "peer_python", lambda: sys.executable)
    with environment.peer_in_turns("peer") as peer:
        child = psutil.Process(int(peer("any")["pid"]))
        assert child.is_running()
    while child.is_running() and child.status() != psutil.STATUS_ZOMBIE:
        time.sleep(0.01)


@pytest.fixture(scope="module")
def network() -> Iterator[TemporalNetwork]:
    """So small that a second thread of torch would only wait."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield generate(100, 1000, seed=1)
    torch.set_num_threads(threads)


@pytest.fixture
def trial(network: TemporalNetwork, monkeypatch: pytest.MonkeyPatch) -> ehna.Trial:
    monkeypatch.setattr(ehna, "TURNS", 1)
    monkeypatch.setattr(ehna, "TURN_BATCHES", 1)
    monkeypatch.setattr(aggregation, "ROWS_AT_ONCE", 16)
    return ehna.Trial(network, SMALL, threads=1)


@pytest.mark.parametrize("action", ["train", "export"])
def test_ehna_in_chunks_and_with_whole_batches_is_the_same(action: str, trial: ehna.Trial) -> None:
    before = trial.model.vectors.copy()
    trial.turns(getattr(trial, action))
    assert np.array_equal(trial.model.vectors, before), "a turn must not change what the next one starts from"


def test_sides_that_find_different_things_are_not_compared(trial: ehna.Trial) -> None:
    def sized(_model: object, _number: int) -> Any:
        return np.array(1.0 if aggregation.ROWS_AT_ONCE == 16 else 1.001)

    with pytest.raises(AssertionError, match=r"sized: what comes out in chunks differs .* by 0\.001 of itself"):
        trial.turns(sized)


def test_a_curve_has_a_row_for_every_value_but_the_default(
    network: TemporalNetwork, monkeypatch: pytest.MonkeyPatch
) -> None:
    untrained = replace(load_method("ehna_untrained"), defaults=SMALL | {"weight_epochs": 0, "epochs": 0})
    monkeypatch.setattr(ehna, "load_method", lambda _name: untrained)
    monkeypatch.setattr(ehna, "CURVES", {"final_walks": (1, 3), "walk_length": (1, 3)})
    monkeypatch.setattr(ehna, "SEEDS", range(1, 3))
    rows = list(ehna.curves(network))
    assert [row.name.split(": ")[1] for row in rows] == ["final_walks 1 / 3", "walk_length 1 / 3"]
    assert rows[0].peer == rows[1].peer
    assert all(0.5 < row.ours < 1 for row in rows)


def test_scaling_rows_of_one_size_compare_it_with_the_smallest(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = {"DBLP (HTNE)": 60.0, "Digg": 600.0}
    monkeypatch.setattr(ehna_scaling, "cost_at", lambda name: ehna_scaling.Cost(seconds[name], 3.0, "chosen: nothing"))
    rows = {row.name: row for row in ehna_scaling.measure(["Digg"])}
    assert not any("Tmall" in name for name in rows)
    assert rows["EHNA at Digg's size: whole fit"].ratio == pytest.approx(12 / 10)
    assert rows["EHNA at Digg's size: peak memory"].ratio == pytest.approx(6 / 3)
    per_contact = rows["EHNA at Digg's size: seconds per contact"]
    assert per_contact.ratio == pytest.approx((60 / 236_894) / (600 / 1_731_653))


def test_the_cost_of_a_whole_fit_tells_what_was_chosen(
    network: TemporalNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = replace(load_method("ehna"), defaults=SMALL)
    monkeypatch.setattr(ehna_scaling, "load_method", lambda _name: small)
    monkeypatch.setattr(ehna_scaling, "compile_kernels", lambda _params, _threads: None)
    monkeypatch.setattr(ehna_scaling.os, "cpu_count", lambda: 1)
    network.save(tmp_path / "network.arrow")
    cost = ehna_scaling.fit_whole(tmp_path / "network.arrow")
    assert cost.seconds > 0
    assert cost.peak_gb > 0
    assert cost.choice.startswith("chosen: ")
    assert (tmp_path / "checkpoint.npz").exists(), "a fit of the workflow keeps checkpoints"
