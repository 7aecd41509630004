"""The gates of an LSTM step, forward and backward, in one pass over memory: the kernels of lstm_compiled.py.

With i, f, g, o the four blocks of `gates` before activation (the order of torch.nn.LSTM):

    c_t = sigmoid(f) * c_(t-1) + sigmoid(i) * tanh(g),    h_t = sigmoid(o) * tanh(c_t)

torch makes a dozen passes over memory for one step; at width 128 they cost as much as the matrix products.
"""

import numba
import numpy as np

_F = np.float32


@numba.njit(cache=True, inline="always")
def _tanh(x):
    """tanh(x) as an odd polynomial over an even one, to 4e-7 relative, in operations that LLVM can vectorize.

    The coefficients minimize the largest relative error on [0, 8.5], found by bisection over linear programs; beyond,
    tanh is 1 to 1e-7. One division and fourteen other operations: by way of e^2x it takes twice as many.
    """
    x = min(max(x, _F(-8.5)), _F(8.5))
    y = x * x
    over = _F(2.0395968e-11)
    over = over * y + _F(-1.3649327e-08)
    over = over * y + _F(9.567985e-06)
    over = over * y + _F(2.9545743e-03)
    over = over * y + _F(0.12951013)
    over = over * y + _F(0.99999994)
    under = _F(2.3272117e-04)
    under = under * y + _F(2.3902593e-02)
    under = under * y + _F(0.46284339)
    under = under * y + _F(1.0)
    return x * over / under


@numba.njit(cache=True, inline="always")
def _sigmoid(x):
    return _F(0.5) + _F(0.5) * _tanh(_F(0.5) * x)


# Each loop below touches slices of one row only, and few of them: LLVM vectorizes a loop only while it has at most
# eight pairs of arrays to tell apart (0.2 ms instead of 1.6 ms for 512 rows of width 128).
@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def step_forward(gates, bias, c_before, c, h, column):
    """Add the bias to `gates` and activate them in place; write c_t, and h_t into columns of `h` from `column` on."""
    rows, d = c.shape
    bias_i_f, bias_g, bias_o = bias[: 2 * d], bias[2 * d : 3 * d], bias[3 * d :]
    for row in range(rows):
        i_f, i, f = gates[row, : 2 * d], gates[row, :d], gates[row, d : 2 * d]
        g, o = gates[row, 2 * d : 3 * d], gates[row, 3 * d :]
        before, cell, hidden = c_before[row], c[row], h[row, column : column + d]
        for j in range(len(i_f)):
            i_f[j] = _sigmoid(i_f[j] + bias_i_f[j])
        for j in range(len(g)):
            g[j] = _tanh(g[j] + bias_g[j])
        for j in range(len(o)):
            o[j] = _sigmoid(o[j] + bias_o[j])
        for j in range(d):
            cell[j] = f[j] * before[j] + i[j] * g[j]
        for j in range(d):
            hidden[j] = o[j] * _tanh(cell[j])


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def fill_scaled_rows(gates, table, index, scale, step):
    """gates[r] = scale[r, step] * table[index[r, step]]."""
    rows, width = gates.shape
    for row in range(rows):
        a = scale[row, step]
        at = index[row, step]
        for j in range(width):
            gates[row, j] = a * table[at, j]


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def step_backward(gates, c_before, c, dh, column, dc, dbias):
    """Replace activated `gates` by the gradient before activation, and dc_t by dc_(t-1), in place.

    The gradient of h_t is in the columns of `dh` from `column` on; `dbias` takes the sum over the rows of `gates`.
    """
    rows, d = c.shape
    one = _F(1.0)
    dbias[:] = _F(0.0)
    for row in range(rows):
        line, i, f = gates[row], gates[row, :d], gates[row, d : 2 * d]
        g, o = gates[row, 2 * d : 3 * d], gates[row, 3 * d :]
        before, cell, dhidden, dcell = c_before[row], c[row], dh[row, column : column + d], dc[row]
        for j in range(d):
            squashed, open_o = _tanh(cell[j]), o[j]
            passed = dhidden[j] * open_o
            dcell[j] += passed * (one - squashed * squashed)
            o[j] = passed * squashed * (one - open_o)
        for j in range(d):
            open_i, candidate = i[j], g[j]
            passed = dcell[j] * open_i
            g[j] = passed * (one - candidate * candidate)
            i[j] = passed * candidate * (one - open_i)
        for j in range(d):
            open_f = f[j]
            passed = dcell[j] * open_f
            dcell[j] = passed
            f[j] = passed * before[j] * (one - open_f)
        for j in range(len(line)):
            dbias[j] += line[j]


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"reassoc", "contract"})
def scale_gradient(dgates, table, index, dscale, step):
    """dscale[r, step] = <dgates[r], table[index[r, step]]>."""
    rows, width = dgates.shape
    for row in range(rows):
        at = index[row, step]
        total = _F(0.0)
        for j in range(width):
            total += dgates[row, j] * table[at, j]
        dscale[row, step] = total
