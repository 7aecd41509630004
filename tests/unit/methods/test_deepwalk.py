"""DeepWalk: uniform walks, whatever the weights."""

from typing import Any

import numpy as np
import pytest

from methods.contract.registry import load_method
from methods.contract.run import Run
from methods.deepwalk import fit as deepwalk
from tests.conftest import network_of


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> list[np.ndarray]:
    """What reaches skip-gram."""
    caught: list[np.ndarray] = []

    def catch(blocks: Any, *_: Any, **__: Any) -> None:
        caught.extend(blocks())

    monkeypatch.setattr(deepwalk, "skip_gram", catch)
    return caught


def test_walks_go_to_each_neighbor_alike_however_often_it_was_met(walks: list[np.ndarray]) -> None:
    """Node 0 met 1 nine times and 2 once; from 0 both are as likely, and from 1 and 2 only 0 can follow."""
    network = network_of([(0, 1, time) for time in range(9)] + [(0, 2, 9)], n_nodes=4)
    parameters = load_method("deepwalk").defaults | {"walks_per_node": 500, "walk_length": 11}
    deepwalk.fit(network, parameters, Run(1))
    rows = np.concatenate(walks)
    assert rows.shape == (500 * 3, 11)
    assert np.bincount(rows[:, 0], minlength=4).tolist() == [500, 500, 500, 0]
    after_zero = rows[:, 1:][rows[:, :-1] == 0]
    # Five standard deviations of a fair coin.
    assert abs(np.mean(after_zero == 1) - 0.5) < 5 * 0.5 / np.sqrt(len(after_zero))
    assert (rows[:, 1:][rows[:, :-1] != 0] == 0).all()


def test_the_settings_are_the_papers() -> None:
    defaults = load_method("deepwalk").defaults
    assert {key: defaults[key] for key in ("dimensions", "walks_per_node", "walk_length", "window")} == {
        "dimensions": 128,
        "walks_per_node": 80,
        "walk_length": 40,
        "window": 10,
    }
