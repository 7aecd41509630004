"""All steps of all layers of a stacked LSTM for one chunk of rows, in torch: the same as lstm_compiled.py on a GPU."""

import torch
from torch import Tensor


def forward(
    gates: Tensor,
    cells: Tensor,
    inputs: Tensor,
    recurrent: Tensor,
    upper: Tensor,
    bias: Tensor,
    projected: Tensor,
    index: Tensor,
    scale: Tensor,
    last: Tensor,
) -> None:
    layers, steps, _, d = cells.shape
    top, width = layers - 1, inputs.shape[3]
    for step in range(steps):
        for layer in range(layers):
            now = gates[layer, step]
            if layer == 0:
                torch.mul(projected[index[:, step]], scale[:, step, None], out=now)
                if step > 0:
                    now.addmm_(inputs[0, step - min(top, 1)][:, :d], recurrent.t())
            else:
                known = width if step > 0 else d
                torch.mm(inputs[layer - 1, step][:, :known], upper[layer - 1][:, :known].t(), out=now)
            i, f, g, o = now.add_(bias[layer]).chunk(4, 1)
            for gate in (i, f, o):
                gate.sigmoid_()
            g.tanh_()
            torch.mul(i, g, out=cells[layer, step])
            if step > 0:
                cells[layer, step].addcmul_(f, cells[layer, step - 1])
            h = o * torch.tanh(cells[layer, step])
            if layer < top:
                inputs[layer, step, :, :d] = h
            if layer == top and step == steps - 1:
                last.copy_(h)
            elif step < steps - 1 and (layer == top or layer > 0):
                inputs[max(layer - 1, 0), step + 1, :, width - d :] = h


def backward(
    gates: Tensor,
    cells: Tensor,
    inputs: Tensor,
    recurrent: Tensor,
    upper: Tensor,
    projected: Tensor,
    index: Tensor,
    dlast: Tensor,
    dscale: Tensor,
    drecurrent: Tensor,
    dupper: Tensor,
    dbias: Tensor,
) -> None:
    layers, steps, rows, d = cells.shape
    top, width = layers - 1, inputs.shape[3]
    nothing = torch.zeros_like(cells[0, 0])
    dcells = torch.zeros(layers, rows, d, device=cells.device)
    doperands = torch.empty(layers, rows, width, device=cells.device)
    for step in reversed(range(steps)):
        for layer in reversed(range(layers)):
            now = gates[layer, step]
            before = cells[layer, step - 1] if step > 0 else nothing
            if layer == top:
                dh = doperands[layer][:, width - d :] if step < steps - 1 else dlast
            else:
                dh = doperands[layer + 1][:, :d]
                if step < steps - 1 and layer == 0:
                    dh.addmm_(gates[0, step + 1], recurrent)
                elif step < steps - 1:
                    dh += doperands[layer][:, d:]
            dcells[layer] = _gate_gradients(now, before, cells[layer, step], dh, dcells[layer])
            torch.sum(now, dim=0, out=dbias[layer, step])
            known = width if step > 0 else d
            if layer > 0:
                dupper[layer - 1][:known].addmm_(inputs[layer - 1, step][:, :known].t(), now)
                torch.mm(now, upper[layer - 1][:, :known], out=doperands[layer][:, :known])
            else:
                dscale[:, step] = (now * projected[index[:, step]]).sum(1)
                if step > 0:
                    drecurrent.addmm_(inputs[0, step - min(top, 1)][:, :d].t(), now)
                if step > 0 and top == 0:
                    torch.mm(now, recurrent, out=doperands[0])


def _gate_gradients(gates: Tensor, c_before: Tensor, c: Tensor, dh: Tensor, dc: Tensor) -> Tensor:
    """Replaces activated gates by the gradient before activation; returns that of c_(t-1)."""
    i, f, g, o = (gate.clone() for gate in gates.chunk(4, 1))
    t = torch.tanh(c)
    dcell = dc + dh * o * (1 - t * t)
    parts = (dcell * g * i * (1 - i), dcell * c_before * f * (1 - f), dcell * i * (1 - g * g), dh * t * o * (1 - o))
    torch.cat(parts, dim=1, out=gates)
    return dcell * f
