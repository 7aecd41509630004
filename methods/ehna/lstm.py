"""The stacked LSTM of Algorithm 1 (lines 4 and 6), forward and backward by hand.

Both levels of EHNA feed the LSTM rows of a table scaled by an attention weight: alpha * e_v, then beta * h_r. Hence

    W_ih (alpha * e_v) = alpha * (W_ih e_v),

and the input projection of the first layer is made once per table row, not once per place in a sequence. The rest is
a product per step for the recurrence, and one large product per layer and chunk of rows for each gradient.
"""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from methods.ehna.gates import (
    add_scaled_rows,
    places_of_rows,
    scale_gradient,
    step_backward,
    step_forward,
    sum_rows,
)
from methods.ehna.parallel import Workers


class StackedLSTM(nn.Module):
    """Weights of `layers` LSTM layers, initialized as torch.nn.LSTM does; one bias per gate, since two only add up."""

    def __init__(self, width: int, layers: int, generator: torch.Generator) -> None:
        super().__init__()
        bound = 1 / math.sqrt(width)

        def uniform(*shape: int) -> Tensor:
            return (torch.rand(*shape, generator=generator) * 2 - 1) * bound

        self.input = nn.ParameterList([nn.Parameter(uniform(4 * width, width)) for _ in range(layers)])
        self.recurrent = nn.ParameterList([nn.Parameter(uniform(4 * width, width)) for _ in range(layers)])
        self.bias = nn.ParameterList([nn.Parameter(uniform(4 * width) + uniform(4 * width)) for _ in range(layers)])

    def forward(self, table: Tensor, index: Tensor, scale: Tensor, workers: Workers) -> Tensor:
        """The last hidden state of the top layer for sequences scale[r, s] * table[index[r, s]], s = 0, 1, …"""
        last: Tensor = _Sequences.apply(
            table, index, scale, workers, torch.is_grad_enabled(), *self.input, *self.recurrent, *self.bias
        )
        return last


@dataclass
class _Layer:
    """Weights of one layer, and what its forward pass leaves for the backward pass (or nothing).

    Chunk (first, end) of the rows owns lines first*steps to end*steps of a buffer, as (steps, rows of the chunk,
    width): a chunk is then one block of memory, and so is a step of it.
    """

    input: Tensor
    recurrent: Tensor
    bias: Tensor
    gates: Tensor | None = None
    cells: Tensor | None = None
    hidden: Tensor | None = None

    def chunk(self, first: int, end: int, steps: int) -> tuple[Tensor, Tensor, Tensor]:
        """This chunk's gates, cells and hidden states of all steps."""
        d = self.recurrent.shape[1]
        widths = (4 * d, d, d)
        if self.gates is None or self.cells is None or self.hidden is None:
            fresh = [torch.empty(steps, end - first, width, device=self.input.device) for width in widths]
            return fresh[0], fresh[1], fresh[2]
        parts = [
            buffer[first * steps * width : end * steps * width].view(steps, end - first, width)
            for buffer, width in zip((self.gates, self.cells, self.hidden), widths, strict=True)
        ]
        return parts[0], parts[1], parts[2]


class _Sequences(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, table: Tensor, index: Tensor, scale: Tensor, workers: Workers, keep: bool, *weights: Tensor
    ) -> Tensor:
        ctx.save_for_backward(table, index, scale)
        # numpy refuses tensors that require a gradient, even where none is recorded.
        table, scale = table.detach(), scale.detach()
        n = len(weights) // 3
        layers = [_Layer(*(weight.detach() for weight in weights[layer::n])) for layer in range(n)]
        rows, steps = index.shape
        d = layers[0].recurrent.shape[1]
        if keep:
            for layer in layers:
                layer.gates = workers.take(rows * steps * 4 * d)
                layer.cells, layer.hidden = workers.take(rows * steps * d), workers.take(rows * steps * d)
        projected = _project(table, layers[0].input, workers)
        last = torch.empty(rows, d, device=table.device)
        chunks = workers.chunks(rows)

        def run(number: int) -> None:
            first, end = chunks[number]
            last[first:end] = _forward(layers, projected, index, scale, first, end, workers.fused)

        workers.each(run, len(chunks))
        ctx.layers, ctx.projected, ctx.workers = layers, projected, workers
        return last

    @staticmethod
    def backward(ctx: Any, dlast: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        table, index, scale = (tensor.detach() for tensor in ctx.saved_tensors)
        layers, projected, workers = ctx.layers, ctx.projected, ctx.workers
        chunks = workers.chunks(len(index))
        dscale = torch.empty_like(scale)

        def run(number: int) -> list[list[Tensor]]:
            first, end = chunks[number]
            found, dscale[first:end] = _backward(layers, projected, index, first, end, dlast, workers.fused)
            return found

        # Chunks are summed in their order, whichever thread is first.
        sums: list[list[Tensor]] = []
        for found in workers.map(run, len(chunks)):
            for total, part in zip(sums, found, strict=True) if sums else ():
                for a, b in zip(total, part, strict=True):
                    a.add_(b)
            sums = sums or found
        dtable, dinput = _unproject(layers[0], table, index, scale, workers)
        sums[0].insert(0, dinput)
        for layer in layers:
            workers.give(layer.gates, layer.cells, layer.hidden)
        dweights = [gradient for kind in zip(*sums, strict=True) for gradient in kind]
        return dtable, None, dscale, None, None, *dweights


def _project(table: Tensor, weight: Tensor, workers: Workers) -> Tensor:
    """The input projection of every table row."""
    projected = torch.empty(len(table), len(weight), device=table.device)
    blocks = workers.chunks(len(table))

    def run(number: int) -> None:
        first, end = blocks[number]
        torch.mm(table[first:end], weight.t(), out=projected[first:end])

    workers.each(run, len(blocks))
    return projected


def _unproject(layer: _Layer, table: Tensor, index: Tensor, scale: Tensor, workers: Workers) -> tuple[Tensor, Tensor]:
    """Gradients of the table and of the first input weights, once `layer.gates` holds the gradient of the gates."""
    assert layer.gates is not None
    width = len(layer.input)
    dgates = layer.gates[: index.numel() * width].view(-1, width)
    places = places_of_rows(index, len(table), workers.fused)
    dtable = torch.empty_like(table)
    blocks = workers.chunks(len(table))

    def run(number: int) -> Tensor:
        first, end = blocks[number]
        dprojected = sum_rows(dgates, scale, places, first, end, workers)
        torch.mm(dprojected, layer.input, out=dtable[first:end])
        return dprojected.t() @ table[first:end]

    return dtable, torch.stack(list(workers.map(run, len(blocks)))).sum(0)


def _forward(
    layers: list[_Layer], projected: Tensor, index: Tensor, scale: Tensor, first: int, end: int, fused: bool
) -> Tensor:
    """All steps of all layers for one chunk of rows; returns the last hidden state."""
    steps = index.shape[1]
    places, scales = index[first:end].t().contiguous(), scale[first:end].t().contiguous()
    below: Tensor | None = None
    for layer in layers:
        gates, cells, hidden = layer.chunk(first, end, steps)
        cell = h = torch.zeros_like(cells[0])
        for step in range(steps):
            g = gates[step]
            if below is None:
                if step == 0:
                    g.zero_()
                else:
                    torch.mm(h, layer.recurrent.t(), out=g)
                add_scaled_rows(g, projected, places[step], scales[step], layer.bias, fused)
            else:
                torch.addmm(layer.bias, below[step], layer.input.t(), out=g)
                if step > 0:
                    g.addmm_(h, layer.recurrent.t())
            step_forward(g, cell, cells[step], hidden[step], fused)
            cell, h = cells[step], hidden[step]
        below = hidden
    return h


def _backward(
    layers: list[_Layer], projected: Tensor, index: Tensor, first: int, end: int, dlast: Tensor, fused: bool
) -> tuple[list[list[Tensor]], Tensor]:
    """Gradients from one chunk: per layer those of (input, recurrent, bias), and that of the scales.

    The first layer's input gradient is left to the caller, who sums over all chunks first. Its gates buffers hold the
    gradient of the gates afterwards.
    """
    n, steps = end - first, index.shape[1]
    places = index[first:end].t().contiguous()
    dscale = torch.empty(places.shape, device=dlast.device)
    found: list[list[Tensor]] = []
    dh_all: Tensor | None = None
    for number in reversed(range(len(layers))):
        layer = layers[number]
        gates, cells, hidden = layer.chunk(first, end, steps)
        nothing, dc = torch.zeros_like(cells[0]), torch.zeros_like(cells[0])
        dh = dlast[first:end].contiguous() if dh_all is None else dh_all[-1]
        for step in reversed(range(steps)):
            step_backward(gates[step], cells[step - 1] if step else nothing, cells[step], dh, dc, fused)
            if number == 0:
                scale_gradient(gates[step], projected, places[step], dscale[step], fused)
            if step == 0:
                continue
            if dh_all is None:
                dh = torch.mm(gates[step], layer.recurrent)
            else:
                dh = dh_all[step - 1].addmm_(gates[step], layer.recurrent)
        dgates, states = gates.view(steps * n, -1), hidden.view(steps * n, -1)
        gradients = [dgates[n:].t() @ states[: (steps - 1) * n], dgates.sum(0)]
        if number > 0:
            below = layers[number - 1].chunk(first, end, steps)[2]
            gradients.insert(0, dgates.t() @ below.view(steps * n, -1))
            # This layer's hidden states have served: their memory takes the gradient of the layer below.
            dh_all = torch.mm(dgates, layer.input, out=states).view(hidden.shape)
        found.insert(0, gradients)
    return found, dscale.t()
