"""Matrix products inside compiled kernels.

A kernel that multiplies by itself runs a whole chunk of rows without coming back to Python, where threads would wait
for each other: at 32 dimensions two threads were 1.15 times as fast as one. The product is sgemm of scipy's BLAS, which
numba links to by this name for its own np.dot; np.dot cannot add to its result, and copies what is not contiguous.
"""

import numba
import numpy as np
import scipy.linalg  # noqa: F401  (its BLAS must be loaded before its threads can be limited: see parallel.py)
from numba import types

_NUMBERS = types.CPointer(types.float32)
_SIZE = types.intp
_sgemm = types.ExternalFunction(
    "numba_xxgemm",
    types.intc(  # kind, transpositions, sizes, alpha, a, lda, b, ldb, beta, c, ldc
        *(types.char, types.char, types.char, _SIZE, _SIZE, _SIZE),
        *(_NUMBERS, _NUMBERS, _SIZE, _NUMBERS, _SIZE, _NUMBERS, _NUMBERS, _SIZE),
    ),
)
_SINGLE, _AS_IT_IS, _TRANSPOSED = ord("s"), ord("n"), ord("t")
_BYTES = 4


@numba.njit(cache=True, nogil=True)
def _line(array, turned):
    """How far it is from one line to the next. A single line says nothing of that; BLAS wants its length at least."""
    across, along = (1, 0) if turned else (0, 1)
    return max(array.strides[across] // _BYTES, array.shape[along])


@numba.njit(cache=True, nogil=True)
def product(a, b, out, kept):
    """out = kept * out + a @ b; the rows of `out`, and rows or columns of a and b, are contiguous.

    BLAS counts columns first: it is told to compute the transposed product b^T a^T, of which it sees b and a.
    """
    m, k = a.shape
    n = b.shape[1]
    turn_a, turn_b = a.strides[1] != _BYTES, b.strides[1] != _BYTES
    one, beta = np.ones(1, dtype=np.float32), np.full(1, kept, dtype=np.float32)
    _sgemm(  # type: ignore[call-overload]
        _SINGLE,
        _TRANSPOSED if turn_b else _AS_IT_IS,
        _TRANSPOSED if turn_a else _AS_IT_IS,
        n,
        m,
        k,
        one.ctypes,
        b.ctypes,
        _line(b, turn_b),
        a.ctypes,
        _line(a, turn_a),
        beta.ctypes,
        out.ctypes,
        _line(out, False),
    )
