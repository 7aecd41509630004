"""All steps of all layers of a stacked LSTM for one chunk of rows, forward and backward, on the CPU.

Arrays are those of a chunk of lstm.Memory. One call does everything and holds no lock, so that threads share out the
chunks and never meet; lstm_torch.py is the same for other devices.
"""

import numba
import numpy as np

from methods.ehna.gates import fill_scaled_rows, scale_gradient, step_backward, step_forward
from methods.ehna.products import product


@numba.njit(cache=True, nogil=True, error_model="numpy")
def forward(gates, cells, inputs, recurrent, upper, bias, projected, index, scale, last):
    """Fills `gates`, `cells` and `inputs`; `last` takes the last hidden state of the top layer."""
    layers, steps, rows, d = cells.shape
    top, width = layers - 1, inputs.shape[3]
    nothing = np.zeros((rows, d), dtype=np.float32)
    for step in range(steps):
        for layer in range(layers):
            now = gates[layer, step]
            if layer == 0:
                fill_scaled_rows(now, projected, index, scale, step)
                if step > 0:
                    product(inputs[0, step - min(top, 1)][:, :d], recurrent.T, now, 1.0)
            else:
                known = width if step > 0 else d
                product(inputs[layer - 1, step][:, :known], upper[layer - 1][:, :known].T, now, 0.0)
            before = cells[layer, step - 1] if step > 0 else nothing
            if layer < top:
                step_forward(now, bias[layer], before, cells[layer, step], inputs[layer, step], 0)
            elif step == steps - 1:
                step_forward(now, bias[layer], before, cells[layer, step], last, 0)
            else:
                step_forward(now, bias[layer], before, cells[layer, step], inputs[-1, step + 1], width - d)
            if 0 < layer < top and step < steps - 1:
                inputs[layer - 1, step + 1][:, d:] = inputs[layer, step][:, :d]


@numba.njit(cache=True, nogil=True, error_model="numpy")
def backward(gates, cells, inputs, recurrent, upper, projected, index, dlast, dscale, drecurrent, dupper, dbias):
    """Adds to `drecurrent` and `dupper`, transposed; fills `dscale` and `dbias`; leaves in `gates` their gradient."""
    layers, steps, rows, d = cells.shape
    top, width = layers - 1, inputs.shape[3]
    nothing = np.zeros((rows, d), dtype=np.float32)
    dcells = np.zeros((layers, rows, d), dtype=np.float32)
    doperands = np.empty((layers, rows, width), dtype=np.float32)
    for step in range(steps - 1, -1, -1):
        for layer in range(top, -1, -1):
            now, after = gates[layer, step], gates[layer, min(step + 1, steps - 1)]
            before = cells[layer, step - 1] if step > 0 else nothing
            if layer == top:
                dh, column = doperands[layer], width - d
                if step == steps - 1:
                    dh[:, column:] = dlast
            else:
                # From the layer above at this step, and from this layer at the next one.
                dh, column = doperands[layer + 1], 0
                if step < steps - 1 and layer == 0:
                    product(after, recurrent, dh[:, :d], 1.0)
                elif step < steps - 1:
                    dh[:, :d] += doperands[layer][:, d:]
            step_backward(now, before, cells[layer, step], dh, column, dcells[layer], dbias[layer, step])
            known = width if step > 0 else d
            if layer > 0:
                product(inputs[layer - 1, step][:, :known].T, now, dupper[layer - 1][:known], 1.0)
                product(now, upper[layer - 1][:, :known], doperands[layer][:, :known], 0.0)
            else:
                scale_gradient(now, projected, index, dscale, step)
                if step > 0:
                    product(inputs[0, step - min(top, 1)][:, :d].T, now, drecurrent, 1.0)
                if step > 0 and top == 0:
                    product(now, recurrent, doperands[0], 0.0)
