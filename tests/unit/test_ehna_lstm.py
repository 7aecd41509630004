"""The LSTM by hand equals torch.nn.LSTM: outputs and every gradient, fused or not, in any number of chunks."""

import numba
import numpy as np
import pytest
import torch
from torch import nn

from methods.ehna.gates import _tanh
from methods.ehna.lstm import StackedLSTM
from methods.ehna.parallel import Workers

WIDTH = 6


def torch_twin(ours, layers, width):
    twin = nn.LSTM(width, width, layers, batch_first=True)
    with torch.no_grad():
        for layer in range(layers):
            getattr(twin, f"weight_ih_l{layer}").copy_(ours.input[layer])
            getattr(twin, f"weight_hh_l{layer}").copy_(ours.recurrent[layer])
            getattr(twin, f"bias_ih_l{layer}").copy_(ours.bias[layer])
            getattr(twin, f"bias_hh_l{layer}").zero_()
    return twin


@pytest.mark.parametrize("fused", [True, False], ids=["fused", "torch"])
@pytest.mark.parametrize(("layers", "steps", "chunk"), [(1, 4, 100), (2, 5, 4), (3, 1, 4), (4, 3, 4), (2, 3, 11)])
@pytest.mark.parametrize("width", [1, WIDTH])
def test_equals_torch_lstm(layers, steps, chunk, fused, width):
    generator = torch.Generator().manual_seed(1)
    ours = StackedLSTM(width, layers, generator)
    twin = torch_twin(ours, layers, width)
    workers = Workers(threads=2, chunk=chunk, fused=fused)
    index = torch.randint(0, 5, (11, steps), generator=generator, dtype=torch.int32)
    upstream = torch.randn(11, width, generator=generator)
    for _ in range(2):  # the second time with memory that the first has used
        table = torch.randn(5, width, generator=generator, requires_grad=True)
        scale = torch.rand(11, steps, generator=generator, requires_grad=True)
        ours.zero_grad()
        twin.zero_grad()
        last = ours(table, index, scale, workers)
        (last * upstream).sum().backward()
        mine = [
            last,
            table.grad,
            scale.grad,
            *(w.grad for group in (ours.input, ours.recurrent, ours.bias) for w in group),
        ]

        table, scale = (tensor.detach().clone().requires_grad_() for tensor in (table, scale))
        expected = twin(table[index] * scale[:, :, None])[0][:, -1]
        (expected * upstream).sum().backward()
        names = ("weight_ih", "weight_hh", "bias_ih")
        theirs = [expected, table.grad, scale.grad]
        theirs += [getattr(twin, f"{name}_l{layer}").grad for name in names for layer in range(layers)]
        for a, b in zip(mine, theirs, strict=True):
            torch.testing.assert_close(a, b, rtol=1e-5, atol=1e-5)


def test_without_gradients_the_output_is_the_same_and_the_memory_is_free_at_once():
    generator = torch.Generator().manual_seed(1)
    ours, workers, others = StackedLSTM(WIDTH, 2, generator), Workers(chunk=4), Workers(chunk=4)
    table, scale = torch.randn(5, WIDTH), torch.rand(9, 3)
    index = torch.randint(0, 5, (9, 3), generator=generator, dtype=torch.int32)
    with_gradient = ours(table, index, scale, workers)
    with torch.no_grad():
        without = ours(table, index, scale, others)
    assert torch.equal(with_gradient, without)
    assert without.grad_fn is None
    assert not workers._free
    assert len(others._free) == 3  # gates, cells and inputs


def test_a_backward_pass_frees_the_memory_for_the_next_batch():
    generator = torch.Generator().manual_seed(1)
    ours, workers = StackedLSTM(WIDTH, 2, generator), Workers(chunk=4)
    index = torch.randint(0, 5, (9, 3), generator=generator, dtype=torch.int32)
    free = []
    for _ in range(2):
        ours(torch.randn(5, WIDTH), index, torch.rand(9, 3), workers).sum().backward()
        free.append({buffer.data_ptr() for buffer in workers._free})
    assert len(free[0]) == 3
    assert free[0] == free[1]


def test_two_forward_passes_before_a_backward_pass_do_not_share_memory():
    generator = torch.Generator().manual_seed(1)
    ours, workers = StackedLSTM(WIDTH, 2, generator), Workers(chunk=4)
    index = torch.randint(0, 5, (9, 3), generator=generator, dtype=torch.int32)
    tables = [torch.randn(5, WIDTH, generator=generator) for _ in range(2)]

    def gradients(together):
        leaves = [table.clone().requires_grad_() for table in tables]
        sums = [ours(leaf, index, torch.ones(9, 3), workers).square().sum() for leaf in leaves[: 2 if together else 0]]
        if together:
            (sums[0] + sums[1]).backward()
        else:
            for leaf in leaves:
                ours(leaf, index, torch.ones(9, 3), workers).square().sum().backward()
        return [leaf.grad for leaf in leaves]

    for a, b in zip(gradients(True), gradients(False), strict=True):
        assert torch.equal(a, b)


def test_tanh_keeps_its_relative_precision_near_zero_and_never_leaves_its_range():
    x = np.concatenate([np.logspace(-8, 2, 20_000), -np.logspace(-8, 2, 20_000), [0.0]]).astype(np.float32)
    found = tanh_as_in_the_kernels(x)
    assert np.allclose(found, np.tanh(x.astype(np.float64)), rtol=4e-7, atol=0)
    assert np.abs(found).max() <= 1


@numba.njit(fastmath={"contract"}, error_model="numpy")
def tanh_as_in_the_kernels(x):
    found = np.empty_like(x)
    for at in range(len(x)):
        found[at] = _tanh(x[at])
    return found
