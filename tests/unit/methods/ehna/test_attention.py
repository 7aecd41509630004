"""Attention weights (Eq. 3 and 4) against closed forms: who takes part, and what near and recent are worth."""

import numpy as np
import pytest
import torch

from methods.ehna.attention import inverse_times, node_attention, walk_attention


def alpha(points, inverse_time, takes_part, own=0.0):
    """Of one target at `own` on a line, and one walk."""
    return node_attention(
        torch.tensor([[own]]),
        torch.tensor(points, dtype=torch.float32).reshape(1, 1, -1, 1),
        torch.tensor([[inverse_time]], dtype=torch.float32),
        torch.tensor([[takes_part]]),
    )[0, 0].tolist()


def softmax(logits):
    exact = np.exp(logits)
    return pytest.approx((exact / exact.sum()).tolist(), rel=1e-6)


def test_alpha_is_the_softmax_of_distance_over_time():
    # v at distance 1 reached at t = 0.5; w at distance 2 reached at t = 0.25
    assert alpha([1, 2], [2, 4], [True, True]) == softmax([-2, -16])


def test_a_position_that_takes_no_part_weighs_nothing_and_changes_no_other():
    assert alpha([1, 0, 2], [2, 3, 4], [True, False, True]) == [
        pytest.approx(value) for value in np.insert(alpha([1, 2], [2, 4], [True, True]), 1, 0.0)
    ]
    assert alpha([1, 0, 2], [2, 3, 4], [True, False, True])[1] == 0


def test_a_walk_that_only_returns_to_its_target_weighs_nothing_and_is_no_nan():
    own, embeddings = torch.tensor([[1.0]], requires_grad=True), torch.ones(1, 2, 2, 1, requires_grad=True)
    takes_part = torch.tensor([[[False, False], [True, True]]])
    weights = node_attention(own, embeddings, torch.ones(1, 2, 2), takes_part)
    assert weights.tolist() == [[[0.0, 0.0], [0.5, 0.5]]]
    weights.square().sum().backward()
    assert torch.isfinite(own.grad).all()
    assert torch.isfinite(embeddings.grad).all()


def test_a_far_node_at_the_earliest_time_gets_nothing_and_no_nan():
    # 1/t is 1000 and the distance 1e6: exp(-1e9) is 0 in any float
    assert alpha([0, 1000], [0, 1000], [True, True]) == [1.0, 0.0]


def test_the_nearer_of_two_nodes_weighs_more():
    near, far = alpha([0.5, 1], [0.7, 0.7], [True, True])
    assert near > far


def test_the_more_recent_of_two_nodes_at_one_distance_weighs_more():
    times = torch.tensor([0.9, 0.1])
    recent, old = alpha([1, -1], inverse_times(torch.tensor([0, 1, 2]), times, 1.0).tolist(), [True, True])
    assert recent > old


def test_inverse_time_sums_over_all_steps_into_a_node():
    # 0 -> 1 -> 0 -> 1: node 1 is reached at 0.9 and 0.3, node 0 at 0.5
    found = inverse_times(torch.tensor([0, 1, 0, 1]), torch.tensor([0.9, 0.5, 0.3]), 0.0)
    assert found.tolist() == pytest.approx([1 / 1.2, 1 / 0.5, 1 / 1.2])


def test_the_first_time_is_added_to_every_step():
    found = inverse_times(torch.tensor([0, 1, 0, 1]), torch.tensor([0.9, 0.0, 0.3]), 1.0)
    assert found.tolist() == pytest.approx([1 / 3.2, 1, 1 / 3.2])


def test_beta_is_the_softmax_of_distance_times_mean_inverse_time():
    walks = torch.tensor([[[1.0, 0.0], [0.0, 0.0], [1.0, 3.0]]])
    weights = walk_attention(torch.tensor([[1.0, 0.0]]), walks, torch.tensor([[7.0, 2.0, 0.1]]))
    assert weights[0].tolist() == softmax([0, -2, -0.9])
