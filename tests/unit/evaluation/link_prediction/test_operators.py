"""The four operators, by hand."""

import numpy as np
import pytest

from evaluation.link_prediction.operators import OPERATORS


@pytest.mark.parametrize(
    ("operator", "expected"),
    [("mean", [2.0, 1.0]), ("hadamard", [3.0, -8.0]), ("weighted_l1", [2.0, 6.0]), ("weighted_l2", [4.0, 36.0])],
)
def test_operator_has_the_papers_definition(operator, expected):
    e_x, e_y = np.array([[1.0, -2.0], [3.0, 4.0]])
    assert OPERATORS[operator](e_x, e_y).tolist() == expected
    assert OPERATORS[operator](e_y, e_x).tolist() == expected, "an undirected pair has one representation"
