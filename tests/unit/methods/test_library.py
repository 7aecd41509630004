"""`fit` in a notebook is the fit of the command line."""

from pathlib import Path

import numpy as np
import pytest

from methods import fit
from methods.__main__ import main
from methods.contract.errors import MethodError
from networks import TemporalNetwork


def test_vectors_are_those_of_the_command_line(
    path: TemporalNetwork, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.save(tmp_path / "train.arrow")
    words = ["fit", "htne", "--network", "train.arrow", "--out", "out", "--seed", "3", "--set", "dimensions=4"]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["methods", *words])
    assert main() == 0
    vectors = fit("htne", path, seed=3, dimensions=4)
    assert vectors.tobytes() == np.load("out/embeddings.npy").tobytes()


@pytest.mark.parametrize(
    ("name", "parameters", "sentence"),
    [
        ("htn", {}, "no method named 'htn'; did you mean 'htne'?"),
        ("htne", {"dimension": 4}, "fit('htne'): unknown parameter 'dimension'; did you mean 'dimensions'?"),
        ("edgebank", {}, "edgebank scores pairs and has no vectors; use `python -m methods score`"),
    ],
)
def test_a_mistake_is_one_sentence(name: str, parameters: dict[str, int], sentence: str, path: TemporalNetwork) -> None:
    with pytest.raises(MethodError) as refused:
        fit(name, path, **parameters)
    assert str(refused.value) == sentence
