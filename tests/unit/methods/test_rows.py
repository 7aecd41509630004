"""Aligned rows, and a hint to the processor that changes nothing."""

import numba
import numpy as np
import pytest

from methods.kernels.rows import LINE_BYTES, aligned_rows, prefetch


@numba.njit
def prefetch_all(rows):
    for row in range(len(rows)):
        prefetch(rows, row)


@pytest.mark.parametrize("n_rows", [1, 3, 1000])
def test_an_array_starts_on_a_cache_line_and_holds_zeros(n_rows: int) -> None:
    rows = aligned_rows(n_rows, 48)
    assert rows.ctypes.data % LINE_BYTES == 0
    assert rows.shape == (n_rows, 48)
    assert rows.dtype == np.float32
    assert not rows.any()


@pytest.mark.parametrize(
    "rows", [np.arange(7), np.arange(35.0).reshape(7, 5), np.zeros(3, np.dtype([("a", np.int32), ("b", np.float32)]))]
)
def test_a_prefetch_changes_no_value(rows: np.ndarray) -> None:
    before = rows.copy()
    prefetch_all(rows)
    np.testing.assert_array_equal(rows, before)


def test_a_prefetch_of_rows_that_do_not_lie_together_is_refused() -> None:
    with pytest.raises(numba.TypingError, match="contiguous"):
        prefetch_all(np.zeros((4, 6))[:, ::2])
