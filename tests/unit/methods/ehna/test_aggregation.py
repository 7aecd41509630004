"""The fast aggregation equals the literal reading of Algorithm 1 and Eq. 3 and 4, values and gradients."""

from itertools import product

import numpy as np
import pytest
import torch

from methods.ehna import aggregation as module
from methods.ehna.aggregation import EPSILON, WALK_WEIGHT, Aggregation, Architecture, normalized
from methods.ehna.neighborhoods import Neighborhoods, Past, WalkSettings
from tests.conftest import network_of
from tests.unit.methods.ehna import reference

pytestmark = pytest.mark.usefixtures("one_thread")
EVERY_KIND = pytest.mark.parametrize(
    "architecture",
    [Architecture(8, *kind) for kind in product(("soft", "literal", "none"), (1, 2), (1, 2))],
    ids=lambda kind: f"{kind.attention}, {kind.layers} layers, {kind.levels} levels",
)
# Equal times, a pair that meets twice, two nodes without contact.
NETWORK = network_of(
    [
        (0, 1, 0),
        (1, 2, 2),
        (0, 2, 3),
        (3, 4, 3),
        (2, 3, 5),
        (0, 4, 6),
        (5, 6, 6),
        (1, 4, 7),
        (0, 1, 8),
        (4, 6, 9),
        (2, 6, 10),
        (5, 3, 11),
    ],
    n_nodes=9,
)


@pytest.fixture(scope="module")
def batch():
    """Both ends of every edge just before it, and of the nodes without contact; in float64, as the reference reads."""
    past = Past.of(NETWORK, WalkSettings(walk_length=4, p=0.5, q=2.0, time_scale=1.0, walk_kind="temporal"))
    targets = np.concatenate((NETWORK.source, NETWORK.target, [7, 8])).astype(np.int32)
    found = past.before(targets, np.concatenate((NETWORK.time, NETWORK.time, [5, 9])), 3, seed=1)
    assert 0 < len(found.owners) < len(targets)
    return Neighborhoods(found.targets, found.owners, found.nodes, found.times.double())


def random_weights(architecture):
    """An aggregation that is not at its start, and a table; large enough that every gate and ReLU matters."""
    generator = torch.Generator().manual_seed(3)
    aggregation = Aggregation(architecture, 1.0, 1.0, seed=1).double()
    for weight in aggregation.parameters():
        weight.data = 0.7 * torch.randn(weight.shape, generator=generator, dtype=torch.float64)
    table = torch.randn(NETWORK.n_nodes, architecture.width, generator=generator, dtype=torch.float64)
    return aggregation, table / table.norm(dim=1, keepdim=True)


def with_gradients(z, table, parameters):
    """z, and the derivative of some sum of it by the table and by every weight; z of unit length has none of z.z."""
    upstream = torch.randn(z.shape, generator=torch.Generator().manual_seed(4), dtype=z.dtype)
    names = list(parameters)
    found = torch.autograd.grad((z * upstream).sum(), [table, *parameters.values()], allow_unused=True)
    gradients = dict(zip(["table", *names], found, strict=True))
    return {"z": z.detach()} | {name: one.to_dense() for name, one in gradients.items() if one is not None}


def fast(architecture, batch):
    aggregation, table = random_weights(architecture)
    table.requires_grad_()
    return with_gradients(aggregation(table, batch), table, dict(aggregation.named_parameters()))


def slow(architecture, batch):
    aggregation, table = random_weights(architecture)
    table.requires_grad_()
    walks = [[] for _ in batch.targets]
    for owner, nodes, times in zip(batch.owners.tolist(), batch.nodes.tolist(), batch.times.tolist(), strict=True):
        walks[owner] = list(zip(nodes, times, strict=True))
    weights = dict(aggregation.named_parameters())
    kind = architecture.attention, architecture.layers, architecture.levels
    z = reference.aggregate(table, weights, batch.targets.tolist(), walks, *kind, WALK_WEIGHT, EPSILON)
    return with_gradients(torch.stack(z), table, weights)


@EVERY_KIND
def test_values_and_gradients_equal_those_of_the_literal_reading(architecture, batch):
    found, expected = fast(architecture, batch), slow(architecture, batch)
    assert set(found) == set(expected)
    for name, value in expected.items():
        torch.testing.assert_close(found[name], value, rtol=1e-5, atol=1e-5, msg=name)


@EVERY_KIND
def test_rows_that_go_through_an_lstm_in_chunks_give_the_same(architecture, batch, monkeypatch):
    whole = fast(architecture, batch)
    monkeypatch.setattr(module, "ROWS_AT_ONCE", 3)
    for name, value in fast(architecture, batch).items():
        torch.testing.assert_close(value, whole[name], rtol=1e-9, atol=1e-9, msg=name)


def node_weights(batch, monkeypatch, attention):
    """What node_attention gives, times what the aggregation makes of it: inputs of the node-level LSTM."""
    aggregation, _ = random_weights(Architecture(8, attention))
    seen = []

    def recording(lstm, sequences):
        seen.append(sequences)
        return sequences.sum(1)

    monkeypatch.setattr(module, "last_output", recording)
    ones = torch.ones(NETWORK.n_nodes, 4, dtype=torch.float64)
    aggregation(ones, batch)
    return seen[0].view(*batch.nodes.shape[:2], -1, 4)[..., 0].flip(2)  # from the target into the past


def test_soft_weights_have_mean_one_over_the_positions_that_take_part(batch, monkeypatch):
    weights, others = node_weights(batch, monkeypatch, "soft"), batch.nodes[..., 1:] != batch.nodes[..., :1]
    assert not others.all()
    torch.testing.assert_close(weights.sum(-1), others.sum(-1).double())
    assert not weights[~others].any()


def test_without_attention_every_position_but_the_target_itself_weighs_one(batch, monkeypatch):
    weights = node_weights(batch, monkeypatch, "none")
    assert torch.equal(weights, (batch.nodes[..., 1:] != batch.nodes[..., :1]).double())


def test_literal_weights_include_the_start_and_add_up_to_one(batch, monkeypatch):
    weights = node_weights(batch, monkeypatch, "literal")
    assert weights.shape == batch.nodes.shape
    torch.testing.assert_close(weights.sum(-1), torch.ones(weights.shape[:2], dtype=torch.float64))


def test_a_single_row_is_normalized_by_running_statistics_and_leaves_them():
    norm = torch.nn.BatchNorm1d(2, eps=EPSILON)
    row = torch.tensor([[3.0, -1.0]])
    torch.testing.assert_close(normalized(norm, row), row)
    assert norm.running_mean.tolist() == [0, 0]
    assert norm.num_batches_tracked == 0


@EVERY_KIND
def test_every_aggregated_embedding_has_unit_length(architecture, batch):
    z = fast(architecture, batch)["z"]
    torch.testing.assert_close(z.norm(dim=1), torch.ones(len(z), dtype=torch.float64))
