"""The smaller parts of EHNA: sharing of equal walks, normalization, optimizer, loss, probe."""

import numpy as np
import pytest
import torch
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from torch import nn

from methods.ehna.loss import margin_loss
from methods.ehna.neighborhoods import gather
from methods.ehna.normalization import WeightedBatchNorm
from methods.ehna.optimizer import RowAdam, WeightAdam
from methods.ehna.parallel import Workers
from methods.ehna.probe import auc, logistic_regression, role_auc
from methods.walks.backward import Walks


def walks_of(rows, times):
    return Walks(np.array(rows, dtype=np.int32), np.array(times, dtype=np.float32))


def test_equal_walks_are_kept_once_and_counted():
    walks = walks_of([[7, 3], [7, 3], [7, 4], [3, 7]], [[0.5], [0.5], [0.5], [0.5]])
    batch = gather(np.array([7, 3], dtype=np.int32), [(0, walks, True)], 2, 9)
    group = batch.groups[0]
    assert batch.nodes[group.nodes].tolist() == [[7, 3], [7, 4], [3, 7]]
    assert group.counts.tolist() == [2, 1, 1]
    assert group.walks.tolist() == [[0, 0], [1, 2]]
    assert batch.nodes[batch.targets].tolist() == [7, 3]


def test_walks_over_the_same_nodes_at_other_times_are_not_equal():
    walks = walks_of([[7, 3], [7, 3]], [[0.5], [0.25]])
    assert len(gather(np.array([7], dtype=np.int32), [(0, walks, True)], 2, 9).groups[0].nodes) == 2


def test_only_targets_with_history_own_walks():
    walks = walks_of([[5, -1], [5, -1], [6, 5], [6, 5]], [[0], [0], [0.5], [0.5]])
    batch = gather(np.array([5, 6], dtype=np.int32), [(0, walks, True)], 2, 9)
    assert batch.groups[0].owners.tolist() == [1]
    assert gather(np.array([5], dtype=np.int32), [(0, walks_of([[5, -1]], [[0]]), True)], 1, 9).groups == []


def test_weighted_normalization_equals_batch_norm_over_repeated_rows():
    generator = torch.Generator().manual_seed(1)
    rows, counts = torch.randn(5, 3, generator=generator), torch.tensor([1.0, 4.0, 2.0, 1.0, 3.0])
    repeated = rows.repeat_interleave(counts.long(), dim=0)
    ours, twin = WeightedBatchNorm(3), nn.BatchNorm1d(3)
    expected = twin(repeated)
    torch.testing.assert_close(ours(rows, counts).repeat_interleave(counts.long(), dim=0), expected)
    torch.testing.assert_close(ours.running_mean, twin.running_mean)
    torch.testing.assert_close(ours.running_variance, twin.running_var)
    torch.testing.assert_close(ours.eval()(rows), twin.eval()(rows))


def test_a_single_row_is_normalized_by_running_statistics_and_leaves_them():
    norm = WeightedBatchNorm(2)
    row = torch.tensor([[3.0, -1.0]])
    torch.testing.assert_close(norm(row), row / (1 + 1e-5) ** 0.5)
    assert norm.running_mean.tolist() == [0, 0]


@pytest.mark.parametrize("fused", [True, False], ids=["fused", "torch"])
def test_row_adam_equals_sparse_adam_on_the_rows_it_touches(fused):
    generator = torch.Generator().manual_seed(1)
    start = torch.randn(6, 2, generator=generator)
    table = start.clone()
    twin = nn.Embedding.from_pretrained(start.clone(), freeze=False, sparse=True)
    ours = RowAdam(table, 0.1, Workers(threads=2, chunk=2, fused=fused))
    theirs = torch.optim.SparseAdam(list(twin.parameters()), lr=0.1)
    for rows in ([0, 3], [3, 4, 5], [0]):
        upstream = torch.randn(len(rows), 2, generator=generator)
        ours.step(torch.tensor(rows), upstream)
        theirs.zero_grad()
        (twin(torch.tensor(rows)) * upstream).sum().backward()
        theirs.step()
    torch.testing.assert_close(table, twin.weight.detach())
    assert torch.equal(table[[1, 2]], start[[1, 2]])


@pytest.mark.parametrize("fused", [True, False], ids=["fused", "torch"])
@pytest.mark.parametrize("shape", [(4, 3), (5,)], ids=["matrix", "vector"])
def test_weight_adam_equals_adam_and_leaves_weights_without_a_gradient(shape, fused):
    generator = torch.Generator().manual_seed(1)
    start = torch.randn(shape, generator=generator)
    weight, idle, twin = (nn.Parameter(start.clone()) for _ in range(3))
    ours = WeightAdam([weight, idle], 0.01, Workers(fused=fused))
    theirs = torch.optim.Adam([twin], lr=0.01)
    for _ in range(5):
        weight.grad = torch.randn(shape, generator=generator)
        twin.grad = weight.grad.clone()
        with torch.no_grad():
            ours.step()
        theirs.step()
    torch.testing.assert_close(weight, twin)
    assert torch.equal(idle, start)
    assert weight.grad is None


def test_auc_and_logistic_regression_equal_those_of_scikit_learn():
    generator = np.random.default_rng(1)
    rows, positive = generator.normal(size=(300, 4)), generator.random(300) < 0.4
    rows[positive] += 0.5
    scores = rows[:, 0].round(1)
    assert auc(positive, scores) == pytest.approx(roc_auc_score(positive, scores), abs=1e-12)
    expected = LogisticRegression(tol=1e-10).fit(rows, positive).coef_[0]
    assert logistic_regression(rows, positive) == pytest.approx(expected, abs=1e-5)


def test_loss_of_a_hand_made_edge():
    # z_x and z_y are 1 apart (squared), the negative around x lies 4 away, the one around y 1 away
    z = torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [1.0, 1.0]])
    negatives = torch.tensor([[[2]], [[3]]])
    loss, active = margin_loss(z, torch.tensor([0]), torch.tensor([1]), negatives, margin=2.0)
    assert loss.item() == pytest.approx(max(0, 2 + 1 - 4) + max(0, 2 + 1 - 1))
    assert active.item() == 0.5


def test_a_negative_that_was_not_found_counts_for_nothing():
    z = torch.tensor([[0.0], [1.0], [5.0]])
    negatives = torch.tensor([[[-1, 2]], [[-1, -1]]])
    loss, active = margin_loss(z, torch.tensor([0]), torch.tensor([1]), negatives, margin=30.0)
    assert loss.item() == pytest.approx(30 + 1 - 25)
    assert active.item() == 1.0


def test_probe_sees_a_betrayed_role_and_only_that():
    generator = np.random.default_rng(1)
    noise = generator.normal(size=(2, 400, 3)).astype(np.float32)
    assert abs(role_auc(noise[0], noise[1]) - 0.5) < 0.1
    assert role_auc(noise[0] + np.float32(5), noise[1]) > 0.99
    assert role_auc(noise[0][:5], noise[1]) is None
