"""The model of ehna_released: with all flags off the literal reading of the paper, and what each flag changes."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from methods.ehna_released.attention import LARGEST_EXPONENT, amplifying_factor, walk_attention
from methods.ehna_released.contexts import Context
from methods.ehna_released.model import Model
from methods.ehna_released.norm import BatchNorm, RoleNorms
from methods.ehna_released.training import Source, make_batch, margin_loss
from tests import ehna_reference as reference
from tests.ehna_reference import NETWORK
from tests.ehna_released_setting import paper, released


def batch_of(setting):
    source = Source.of(NETWORK, setting)
    return make_batch(source, setting, np.arange(NETWORK.n_edges), np.random.default_rng(1))


def model_of(setting):
    """Weights of some size, in float64, and norms that are not the identity."""
    model = Model(NETWORK.n_nodes, setting, 3).double()
    generator = torch.Generator().manual_seed(4)
    for name, weight in model.named_parameters():
        if "norm" in name:
            weight.data += 0.1 * torch.randn(weight.shape, generator=generator, dtype=torch.float64)
        elif "lstm" in name:
            weight.data = torch.randn(weight.shape, generator=generator, dtype=torch.float64)
    return model


def reference_weights(model):
    weights = {"projection": model.projection.weight}
    for level in ("node", "walk"):
        lstm, norm = getattr(model, f"{level}_lstm"), getattr(model, f"{level}_norms").norms[0]
        weights |= {f"{level}_norm.weight": norm.weight, f"{level}_norm.bias": norm.bias}
        for layer in range(2):
            weights[f"{level}_lstm.input.{layer}"] = getattr(lstm, f"weight_ih_l{layer}")
            weights[f"{level}_lstm.recurrent.{layer}"] = getattr(lstm, f"weight_hh_l{layer}")
            bias = getattr(lstm, f"bias_ih_l{layer}") + getattr(lstm, f"bias_hh_l{layer}")
            weights[f"{level}_lstm.bias.{layer}"] = bias
    return weights


def literal_z(model, contexts):
    """z of all targets of all contexts, in one list, by the reference."""
    targets, walks, attention = [], [], []
    for context in contexts:
        own = [[] for _ in context.targets]
        for owner, nodes, times in zip(context.owners, context.nodes, context.times, strict=True):
            own[owner] = [(row.tolist(), time[1:].tolist()) for row, time in zip(nodes, times, strict=True)]
        targets += context.targets.tolist()
        walks += own
        attention += [context.attention] * len(own)
    return reference.aggregate(model.table, reference_weights(model), targets, walks, attention, layers=2, levels=2)


@pytest.mark.parametrize("shared", [False, True], ids=["negatives per edge", "negatives per batch"])
def test_with_all_flags_off_z_loss_and_gradients_are_those_of_the_literal_reading(shared):
    setting = paper(shared_negatives=shared)
    batch, model = batch_of(setting), model_of(setting)
    z = model(batch.contexts)
    loss = margin_loss(z, batch.places, 5.0)
    expected_z = literal_z(model, batch.contexts)
    torch.testing.assert_close(torch.cat(z), torch.stack(expected_z))

    n = NETWORK.n_edges
    firsts = [2 * n, 2 * n + len(z[2])]
    around = [
        [[first + q for q in row if q >= 0] for row in places.tolist()]
        for first, places in zip(firsts, batch.places, strict=True)
    ]
    edges = [(edge, n + edge, *negatives) for edge, negatives in enumerate(zip(*around, strict=True))]
    expected_loss = reference.loss(expected_z, edges, 5.0)
    torch.testing.assert_close(loss, expected_loss)
    parameters = list(model.parameters())
    gradients = torch.autograd.grad(loss, parameters)
    torch.testing.assert_close(gradients, torch.autograd.grad(expected_loss, parameters))
    assert any(len(context.owners) < len(context.targets) for context in batch.contexts)  # some have no history


def one_context(nodes, weights, attention=True):
    """A context of node 0 alone, with no times."""
    nodes, weights, itself = np.array([nodes]), np.array([weights]), np.array([0])
    return Context(itself, itself, itself, nodes, weights, np.zeros(nodes.shape), attention)


def fed(setting, context):
    """What the node-level LSTM gets, (k, positions, d), and the table it was made from."""
    model = model_of(setting)
    anchors = model.table[torch.from_numpy(context.anchors)]
    inverse = torch.from_numpy(context.inverse_times())
    return model._weighted_nodes(context, anchors, inverse)[0].detach(), model.table.detach()


def test_released_attention_multiplies_each_dimension_by_exp_of_weight_times_squared_difference():
    context = one_context([[3, 4]], [[0.6, 1.2]])
    found, e = fed(released(walks=1), context)
    torch.testing.assert_close(found[0, 0], e[3] * torch.exp(0.6 * (e[0] - e[3]) ** 2))
    torch.testing.assert_close(found[0, 1], e[4] * torch.exp(1.2 * (e[0] - e[4]) ** 2))
    found, e = fed(released(walks=1, amplifying_attention=False), replace(context, times=np.array([[[0.5, 0.25]]])))
    logits = torch.stack([-((e[0] - e[3]) ** 2).sum() / 0.5, -((e[0] - e[4]) ** 2).sum() / 0.25])
    torch.testing.assert_close(found[0], torch.softmax(logits, 0)[:, None] * e[[3, 4]])


def test_released_attention_stays_finite_for_a_pair_that_met_very_often():
    factor = amplifying_factor(torch.zeros(1, 2), torch.ones(1, 1, 1, 2), torch.full((1, 1, 1), 1e6))
    torch.testing.assert_close(factor, torch.full((1, 1, 1, 2), LARGEST_EXPONENT).exp())


def test_negatives_have_no_attention():
    found, e = fed(released(walks=1), one_context([[3, 4]], [[0.0, 0.0]], attention=False))
    assert torch.equal(found[0], e[[3, 4]])


def test_a_walk_is_read_from_the_target_into_the_past_or_the_other_way():
    context = one_context([[3, 4]], [[0.6, 1.2]])
    newest_first, _ = fed(released(walks=1), context)
    oldest_first, _ = fed(released(walks=1, newest_first=False), context)
    assert torch.equal(newest_first.flip(1), oldest_first)


def test_walks_are_weighed_by_beta_only_on_the_papers_side():
    x, h = torch.tensor([[0.0, 0.0]]), torch.tensor([[[1.0, 0.0], [0.0, 2.0]]])
    # Reciprocals of times average to 1 and 0.5 over the two positions, squared distances are 1 and 4.
    beta = walk_attention(x, h, torch.tensor([[[2.0, 0.0], [1.0, 0.0]]]))
    torch.testing.assert_close(beta[0, :, 0], torch.softmax(torch.tensor([-1.0, -2.0]), 0))
    context = replace(one_context([[3], [4]], [[0.5], [0.5]]), times=np.array([[[1.0], [0.1]]]))
    plain = model_of(released(walks=2))([context], by_batch=False)[0]
    weighed = model_of(released(walks=2, no_walk_attention=False))([context], by_batch=False)[0]
    assert not torch.allclose(plain, weighed)


def test_one_lstm_serves_both_levels_or_each_has_its_own():
    shared, own = Model(9, released(), 1), Model(9, released(one_lstm=False), 1)
    assert shared.node_lstm is shared.walk_lstm
    assert own.node_lstm is not own.walk_lstm
    per_lstm = sum(weight.numel() for weight in own.walk_lstm.parameters())
    assert sum(w.numel() for w in own.parameters()) - sum(w.numel() for w in shared.parameters()) == per_lstm


def test_projection_before_or_after_the_concatenation():
    generator = torch.Generator().manual_seed(1)
    e, h = torch.randn(2, 3, 6, generator=generator, dtype=torch.float64)
    model = model_of(released())
    z = torch.cat(
        (
            e @ model.own_projection.weight.t() + model.own_projection.bias,
            h @ model.history_projection.weight.t() + model.history_projection.bias,
        ),
        dim=1,
    )
    assert model.own_projection.weight.shape == model.history_projection.weight.shape == (3, 6)
    torch.testing.assert_close(model._project(e, h), z / z.norm(dim=1, keepdim=True))
    model = model_of(released(split_projection=False))
    z = torch.cat((h, e), dim=1) @ model.projection.weight.t()
    torch.testing.assert_close(model._project(e, h), z / z.norm(dim=1, keepdim=True))


def test_eight_norms_as_released_and_two_on_the_papers_side():
    assert sum(isinstance(module, BatchNorm) for module in Model(9, released(), 1).modules()) == 8
    assert sum(isinstance(module, BatchNorm) for module in Model(9, paper(), 1).modules()) == 2


def test_separate_norms_do_not_mix_the_statistics_of_roles():
    rows = [torch.tensor([[0.0], [2.0]]), torch.tensor([[10.0], [14.0]])]
    apart = RoleNorms(1, separate=True)(rows, by_batch=True)
    together = RoleNorms(1, separate=False)(rows, by_batch=True)
    for some in apart:
        torch.testing.assert_close(some, torch.tensor([[-1.0], [1.0]]), atol=1e-5, rtol=0)
    # Mean 6.5, variance 32.75.
    expected = (torch.cat(rows) - 6.5) / 32.75001**0.5
    torch.testing.assert_close(torch.cat(together), expected)


def test_a_single_row_becomes_the_bias_and_is_not_remembered():
    norm = BatchNorm(2)
    assert norm(torch.tensor([[3.0, -1.0]]), by_batch=True).tolist() == [[0.0, 0.0]]
    assert norm.running_mean.tolist() == [0, 0]


def test_loss_of_a_hand_made_edge():
    # z_x and z_y are 1 apart (squared), the negative around x lies 4 away, the one around y 1 away.
    z = [torch.tensor([row]) for row in ([0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [1.0, 1.0])]
    places = [np.array([[0]]), np.array([[0]])]
    assert margin_loss(z, places, 5.0).item() == (5 + 1 - 4) + (5 + 1 - 1)
    assert margin_loss(z, [np.array([[-1]]), np.array([[0]])], 5.0).item() == 5 + 1 - 1
