"""The aggregation as it starts: H is a mean over what the walks met, z is e beside c H + b."""

import numpy as np
import pytest
import torch

from methods.ehna.aggregation import Aggregation, Architecture
from methods.ehna.start import NODE_KEEP, OPEN_GATE, start_as_sum
from tests.conftest import network_of
from tests.unit.methods.ehna.town import PEOPLE, model_and_past, town

pytestmark = pytest.mark.usefixtures("one_thread")
WIDTH = 16
SHARES = {"history_share": 0.5, "activity_share": 2.0}


def mean_of_walks(vectors, batch, leak):
    """Of the nodes that walks met other than their target; s steps away weighs leak^s."""
    nodes = batch.nodes.numpy()
    others = (nodes[..., 1:] != nodes[..., :1])[..., None]
    weights = leak ** np.arange(nodes.shape[2] - 1)[:, None]
    return (vectors[nodes[..., 1:]] * others * weights).mean((1, 2))


def correlation(a, b):
    """Over all coordinates, each at mean 0 and variance 1 over the targets, as batch normalization leaves them."""
    a, b = ((rows - rows.mean(0)) / rows.std(0) for rows in (a, b))
    return float((a * b).mean())


def history_and_mean(leak, n_walks, **changes):
    """H of everybody in town, and the mean of the same walks."""
    model, past = model_and_past(town(), dimensions=2 * WIDTH, walk_length=5, **changes)
    batch = past.latest(np.arange(PEOPLE, dtype=np.int32), n_walks, seed=1)
    with torch.no_grad():
        found = model.aggregation.neighborhood(model.table, model.table, batch.nodes, batch.times)
    return found.numpy(), mean_of_walks(model.vectors, batch, leak)


@pytest.mark.parametrize("layers", [1, 2])
# Attention weighs by distance, too, which the mean here does not.
@pytest.mark.parametrize(("attention", "least"), [("none", 0.95), ("soft", 0.9)])
def test_at_the_start_a_history_is_the_leaky_mean_of_what_its_walks_met(attention, least, layers):
    leak = 1 / (1 + np.exp(-NODE_KEEP))
    assert correlation(*history_and_mean(leak, 20, attention=attention, layers=layers)) > least


@pytest.mark.parametrize("layers", [1, 2])
def test_at_the_start_of_one_level_a_history_is_the_plain_mean_of_what_its_walks_met(layers):
    assert correlation(*history_and_mean(1.0, 50, attention="none", layers=layers, levels=1)) > 0.95


def test_a_first_layer_adds_its_inputs_and_forgets_a_share_at_every_step():
    lstm = torch.nn.LSTM(3, 3, 1, batch_first=True)
    start_as_sum(lstm, 0.5, NODE_KEEP, noise=0.0)
    inputs = 0.01 * torch.randn(1, 4, 3, generator=torch.Generator().manual_seed(1))
    _, (_, cell) = lstm(inputs)
    gate, leak = torch.sigmoid(torch.tensor([OPEN_GATE, NODE_KEEP]))
    expected = gate * 0.5 * sum(leak ** (3 - step) * inputs[0, step] for step in range(4))
    torch.testing.assert_close(cell[0, 0], expected, rtol=1e-3, atol=0)


def test_w_is_two_blocks_and_the_half_of_h_has_a_constant():
    projection = Aggregation(Architecture(2 * WIDTH), **SHARES, seed=1).projection
    expected = torch.zeros(2 * WIDTH, 2 * WIDTH)
    expected[:WIDTH, WIDTH:] = torch.eye(WIDTH)
    expected[WIDTH:, :WIDTH] = torch.eye(WIDTH) * 0.5 / 4
    assert torch.equal(projection.weight, expected)
    assert projection.bias.tolist() == [0.0] * WIDTH + [2.0 / 4] * WIDTH


def test_a_target_without_history_is_its_embedding_beside_the_constant():
    model, past = model_and_past(network_of([(0, 1, 5)]), dimensions=2 * WIDTH, **SHARES)
    batch = past.before(np.array([0, 1], dtype=np.int32), np.array([5, 5]), 3, seed=1)
    with torch.no_grad():
        z = model.aggregation(model.table, batch)
    # e has length 1, and the constant 2 as a whole.
    expected = np.concatenate((model.vectors, np.full((2, WIDTH), 2 / 4)), axis=1) / np.sqrt(1 + 4)
    assert np.allclose(z.numpy(), expected, atol=1e-7)


def test_one_seed_gives_one_start():
    one, again, other = (Aggregation(Architecture(8), **SHARES, seed=seed).state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(one[name], again[name]) for name in one)
    assert not torch.equal(one["node_lstm.weight_ih_l0"], other["node_lstm.weight_ih_l0"])
