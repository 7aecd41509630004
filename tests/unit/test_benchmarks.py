"""Benchmarks: which rows are kept and when, and that EHNA and its peer in plain torch are the same method."""

import json
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from benchmarks import __main__ as command
from benchmarks import ehna
from benchmarks.measurement import Measurement
from datasets.network import TemporalNetwork
from datasets.synthetic import generate
from methods.registry import load_method

SMALL = {"dimensions": 8, "walks": 3, "walk_length": 4, "batch_size": 64}


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


@pytest.fixture(scope="module")
def network() -> TemporalNetwork:
    return generate(100, 1000, seed=1)


@pytest.mark.parametrize("context", ["in_batch", "temporal", "two_hop"])
def test_ehna_and_plain_torch_have_the_same_losses(context: str, network: TemporalNetwork) -> None:
    params = load_method("ehna").defaults | SMALL | {"negative_context": context}
    trial = ehna.Trial(network, params, threads=1)
    for number in range(ehna.COMPARED):
        trial.train(number)
    assert trial.loss == pytest.approx(trial.plain_loss, rel=1e-4)


def test_a_peer_that_learns_otherwise_is_no_peer(network: TemporalNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = ehna.PlainEHNA
    monkeypatch.setattr(ehna, "PlainEHNA", lambda model, rate, table_rate: plain(model, rate, 1.5 * table_rate))
    trial = ehna.Trial(network, load_method("ehna").defaults | SMALL, threads=1)
    trial.train(0)
    with pytest.raises(AssertionError, match=r"batch 2: our loss is .*, that of plain torch .*; they differ by more"):
        trial.train(1)
