"""The stacked LSTM of Algorithm 1 (lines 4 and 6), forward and backward by hand.

Both levels of EHNA feed the LSTM rows of a table scaled by an attention weight: alpha * e_v, then beta * h_r. Hence

    W_ih (alpha * e_v) = alpha * (W_ih e_v),

and the input projection of the first layer is made once per table row, not once per place in a sequence
(input_projection.py). A higher layer has its input and its own last state side by side in memory,
x_t = [below_t || h_(t-1)], so that a step is one product with [W_ih || W_hh], and so is each gradient
(lstm_compiled.py).
"""

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from methods.ehna import lstm_compiled, lstm_torch
from methods.ehna.input_projection import project, unproject
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


class Memory:
    """What the forward pass computes and the backward pass needs; rows first to end own one block of each buffer.

    A chunk is `gates`, `cells` and `inputs`, each as (…, steps, rows, width). `gates` and `cells` have a part for every
    layer, `inputs` for every layer above the first: at step t what its weights are multiplied by, h_(t-1) in the last d
    columns. A state is written where the layer above reads it, and the first layer reads it there, too, so that it has
    no inputs of its own unless it is the only one. The states of the top layer are written where its own next step
    reads them; only layers between need theirs in both places.
    """

    def __init__(self, d: int, layers: int, rows: int, steps: int, workers: Workers) -> None:
        self.d, self.layers, self.steps = d, layers, steps
        self.inputs_shape = (layers - 1, 2 * d) if layers > 1 else (1, d)
        places = rows * steps
        self.gates = workers.take(places * layers * 4 * d)
        self.cells = workers.take(places * layers * d)
        self.inputs = workers.take(places * self.inputs_shape[0] * self.inputs_shape[1])

    def chunk(self, first: int, end: int) -> list[Tensor]:
        def part(buffer: Tensor, layers: int, width: int) -> Tensor:
            per_row = layers * self.steps * width
            return buffer[first * per_row : end * per_row].view(layers, self.steps, end - first, width)

        return [
            part(self.gates, self.layers, 4 * self.d),
            part(self.cells, self.layers, self.d),
            part(self.inputs, *self.inputs_shape),
        ]

    def give_back(self, workers: Workers) -> None:
        workers.give(self.gates, self.cells, self.inputs)


@dataclass
class Weights:
    """The weights as the passes read them: [W_ih || W_hh] of the layers above the first in one array."""

    first_input: Tensor
    recurrent: Tensor
    upper: Tensor
    bias: Tensor

    @classmethod
    def of(cls, weights: list[Tensor]) -> "Weights":
        """From W_ih of all layers, then W_hh of all, then the biases."""
        n = len(weights) // 3
        inputs, recurrents, biases = weights[:n], weights[n : 2 * n], weights[2 * n :]
        width, d = inputs[0].shape
        upper = [torch.cat(pair, dim=1) for pair in zip(inputs[1:], recurrents[1:], strict=True)]
        stacked = torch.stack(upper) if upper else torch.empty(0, width, 2 * d, device=inputs[0].device)
        return cls(inputs[0], recurrents[0].contiguous(), stacked, torch.stack(biases))


def arrays(tensors: list[Tensor], fused: bool) -> list[Any]:
    """As the passes take them: compiled ones read numpy's arrays."""
    return [tensor.numpy() for tensor in tensors] if fused else tensors


class _Sequences(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, table: Tensor, index: Tensor, scale: Tensor, workers: Workers, keep: bool, *weights: Tensor
    ) -> Tensor:
        index, scale = index.contiguous(), scale.contiguous()
        ctx.save_for_backward(table, index, scale)
        # numpy refuses tensors that require a gradient, even where none is recorded.
        table, scale = table.detach(), scale.detach()
        own = Weights.of([weight.detach() for weight in weights])
        memory = Memory(table.shape[1], len(own.bias), len(index), index.shape[1], workers)
        projected = project(table, own.first_input, workers)
        last = torch.empty(len(index), table.shape[1], device=table.device)
        chunks = workers.chunks(len(index))
        forward = lstm_compiled.forward if workers.fused else lstm_torch.forward

        def run(number: int) -> None:
            first, end = chunks[number]
            read = [own.recurrent, own.upper, own.bias, projected, index[first:end], scale[first:end], last[first:end]]
            forward(*arrays(memory.chunk(first, end) + read, workers.fused))

        workers.each(run, len(chunks))
        if keep:
            ctx.memory, ctx.projected, ctx.workers, ctx.own = memory, projected, workers, own
        else:
            memory.give_back(workers)
        return last

    @staticmethod
    def backward(ctx: Any, dlast: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        table, index, scale = (tensor.detach() for tensor in ctx.saved_tensors)
        memory, own, workers = ctx.memory, ctx.own, ctx.workers
        chunks = workers.chunks(len(index))
        dscale = torch.empty_like(scale)
        dlast = dlast.contiguous()
        backward = lstm_compiled.backward if workers.fused else lstm_torch.backward
        d, layers, steps = memory.d, memory.layers, memory.steps

        def run(number: int) -> list[Tensor]:
            first, end = chunks[number]
            read = [own.recurrent, own.upper, ctx.projected, index[first:end], dlast[first:end]]
            zeros = partial(torch.zeros, device=table.device)
            dweights = [zeros(d, 4 * d), zeros(layers - 1, 2 * d, 4 * d), zeros(layers, steps, 4 * d)]
            written = [dscale[first:end], *dweights]
            backward(*arrays(memory.chunk(first, end) + read + written, workers.fused))
            return dweights

        # Chunks are summed in their order, whichever thread is first.
        sums: list[Tensor] = []
        for found in workers.map(run, len(chunks)):
            for total, part in zip(sums, found, strict=True) if sums else ():
                total.add_(part)
            sums = sums or found
        dgates = memory.gates[: len(index) * steps * layers * 4 * d].view(-1, 4 * d)
        dtable, dinput = unproject(dgates, layers, own.first_input, table, index, scale, workers)
        memory.give_back(workers)
        drecurrent, dupper, dbias = sums
        dinputs = [dinput, *(dweight[:d].t() for dweight in dupper)]
        drecurrents = [drecurrent.t(), *(dweight[d:].t() for dweight in dupper)]
        return dtable, None, dscale, None, None, *dinputs, *drecurrents, *dbias.sum(1)
