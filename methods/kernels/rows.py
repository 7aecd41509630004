"""What kernels need that touch random rows of a large array: aligned rows, a hint to fetch one, vector arithmetic.

LINE and HTNE touch a few random vectors per sample and do little arithmetic on each, so on a network whose vectors do
not fit the cache they wait for memory. A row of 64 float32 that starts on a line spans four lines
instead of five, and rows asked for while the sample before is computed arrive in time.
"""

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.core import cgutils, types
from numba.extending import intrinsic
from numpy.typing import DTypeLike, NDArray

LINE_BYTES = 64

# A walk waits for memory, not for arithmetic, so what its next step asks for is one record on one cache line.
# Crossing a contact of u with v from u leads to `neighbor` = v. From there a walk may take any of `n_next` crossings,
# which stand at `first_next` and after it. `back` is where the same contact stands among them, as seen from v.
# Positions are unsigned: a network has up to 2**31 contacts, and each has two directions.
CROSSING = np.dtype([("neighbor", np.int32), ("n_next", np.int32), ("first_next", np.uint32), ("back", np.int32)])

# For `fastmath=`: sums may be taken in any order and products fused, so that a loop over a row runs in vector
# registers. Unlike `fastmath=True`, infinities keep their meaning: exp may overflow in a sigmoid.
VECTORIZE = {"reassoc", "contract", "arcp", "nsz"}


def aligned_rows(n_rows: int, n_columns: int, dtype: DTypeLike = np.float32) -> NDArray[np.float32]:
    """An array of zeros that starts on a cache line (numpy's own start 16 bytes into a line)."""
    size = n_rows * n_columns * np.dtype(dtype).itemsize
    room = np.zeros(size + LINE_BYTES, dtype=np.uint8)
    start = -room.ctypes.data % LINE_BYTES
    return room[start : start + size].view(dtype).reshape(n_rows, n_columns)


def _prefetch(typing_context, rows, row):
    """Ask the processor for `rows[row]`, every cache line of it; no effect on any value."""
    if not (isinstance(rows, types.Array) and rows.layout == "C" and rows.ndim in (1, 2)):
        raise numba.TypingError("prefetch takes a contiguous array of one or two dimensions")

    def generate(context, builder, signature, arguments):
        array = context.make_array(rows)(context, builder, arguments[0])
        position = context.cast(builder, arguments[1], signature.args[1], types.intp)
        index_type, byte_pointer, int32 = position.type, ir.IntType(8).as_pointer(), ir.IntType(32)
        item_bytes = context.get_abi_sizeof(context.get_data_type(rows.dtype))
        row_items = cgutils.unpack_tuple(builder, array.shape, 2)[1] if rows.ndim == 2 else ir.Constant(index_type, 1)
        row_bytes = builder.mul(row_items, ir.Constant(index_type, item_bytes))
        start = builder.gep(builder.bitcast(array.data, byte_pointer), [builder.mul(position, row_bytes)])
        hint = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(ir.VoidType(), [byte_pointer, int32, int32, int32]), "llvm.prefetch.p0"
        )
        # Arguments of llvm.prefetch: read (0), keep in all caches (3), data (1).
        flags = [ir.Constant(int32, 0), ir.Constant(int32, 3), ir.Constant(int32, 1)]
        step = ir.Constant(index_type, LINE_BYTES)
        with cgutils.for_range_slice(builder, ir.Constant(index_type, 0), row_bytes, step) as (offset, _):
            builder.call(hint, [builder.gep(start, [offset]), *flags])
        return context.get_dummy_value()

    return types.void(rows, row), generate


# Called with (rows, row) inside kernels; the first argument of `_prefetch` comes from numba.
prefetch: Any = intrinsic(_prefetch)
