"""What kernels need that work on rows of a large table: aligned rows, a hint to fetch one, vector arithmetic.

LINE and HTNE touch a few random rows of a large table per sample and do little arithmetic on each, so on a network
whose table does not fit the cache they wait for memory. A row of 64 float32 that starts on a line spans four lines
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

# For `fastmath=`: sums may be taken in any order and products fused, so that a loop over a row runs in vector
# registers. Unlike `fastmath=True`, infinities keep their meaning: exp may overflow in a sigmoid.
VECTORIZE = {"reassoc", "contract", "arcp", "nsz"}


def row_table(n_rows: int, n_columns: int, dtype: DTypeLike = np.float32) -> NDArray[np.float32]:
    """A table of zeros that starts on a cache line (numpy's own start 16 bytes into a line)."""
    size = n_rows * n_columns * np.dtype(dtype).itemsize
    room = np.zeros(size + LINE_BYTES, dtype=np.uint8)
    start = -room.ctypes.data % LINE_BYTES
    return room[start : start + size].view(dtype).reshape(n_rows, n_columns)


def _prefetch(typing_context, table, row):
    """Ask the processor for `table[row]`, every cache line of it; no effect on any value."""
    if not (isinstance(table, types.Array) and table.layout == "C" and table.ndim in (1, 2)):
        raise numba.TypingError("prefetch takes a contiguous array of one or two dimensions")

    def generate(context, builder, signature, arguments):
        array = context.make_array(table)(context, builder, arguments[0])
        position = context.cast(builder, arguments[1], signature.args[1], types.intp)
        index_type, byte_pointer, int32 = position.type, ir.IntType(8).as_pointer(), ir.IntType(32)
        item_bytes = context.get_abi_sizeof(context.get_data_type(table.dtype))
        row_items = cgutils.unpack_tuple(builder, array.shape, 2)[1] if table.ndim == 2 else ir.Constant(index_type, 1)
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

    return types.void(table, row), generate


# Called with (table, row) inside kernels; the first argument of `_prefetch` comes from numba.
prefetch: Any = intrinsic(_prefetch)
