"""The stacked LSTM of Algorithm 1 (lines 4 and 6), forward and backward by hand.

Both levels of EHNA feed the LSTM rows of a table scaled by an attention weight: alpha * e_v, then beta * h_r. Hence

    W_ih (alpha * e_v) = alpha * (W_ih e_v),

and the input projection of the first layer is made once per table row, not once per place in a sequence. A higher layer
has its input and its own last state side by side in memory, x_t = [below_t || h_(t-1)], so that a step is one product
with [W_ih || W_hh], and so is each gradient.
"""

import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from methods.ehna.gates import (
    fill_scaled_rows,
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
    """Weights of one layer, and flat memory for what its forward pass computes and its backward pass needs.

    `weight` is W_hh in the first layer and [W_ih || W_hh] above.
    """

    weight: Tensor
    bias: Tensor
    gates: Tensor
    cells: Tensor
    inputs: Tensor | None  # none in the first of several layers, see _Chunk


class _Chunk:
    """The memory of all layers for rows first to end, each part as (steps, rows, width).

    A chunk owns lines first*steps to end*steps of a buffer: it is one block of memory, and so is a step of it.
    `inputs` has a part for every layer above the first: at step t what its weights are multiplied by, h_(t-1) in the
    last d columns. A state is written where the layer above reads it, and the first layer reads it there, too, so that
    it has no inputs of its own unless it is the only one. The states of the top layer are written where its own next
    step reads them; only layers between need theirs in both places.
    """

    def __init__(self, layers: list[_Layer], first: int, end: int, steps: int) -> None:
        def part(buffer: Tensor | None, width: int) -> Tensor:
            assert buffer is not None
            return buffer[first * steps * width : end * steps * width].view(steps, end - first, width)

        self.d = len(layers[0].bias) // 4
        self.gates = [part(layer.gates, 4 * self.d) for layer in layers]
        self.cells = [part(layer.cells, self.d) for layer in layers]
        self.inputs = [part(layer.inputs, layer.weight.shape[1]) for layer in layers[1:] or layers]
        self.top = len(layers) - 1

    def state(self, layer: int, step: int) -> tuple[Tensor, int]:
        """Where h_t of a layer is written, but for the last of the top: a matrix, and the first of d columns of it."""
        if layer < self.top:
            return self.inputs[layer][step], 0
        return self.inputs[-1][step + 1], self.inputs[-1].shape[2] - self.d

    def operand(self, layer: int, step: int) -> Tensor:
        """What the weights of a layer are multiplied by; before the first step that has no columns for h_(t-1)."""
        if layer == 0 and self.top > 0:
            return self.inputs[0][step - 1, :, : self.d] if step else self.inputs[0][0, :, :0]
        inputs = self.inputs[max(layer - 1, 0)][step]
        return inputs if step else inputs[:, : -self.d]


class _Sequences(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, table: Tensor, index: Tensor, scale: Tensor, workers: Workers, keep: bool, *weights: Tensor
    ) -> Tensor:
        ctx.save_for_backward(table, index, scale)
        # numpy refuses tensors that require a gradient, even where none is recorded.
        table, scale = table.detach(), scale.detach()
        layers = _layers([weight.detach() for weight in weights], index.numel(), workers)
        projected = _project(table, weights[0].detach(), workers)
        last = torch.empty(len(index), table.shape[1], device=table.device)
        chunks = workers.chunks(len(index))

        def run(number: int) -> None:
            first, end = chunks[number]
            chunk = _Chunk(layers, first, end, index.shape[1])
            _forward(layers, chunk, projected, index[first:end], scale[first:end], last[first:end], workers.fused)

        workers.each(run, len(chunks))
        if keep:
            ctx.layers, ctx.projected, ctx.workers, ctx.weight = layers, projected, workers, weights[0].detach()
        else:
            _give_back(layers, workers)
        return last

    @staticmethod
    def backward(ctx: Any, dlast: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        table, index, scale = (tensor.detach() for tensor in ctx.saved_tensors)
        layers, projected, workers = ctx.layers, ctx.projected, ctx.workers
        chunks = workers.chunks(len(index))
        dscale = torch.empty_like(scale)
        dlast = dlast.contiguous()

        def run(number: int) -> list[Tensor]:
            first, end = chunks[number]
            chunk = _Chunk(layers, first, end, index.shape[1])
            return _backward(
                layers, chunk, projected, index[first:end], dlast[first:end], dscale[first:end], workers.fused
            )

        # Chunks are summed in their order, whichever thread is first.
        sums: list[Tensor] = []
        for found in workers.map(run, len(chunks)):
            for total, part in zip(sums, found, strict=True) if sums else ():
                total.add_(part)
            sums = sums or found
        dtable, dinput = _unproject(layers[0], ctx.weight, table, index, scale, workers)
        _give_back(layers, workers)
        n, d = len(layers), table.shape[1]
        dinputs = [dinput, *(dweight[:d].t() for dweight in sums[1:n])]
        return dtable, None, dscale, None, None, *dinputs, *(dweight[-d:].t() for dweight in sums[:n]), *sums[n:]


def _layers(weights: list[Tensor], places: int, workers: Workers) -> list[_Layer]:
    """From W_ih of all layers, then W_hh of all, then the biases, and memory for so many places of sequences."""
    n = len(weights) // 3
    layers = []
    for number in range(n):
        from_below, recurrent, bias = weights[number::n]
        weight = torch.cat((from_below, recurrent), dim=1) if number else recurrent
        gates, cells = workers.take(places * len(bias)), workers.take(places * len(bias) // 4)
        inputs = workers.take(places * weight.shape[1]) if number or n == 1 else None
        layers.append(_Layer(weight, bias, gates, cells, inputs))
    return layers


def _give_back(layers: list[_Layer], workers: Workers) -> None:
    for layer in layers:
        workers.give(*(buffer for buffer in (layer.gates, layer.cells, layer.inputs) if buffer is not None))


def _project(table: Tensor, weight: Tensor, workers: Workers) -> Tensor:
    """The input projection of every table row."""
    projected = torch.empty(len(table), len(weight), device=table.device)
    blocks = workers.chunks(len(table))

    def run(number: int) -> None:
        first, end = blocks[number]
        torch.mm(table[first:end], weight.t(), out=projected[first:end])

    workers.each(run, len(blocks))
    return projected


def _unproject(
    layer: _Layer, weight: Tensor, table: Tensor, index: Tensor, scale: Tensor, workers: Workers
) -> tuple[Tensor, Tensor]:
    """Gradients of the table and of the first input weights, once `layer.gates` holds the gradient of the gates."""
    dgates = layer.gates[: index.numel() * len(weight)].view(-1, len(weight))
    places = places_of_rows(index, len(table), workers.fused)
    dtable = torch.empty_like(table)
    blocks = workers.chunks(len(table))

    def run(number: int) -> Tensor:
        first, end = blocks[number]
        dprojected = sum_rows(dgates, scale, places, first, end, workers)
        torch.mm(dprojected, weight, out=dtable[first:end])
        return dprojected.t() @ table[first:end]

    return dtable, torch.stack(list(workers.map(run, len(blocks)))).sum(0)


def _forward(
    layers: list[_Layer], chunk: _Chunk, projected: Tensor, index: Tensor, scale: Tensor, last: Tensor, fused: bool
) -> None:
    """All steps of all layers for one chunk of rows; `last` takes the last hidden state."""
    steps = index.shape[1]
    places, scales = index.t().contiguous(), scale.t().contiguous()
    nothing = torch.zeros_like(last)
    for step in range(steps):
        for number, layer in enumerate(layers):
            gates, cells = chunk.gates[number][step], chunk.cells[number]
            operand = chunk.operand(number, step)
            weight = layer.weight[:, : operand.shape[1]].t()
            if number == 0:
                fill_scaled_rows(gates, projected, places[step], scales[step], fused)
                gates.addmm_(operand, weight)
            else:
                torch.mm(operand, weight, out=gates)
            final = number == chunk.top and step == steps - 1
            h, column = (last, 0) if final else chunk.state(number, step)
            before = cells[step - 1] if step else nothing
            step_forward(gates, layer.bias, before, cells[step], h, column, fused)
            if 0 < number < chunk.top and step < steps - 1:
                chunk.inputs[number - 1][step + 1][:, chunk.d :] = h[:, : chunk.d]


def _backward(
    layers: list[_Layer], chunk: _Chunk, projected: Tensor, index: Tensor, dlast: Tensor, dscale: Tensor, fused: bool
) -> list[Tensor]:
    """Gradients from one chunk: those of the layers' weights, transposed, then those of their biases; fills `dscale`.

    The gradient of the first layer's input weights is left to the caller, who sums over all chunks first. The gates
    hold their gradient afterwards.
    """
    steps, d = index.shape[1], chunk.d
    places = index.t().contiguous()
    dscales = torch.empty(places.shape, device=dlast.device)
    nothing = torch.zeros_like(dlast)
    dcells = [torch.zeros_like(dlast) for _ in layers]
    dweights = [torch.zeros_like(layer.weight.t()) for layer in layers]
    dbiases = [torch.empty(steps, 4 * d, device=dlast.device) for _ in layers]
    doperands = [torch.empty(len(dlast), layer.weight.shape[1], device=dlast.device) for layer in layers]
    for step in reversed(range(steps)):
        for number in reversed(range(len(layers))):
            gates, cells, weight = chunk.gates[number], chunk.cells[number], layers[number].weight
            if number == chunk.top:
                dh, column = (dlast, 0) if step == steps - 1 else (doperands[number], weight.shape[1] - d)
            else:
                # From the layer above at this step, and from this layer at the next one.
                dh, column = doperands[number + 1], 0
                if step < steps - 1 and number == 0:
                    dh[:, :d].addmm_(gates[step + 1], weight)
                elif step < steps - 1:
                    dh[:, :d] += doperands[number][:, d:]
            before = cells[step - 1] if step else nothing
            step_backward(gates[step], before, cells[step], dh, column, dcells[number], dbiases[number][step], fused)
            if number == 0:
                scale_gradient(gates[step], projected, places[step], dscales[step], fused)
            operand = chunk.operand(number, step)
            known = operand.shape[1]
            dweights[number][:known].addmm_(operand.t(), gates[step])
            if number > 0 or chunk.top == 0:
                torch.mm(gates[step], weight[:, :known], out=doperands[number][:, :known])
    dscale.copy_(dscales.t())
    return dweights + [dbias.sum(0) for dbias in dbiases]
