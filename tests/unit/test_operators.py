"""The four operators, by hand."""

import numpy as np
import pytest

import evaluation.operators
from evaluation.operators import OPERATORS, fill_features

VECTORS = np.array([[1.0, -2.0], [3.0, 4.0], [0.0, 0.5]], dtype=np.float32)


@pytest.mark.parametrize(
    ("operator", "expected"),
    [
        ("mean", [2.0, 1.0]),
        ("hadamard", [3.0, -8.0]),
        ("weighted_l1", [2.0, 6.0]),
        ("weighted_l2", [4.0, 36.0]),
    ],
)
def test_operator_has_the_papers_definition(operator, expected):
    e_x, e_y = VECTORS[:2].astype(np.float64)
    assert OPERATORS[operator](e_x, e_y).tolist() == expected
    assert OPERATORS[operator](e_y, e_x).tolist() == expected, "an undirected pair has one representation"


@pytest.mark.parametrize("operator", OPERATORS)
def test_features_do_not_depend_on_the_block_size(operator, monkeypatch):
    generator = np.random.default_rng(1)
    source, target = generator.integers(0, 3, size=(2, 7), dtype=np.int32)
    whole, in_blocks = np.empty((7, 2)), np.empty((7, 2))
    fill_features(operator, VECTORS, source, target, whole)
    monkeypatch.setattr(evaluation.operators, "BLOCK", 3)
    fill_features(operator, VECTORS, source, target, in_blocks)
    assert np.array_equal(whole, in_blocks)


def test_features_are_computed_in_float64():
    vectors = np.array([[1.0], [1e-5]], dtype=np.float32)
    out = np.empty((1, 1))
    fill_features("hadamard", vectors, np.array([1], np.int32), np.array([1], np.int32), out)
    assert out[0, 0] == float(vectors[1, 0]) ** 2
