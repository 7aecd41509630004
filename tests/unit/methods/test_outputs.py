"""What a method returned, against the contract."""

from typing import Any

import numpy as np
import pytest

from methods.contract.errors import MethodError
from methods.running.outputs import checked_embeddings, checked_scores

ONE_NAN = np.array([[0, 0], [0, np.nan], [np.inf, 0]])


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "uint8", "bool", ">f4"])
def test_real_numbers_of_any_type_become_float32(dtype: str) -> None:
    embeddings = checked_embeddings(np.ones((3, 2), dtype=dtype), 3, 2)
    assert embeddings.dtype == np.float32
    assert embeddings.dtype.isnative
    assert (embeddings == 1).all()


def test_embeddings_lie_in_memory_row_by_row_whatever_the_method_returned() -> None:
    assert checked_embeddings(np.ones((4, 6), np.float32, order="F")[::2, ::3], 2, 2).flags.c_contiguous


@pytest.mark.parametrize(
    ("returned", "dimensions", "sentence"),
    [
        (None, None, "fit returned None, not a numpy array"),
        ([[1.0]], None, "fit returned a list, not a numpy array"),
        (object(), None, "fit returned an object, not a numpy array"),
        (np.array([["a"]] * 3), None, "fit returned an array of <U1, not of real numbers"),
        (np.array([[None]] * 3), None, "fit returned an array of object, not of real numbers"),
        (np.ones((3, 2), complex), None, "fit returned an array of complex128, not of real numbers"),
        (np.ones((3, 2), "datetime64[s]"), None, "fit returned an array of datetime64[s], not of real numbers"),
        (np.ma.masked_all((3, 2)), 2, "fit returned an array with 6 masked values"),
        (np.ma.masked_equal(np.eye(2), 0), 2, "fit returned an array with 2 masked values"),
        (np.ones(3), None, "fit returned an array of shape (3,), but the contract says (3, dimensions)"),
        (np.ones((2, 3)), 3, "fit returned an array of shape (2, 3), but the contract says (3, 3)"),
        (np.ones((3, 2)), 4, "fit returned an array of shape (3, 2), but the contract says (3, 4)"),
        (np.ones((3, 0)), None, "fit returned an array of shape (3, 0), but the contract says (3, dimensions)"),
        (ONE_NAN, 2, "fit returned NaN or infinity in 2 of 3 rows, the first of them 1"),
        (np.full((3, 2), 1e39), 2, "fit returned numbers too large for float32 in 3 of 3 rows, the first of them 0"),
    ],
)
def test_embeddings_that_break_the_contract_are_refused(returned: Any, dimensions: int | None, sentence: str) -> None:
    with pytest.raises(MethodError) as refusal:
        checked_embeddings(returned, 3, dimensions)
    assert str(refusal.value) == sentence


@pytest.mark.parametrize(
    ("returned", "sentence"),
    [
        (np.ones((2, 1)), "score returned an array of shape (2, 1), but the contract says (2,)"),
        (np.array([0, np.nan]), "score returned NaN or infinity in 1 of 2 rows, the first of them 1"),
        (1.0, "score returned a float, not a numpy array"),
    ],
)
def test_scores_that_break_the_contract_are_refused(returned: Any, sentence: str) -> None:
    with pytest.raises(MethodError) as refusal:
        checked_scores(returned, 2)
    assert str(refusal.value) == sentence


def test_scores_become_float64() -> None:
    assert checked_scores(np.array([1, 2], np.int32), 2).dtype == np.float64
