"""The input projection W_ih e_v of an LSTM's first layer, once per row of the table, and its gradient."""

import numba
import numpy as np
import torch
from torch import Tensor

from methods.ehna.parallel import Workers
from methods.ehna.products import product


def project(table: Tensor, weight: Tensor, workers: Workers) -> Tensor:
    """The input projection of every table row."""
    projected = torch.empty(len(table), len(weight), device=table.device)
    blocks = workers.chunks(len(table))
    multiply = _multiply if workers.fused else torch.mm

    def run(number: int) -> None:
        first, end = blocks[number]
        multiply(table[first:end], weight.t(), out=projected[first:end])

    workers.each(run, len(blocks))
    return projected


def unproject(
    dgates: Tensor, layers: int, weight: Tensor, table: Tensor, index: Tensor, scale: Tensor, workers: Workers
) -> tuple[Tensor, Tensor]:
    """Gradients of the table and of the weight; `dgates` has those of all gates in the layout of lstm.Memory."""
    places, offsets = _places(index.numpy(), len(table)) if workers.fused else (None, None)
    dtable = torch.empty_like(table)
    blocks = workers.chunks(len(table))
    multiply = _multiply if workers.fused else torch.mm

    def run(number: int) -> Tensor:
        first, end = blocks[number]
        if workers.fused:
            dprojected = torch.empty(end - first, len(weight))
            chunk = workers.chunk_size(len(scale))
            _sum_rows(dgates.numpy(), layers, scale.numpy(), places, offsets, chunk, first, end, dprojected.numpy())
        else:
            dprojected = _torch_sum_rows(dgates, layers, index, scale, first, end, workers)
        multiply(dprojected, weight, out=dtable[first:end])
        part = torch.empty_like(weight)
        multiply(dprojected.t(), table[first:end], out=part)
        return part

    dweight = torch.zeros_like(weight)
    for part in workers.map(run, len(blocks)):
        dweight += part
    return dtable, dweight


def _multiply(a: Tensor, b: Tensor, out: Tensor) -> None:
    """torch.mm by the library of the other products, whose kernels are the wider ones on some processors."""
    product(a.numpy(), b.numpy(), out.numpy(), 0.0)


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


@numba.njit(cache=True, nogil=True, error_model="numpy", fastmath={"contract"})
def _sum_rows(dgates, layers, scale, places, offsets, chunk, begin, end, out):
    """The gradient of projected rows begin to end: the sum of scale * dgates over the places that read a row."""
    rows, steps = scale.shape
    for v in range(begin, end):
        line = out[v - begin]
        line[:] = np.float32(0.0)
        for place in places[offsets[v] : offsets[v + 1]]:
            row, step = place // steps, place % steps
            first = row // chunk * chunk
            source = dgates[first * steps * layers + step * min(chunk, rows - first) + row - first]
            a = scale[row, step]
            for j in range(len(line)):
                line[j] += a * source[j]


def _torch_sum_rows(
    dgates: Tensor, layers: int, index: Tensor, scale: Tensor, begin: int, end: int, workers: Workers
) -> Tensor:
    """The same where there are no compiled kernels."""
    out = torch.zeros(end - begin, dgates.shape[1], device=dgates.device)
    steps = index.shape[1]
    for first, last in workers.chunks(len(index)):
        row = index[first:last].t().reshape(-1)
        inside = (row >= begin) & (row < end)
        gradients = dgates[first * steps * layers :][: len(row)][inside]
        out.index_add_(0, row[inside] - begin, gradients * scale[first:last].t().reshape(-1, 1)[inside])
    return out
