"""Aligned tables, and a hint to the processor that changes nothing."""

import numba
import numpy as np
import pytest

from methods.table_rows import LINE_BYTES, prefetch, row_table


@numba.njit
def prefetch_all(table):
    for row in range(len(table)):
        prefetch(table, row)


@pytest.mark.parametrize("n_rows", [1, 3, 1000])
def test_a_table_starts_on_a_cache_line_and_holds_zeros(n_rows: int) -> None:
    table = row_table(n_rows, 48)
    assert table.ctypes.data % LINE_BYTES == 0
    assert table.shape == (n_rows, 48)
    assert table.dtype == np.float32
    assert not table.any()


@pytest.mark.parametrize(
    "table", [np.arange(7), np.arange(35.0).reshape(7, 5), np.zeros(3, np.dtype([("a", np.int32), ("b", np.float32)]))]
)
def test_a_prefetch_changes_no_value(table: np.ndarray) -> None:
    before = table.copy()
    prefetch_all(table)
    np.testing.assert_array_equal(table, before)


def test_a_prefetch_of_rows_that_do_not_lie_together_is_refused() -> None:
    with pytest.raises(numba.TypingError, match="contiguous"):
        prefetch_all(np.zeros((4, 6))[:, ::2])
