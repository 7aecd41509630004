"""The gates of an LSTM step, forward and backward, in one pass over memory (CPU); plain torch elsewhere.

With i, f, g, o the four blocks of `gates` before activation (the order of torch.nn.LSTM):

    c_t = sigmoid(f) * c_(t-1) + sigmoid(i) * tanh(g),    h_t = sigmoid(o) * tanh(c_t)

torch makes a dozen passes over memory for one step; at width 128 they cost as much as the matrix products. The kernels
hold no lock (nogil) and use one thread: the rows are shared out among threads one level up.
"""

from dataclasses import dataclass

import numba
import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from methods.ehna.parallel import Workers

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
def _forward(gates, bias, c_before, c, h, column):
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
def _fill_scaled_rows(gates, table, index, scale):
    rows, width = gates.shape
    for row in range(rows):
        a = scale[row]
        at = index[row]
        for j in range(width):
            gates[row, j] = a * table[at, j]


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _backward(gates, c_before, c, dh, column, dc, dbias):
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
def _scale_gradient(dgates, table, index, dscale):
    rows, width = dgates.shape
    for row in range(rows):
        at = index[row]
        total = _F(0.0)
        for j in range(width):
            total += dgates[row, j] * table[at, j]
        dscale[row] = total


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _sum_rows(dgates, scale, places, offsets, chunk, begin, end, out):
    rows, steps = scale.shape
    for v in range(begin, end):
        line = out[v - begin]
        line[:] = _F(0.0)
        for place in places[offsets[v] : offsets[v + 1]]:
            row, step = place // steps, place % steps
            first = row // chunk * chunk
            source = dgates[first * steps + step * min(chunk, rows - first) + row - first]
            a = scale[row, step]
            for j in range(len(line)):
                line[j] += a * source[j]


@numba.njit(cache=True, nogil=True)
def _places(index, n):
    """Where each of n table rows is read: places[offsets[v]:offsets[v+1]], by counting sort."""
    offsets = np.zeros(n + 1, dtype=np.int64)
    for v in index.flat:
        offsets[v + 1] += 1
    offsets = np.cumsum(offsets)
    free = offsets[:-1].copy()
    places = np.empty(index.size, dtype=np.int32)
    for at, v in enumerate(index.flat):
        places[free[v]] = at
        free[v] += 1
    return places, offsets


def _torch_forward(gates: Tensor, c_before: Tensor, c: Tensor, h: Tensor) -> None:
    i, f, g, o = gates.chunk(4, 1)
    for gate in (i, f, o):
        gate.sigmoid_()
    g.tanh_()
    torch.addcmul(f * c_before, i, g, out=c)
    torch.mul(o, torch.tanh(c), out=h)


def _torch_backward(gates: Tensor, c_before: Tensor, c: Tensor, dh: Tensor, dc: Tensor, dbias: Tensor) -> None:
    i, f, g, o = (gate.clone() for gate in gates.chunk(4, 1))
    t = torch.tanh(c)
    dcell = dc + dh * o * (1 - t * t)
    torch.mul(dcell, f, out=dc)
    parts = (dcell * g * i * (1 - i), dcell * c_before * f * (1 - f), dcell * i * (1 - g * g), dh * t * o * (1 - o))
    gates.copy_(torch.cat(parts, dim=1))
    torch.sum(gates, dim=0, out=dbias)


def step_forward(gates: Tensor, bias: Tensor, c_before: Tensor, c: Tensor, h: Tensor, column: int, fused: bool) -> None:
    """Add the bias to `gates` and activate them in place; write c_t, and h_t into columns of `h` from `column` on."""
    if fused:
        _forward(gates.numpy(), bias.numpy(), c_before.numpy(), c.numpy(), h.numpy(), column)
    else:
        _torch_forward(gates.add_(bias), c_before, c, h[:, column : column + c.shape[1]])


def step_backward(
    gates: Tensor, c_before: Tensor, c: Tensor, dh: Tensor, column: int, dc: Tensor, dbias: Tensor, fused: bool
) -> None:
    """Replace activated `gates` by the gradient before activation, and dc_t by dc_(t-1), in place.

    The gradient of h_t is in the columns of `dh` from `column` on; `dbias` takes the sum over the rows of `gates`.
    """
    if fused:
        _backward(gates.numpy(), c_before.numpy(), c.numpy(), dh.numpy(), column, dc.numpy(), dbias.numpy())
    else:
        _torch_backward(gates, c_before, c, dh[:, column : column + c.shape[1]], dc, dbias)


def fill_scaled_rows(gates: Tensor, table: Tensor, index: Tensor, scale: Tensor, fused: bool) -> None:
    """gates[r] = scale[r] * table[index[r]]."""
    if fused:
        _fill_scaled_rows(gates.numpy(), table.numpy(), index.numpy(), scale.numpy())
    else:
        torch.mul(table[index], scale[:, None], out=gates)


def scale_gradient(dgates: Tensor, table: Tensor, index: Tensor, dscale: Tensor, fused: bool) -> None:
    """dscale[r] = <dgates[r], table[index[r]]>."""
    if fused:
        _scale_gradient(dgates.numpy(), table.numpy(), index.numpy(), dscale.numpy())
    else:
        dscale.copy_((dgates * table[index]).sum(1))


@dataclass
class Places:
    """Where the rows of a table are read: row v at places[offsets[v]:offsets[v+1]], counted row by row of `index`.

    Without the fused kernels only `index` is used.
    """

    index: Tensor
    places: NDArray[np.int32] | None = None
    offsets: NDArray[np.int64] | None = None


def places_of_rows(index: Tensor, n: int, fused: bool) -> Places:
    return Places(index, *_places(index.numpy(), n)) if fused else Places(index)


def sum_rows(dgates: Tensor, scale: Tensor, places: Places, first: int, end: int, workers: Workers) -> Tensor:
    """The gradient of table rows first to end: row v gets the sum of scale * dgates over the places that read it.

    `dgates` has the layout of lstm.py: chunk by chunk, and step by step within a chunk.
    """
    width = dgates.shape[1]
    if workers.fused:
        out = torch.empty(end - first, width)
        chunk = workers.chunk_size(len(scale))
        _sum_rows(dgates.numpy(), scale.numpy(), places.places, places.offsets, chunk, first, end, out.numpy())
        return out
    chunks = workers.chunks(len(scale))
    by_step = torch.cat([places.index[a:b].t().reshape(-1) for a, b in chunks])
    scales = torch.cat([scale[a:b].t().reshape(-1) for a, b in chunks])
    inside = (by_step >= first) & (by_step < end)
    zeros = torch.zeros(end - first, width, device=dgates.device)
    return zeros.index_add_(0, by_step[inside] - first, dgates[inside] * scales[inside, None])
