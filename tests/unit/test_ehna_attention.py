"""Attention weights (Eq. 3 and 4) against closed forms, also where times and distances are extreme."""

import math

import numpy as np
import pytest
import torch

from methods.ehna.attention import node_attention, walk_attention
from methods.ehna.neighborhoods import gather
from methods.walks.backward import Walks

BOTH = pytest.mark.parametrize("fused", [True, False], ids=["fused", "torch"])


def alpha(points, nodes, inverse_time, fused):
    table = torch.tensor(points, dtype=torch.float32)
    return node_attention(
        table, torch.tensor(nodes, dtype=torch.int32), torch.tensor(inverse_time, dtype=torch.float32), fused
    )


@BOTH
def test_alpha_is_the_softmax_of_distance_over_time(fused):
    # x at 0; v at distance 1 reached at t = 0.5; w at distance 2 reached at t = 0.25
    weights = alpha([[0.0], [1.0], [2.0]], [[0, 1, 2]], [[0.0, 2.0, 4.0]], fused)
    exact = np.exp([0.0, -2.0, -16.0])
    assert weights[0].tolist() == pytest.approx((exact / exact.sum()).tolist(), rel=1e-6)


@BOTH
def test_equal_embeddings_get_equal_weights(fused):
    weights = alpha([[1.0, 2.0]] * 3, [[0, 1, 2, 1]], [[0.0, 5.0, 7.0, 5.0]], fused)
    assert weights[0].tolist() == pytest.approx([0.25] * 4)


@BOTH
def test_a_far_node_at_the_earliest_time_gets_nothing_and_no_nan(fused):
    # 1/t is 1000 and the distance 1e6: exp(-1e9) is 0 in any float
    weights = alpha([[0.0], [1000.0]], [[0, 1]], [[0.0, 1000.0]], fused)
    assert weights[0].tolist() == [1.0, 0.0]


@BOTH
def test_raw_unix_times_would_switch_attention_off(fused):
    weights = alpha([[0.0], [1.0], [3.0]], [[0, 1, 2]], [[0.0, 1e-9, 1e-9]], fused)
    assert weights[0].tolist() == pytest.approx([1 / 3] * 3)


@BOTH
def test_gradient_of_alpha_is_the_derivative(fused):
    table = torch.tensor([[0.1, 0.2], [0.6, -0.3], [-0.4, 0.5]], requires_grad=True)
    nodes = torch.tensor([[0, 1, 0, 2], [1, 2, 1, 0]], dtype=torch.int32)
    inverse_time = torch.tensor([[1.5, 2.0, 1.5, 0.5], [0.8, 1.2, 0.8, 2.2]])
    upstream = torch.tensor([[0.3, -1.0, 0.5, 2.0], [1.0, 0.2, -0.7, 0.4]])
    (node_attention(table, nodes, inverse_time, fused) * upstream).sum().backward()

    def value(points):
        return (node_attention(points, nodes, inverse_time.double(), False) * upstream).sum()

    exact = table.detach().double().requires_grad_()
    value(exact).backward()
    assert torch.autograd.gradcheck(value, [table.detach().double().requires_grad_()])
    torch.testing.assert_close(table.grad.double(), exact.grad, rtol=1e-5, atol=1e-6)


def test_beta_is_the_softmax_of_distance_times_mean_inverse_time():
    target = torch.tensor([[1.0, 0.0]])
    walks = torch.tensor([[[1.0, 0.0], [0.0, 0.0], [1.0, 3.0]]])
    weights = walk_attention(target, walks, torch.tensor([[7.0, 2.0, 0.1]]))
    exact = np.exp([0.0, -2.0, -0.9])
    assert weights[0].tolist() == pytest.approx((exact / exact.sum()).tolist(), rel=1e-6)


def test_inverse_time_sums_over_all_steps_into_a_node():
    # 0 -> 1 -> 0 -> 1: node 1 is reached at 0.9 and 0.3, node 0 at 0.5
    walks = Walks(np.array([[0, 1, 0, 1]], dtype=np.int32), np.array([[0.9, 0.5, 0.3]], dtype=np.float32))
    group = gather(np.array([0], dtype=np.int32), [(0, walks, True)], 1, 2).groups[0]
    assert group.inverse_time[0].tolist() == pytest.approx([1 / 0.5, 1 / 1.2, 1 / 0.5, 1 / 1.2], rel=1e-6)


def test_a_start_that_is_never_reached_again_has_inverse_time_zero():
    walks = Walks(np.array([[0, 1, 2]], dtype=np.int32), np.array([[0.9, 0.001]], dtype=np.float32))
    group = gather(np.array([0], dtype=np.int32), [(0, walks, True)], 1, 3).groups[0]
    assert group.inverse_time[0].tolist() == pytest.approx([0.0, 1 / 0.9, 1000.0], rel=1e-5)
    assert math.isfinite(group.inverse_time.max())
