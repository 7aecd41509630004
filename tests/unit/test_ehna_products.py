"""Matrix products inside compiled kernels equal numpy's, whichever way round the arrays lie."""

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st

from methods.ehna.products import product


def part(generator, rows, columns, turned, wider):
    """A matrix that is part of a larger one, by rows or by columns."""
    shape = (columns, rows + wider) if turned else (rows, columns + wider)
    whole = generator.normal(size=shape).astype(np.float32)
    return whole[:, :rows].T if turned else whole[:, :columns]


sizes = st.integers(1, 9)


@example(m=1, k=3, n=2, turn_a=True, turn_b=False, wider=0, kept=0.0)
@example(m=2, k=1, n=3, turn_a=False, turn_b=True, wider=0, kept=0.0)
@given(sizes, sizes, sizes, st.booleans(), st.booleans(), st.integers(0, 3), st.sampled_from([0.0, 1.0]))
def test_equals_numpy_and_leaves_the_rest_of_the_array_alone(m, k, n, turn_a, turn_b, wider, kept):
    generator = np.random.default_rng(1)
    a, b = part(generator, m, k, turn_a, wider), part(generator, k, n, turn_b, wider)
    whole = generator.normal(size=(m, n + wider)).astype(np.float32)
    expected = whole.copy()
    expected[:, :n] = kept * expected[:, :n] + a @ b
    product(a, b, whole[:, :n], kept)
    assert np.allclose(whole, expected, rtol=1e-5, atol=1e-5)
    assert np.array_equal(whole[:, n:], expected[:, n:])


def test_what_was_in_memory_before_does_not_matter_where_nothing_is_kept():
    out = np.full((2, 2), np.nan, dtype=np.float32)
    product(np.eye(2, dtype=np.float32), np.ones((2, 2), dtype=np.float32), out, 0.0)
    assert out.tolist() == [[1.0, 1.0], [1.0, 1.0]]
