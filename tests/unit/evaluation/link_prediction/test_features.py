"""Features a block at a time are the features of the whole."""

import numpy as np
import pytest

import evaluation.link_prediction.features
from evaluation.link_prediction.features import PairFeatures, blocks, table_of
from evaluation.link_prediction.operators import OPERATORS

GENERATOR = np.random.default_rng(1)
VECTORS = GENERATOR.normal(size=(5, 3))
SOURCE, TARGET = GENERATOR.integers(0, 5, size=(2, 9), dtype=np.int32)


def whole(features, rows):
    return np.concatenate([block.copy() for _, block in blocks(features, rows)])


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.parametrize("size", [2, 3, 100])
def test_blocks_hold_the_operator_of_the_rows_in_their_order_then_the_constant_of_the_bias(operator, size, monkeypatch):
    monkeypatch.setattr(evaluation.link_prediction.features, "BLOCK", size)
    rows = np.array([8, 0, 0, 3, 5])
    found = whole(PairFeatures(operator, VECTORS, SOURCE, TARGET), rows)
    assert np.array_equal(found[:, :-1], OPERATORS[operator](VECTORS[SOURCE[rows]], VECTORS[TARGET[rows]]))
    assert (found[:, -1] == 1).all()


def test_the_table_holds_all_blocks(monkeypatch):
    monkeypatch.setattr(evaluation.link_prediction.features, "BLOCK", 2)
    features, rows = PairFeatures("hadamard", VECTORS, SOURCE, TARGET), np.array([1, 7, 2])
    assert np.array_equal(table_of(features, rows), whole(features, rows))
