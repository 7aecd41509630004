"""How rows are shared out among threads."""

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from methods.ehna import products  # noqa: F401  (loads the BLAS whose threads are limited)
from methods.ehna.parallel import Workers


@pytest.mark.parametrize("threads", [1, 2])
def test_a_product_inside_a_chunk_takes_one_thread_and_others_take_theirs_again(threads):
    def blas_threads(_=0):
        return {library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"}

    with threadpool_limits(limits=2, user_api="blas"):
        assert list(Workers(threads).map(blas_threads, 3)) == [{1}] * 3
        assert blas_threads() == {2}


@pytest.mark.parametrize(
    ("rows", "n"), [(0, 0), (1, 1), (512, 1), (513, 2), (1024, 2), (1025, 4), (2049, 8), (9899, 24)]
)
def test_chunks_cover_all_rows_and_their_number_suits_2_4_and_8_threads(rows, n):
    chunks = Workers().chunks(rows)
    assert len(chunks) == n
    assert [row for first, end in chunks for row in range(first, end)] == list(range(rows))
    assert max((end - first for first, end in chunks), default=0) <= 512
