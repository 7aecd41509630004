"""Historical neighborhoods as the aggregation reads them, and the final embedding that is made of them."""

import numpy as np
import pytest
import torch

from methods.ehna import export
from methods.ehna.export import aggregate_nodes
from methods.ehna.training import Model
from tests.conftest import network_of
from tests.unit.methods.ehna.town import PEOPLE, model_and_past, town

pytestmark = pytest.mark.usefixtures("one_thread")
KINDS = pytest.mark.parametrize("walk_kind", ["temporal", "static"])


def ids(*nodes):
    return np.array(nodes, dtype=np.int32)


@KINDS
def test_only_targets_with_history_own_walks(star, walk_kind):
    _, past = model_and_past(star, walk_kind=walk_kind, walk_length=3)
    found = past.before(ids(4, 0, 0, 1), np.array([4, 1, 2, 2]), 2, seed=1)
    assert found.targets.tolist() == [4, 0, 0, 1]
    assert found.owners.tolist() == [2, 3]
    assert found.nodes.tolist() == [[[0, 1, 0, 1]] * 2, [[1, 0, 1, 0]] * 2]
    assert found.times.shape == (2, 2, 3)


@KINDS
def test_no_walk_uses_a_contact_at_or_after_its_time(walk_kind):
    network = town()
    _, past = model_and_past(network, walk_kind=walk_kind)
    rows = np.arange(100, 300)
    found = past.before(network.source[rows], network.time[rows], 3, seed=1)
    limits = torch.from_numpy(network.unit_time()[rows])[found.owners]
    assert (found.times.amax((1, 2)) < limits).all()


@KINDS
def test_an_inclusive_walk_uses_contacts_at_its_time(one_edge, walk_kind):
    _, past = model_and_past(one_edge, walk_kind=walk_kind)
    assert len(past.before(ids(0), np.array([5]), 2, seed=1).owners) == 0
    assert len(past.before(ids(0), np.array([5]), 2, seed=1, inclusive=True).owners) == 1


def test_the_latest_neighborhood_of_a_node_includes_its_latest_contact(star):
    _, past = model_and_past(star, walk_length=1, time_scale=0)
    found = past.latest(ids(3, 0), 200, seed=1)
    assert found.owners.tolist() == [0, 1]
    assert [set(one) for one in found.nodes[..., 1].tolist()] == [{0}, {1, 2, 3, 4}]


def test_a_node_without_contact_has_no_latest_neighborhood(triangle):
    _, past = model_and_past(triangle)
    assert past.latest(ids(3, 0), 2, seed=1).owners.tolist() == [1]
    _, past = model_and_past(network_of([], n_nodes=2))
    assert past.latest(ids(0, 1), 2, seed=1).owners.tolist() == []


def final(model: Model, past, nodes, n_walks=4):
    return aggregate_nodes(model, past, nodes, n_walks, (1, 2))


def test_the_final_embedding_knows_the_latest_contact(one_edge):
    model, past = model_and_past(one_edge)
    without = final(*model_and_past(one_edge.first(0)), ids(0, 1))
    assert not np.isclose(final(model, past, ids(0, 1)), without).all(axis=1).any()


def test_the_final_embedding_of_a_node_without_contact_is_that_without_history():
    network = town(n_nodes=PEOPLE + 1)
    without = final(*model_and_past(network.first(0)), ids(PEOPLE))
    assert np.allclose(final(*model_and_past(network), ids(3, PEOPLE))[1], without[0])


def test_the_final_embedding_takes_statistics_of_its_own():
    first, second = model_and_past(town()), model_and_past(town())
    for name, buffer in second[0].aggregation.named_buffers():
        if "running" in name:
            buffer.fill_(7.0)
    everyone = np.arange(PEOPLE, dtype=np.int32)
    assert final(*first, everyone).tobytes() == final(*second, everyone).tobytes()


def test_the_final_embedding_changes_neither_table_nor_weights():
    model, past = model_and_past(town())
    untouched, _ = model_and_past(town())
    final(model, past, ids(0, 1, 2))
    assert np.array_equal(model.vectors, untouched.vectors)
    for weight, before in zip(model.aggregation.parameters(), untouched.aggregation.parameters(), strict=True):
        assert torch.equal(weight, before)
    assert model.aggregation.training


def test_every_node_is_embedded_and_told_of_once(monkeypatch):
    monkeypatch.setattr(export, "NODES_PER_BATCH", 16)
    model, past = model_and_past(town())
    told = []
    z = aggregate_nodes(model, past, np.arange(PEOPLE, dtype=np.int32), 2, (1,), told.append)
    assert told == [16, 16, 8]
    assert np.allclose(np.linalg.norm(z, axis=1), 1, atol=1e-6)
