"""Training through z: what moves, what stays, and that the weights only learn from edges new to the table."""

import numpy as np
import pytest
import torch

from methods.contract.run import Run
from methods.ehna import training
from methods.ehna.training import (
    BATCH,
    OLDER_SHARE,
    PARTS,
    PASSES_PER_PART,
    WINDOW,
    TableSettings,
    batches,
    train_table_through_z,
    train_weights,
)
from tests.conftest import network_of
from tests.unit.methods.ehna.town import PEOPLE, model_and_past, separation, town

pytestmark = pytest.mark.usefixtures("one_thread")
TABLE = TableSettings(passes=2, margin=1.0, ageing=0.0)


def weights_of(model):
    return {name: weight.detach().clone() for name, weight in model.aggregation.named_parameters()}


@pytest.mark.parametrize("n", [0, 1, BATCH, BATCH + 1, WINDOW + 3])
def test_batches_hold_every_edge_once(n):
    rows = 10 + np.arange(n)
    found = list(batches(rows, np.random.default_rng(1)))
    assert sorted(row for batch in found for row in batch.tolist()) == rows.tolist()


def test_batches_are_of_about_equal_size_and_stay_inside_their_window(monkeypatch):
    monkeypatch.setattr(training, "BATCH", 8)
    monkeypatch.setattr(training, "WINDOW", 24)
    found = list(batches(np.arange(100), np.random.default_rng(1)))
    assert [len(batch) for batch in found] == [8] * 12 + [4]
    assert all(len(set((batch // 24).tolist())) == 1 for batch in found)
    assert [len(batch) for batch in batches(np.arange(9), np.random.default_rng(1))] == [5, 4]


@pytest.fixture
def through_z(monkeypatch):
    """A table after one pass through z in batches of 64 edges, and how model and table were before."""
    monkeypatch.setattr(training, "BATCH", 64)
    model, past = model_and_past(town(n_nodes=PEOPLE + 1))
    before = model.vectors.copy(), weights_of(model)
    loss = train_table_through_z(model, past, 2, 0.01, (1, 2), Run(1))
    return model, loss, *before


def test_the_table_moves_through_z_and_stays_on_the_unit_sphere(through_z):
    model, loss, table, _ = through_z
    assert loss > 0
    assert (model.vectors[:PEOPLE] != table[:PEOPLE]).any(axis=1).all()
    assert np.allclose(np.linalg.norm(model.vectors, axis=1), 1, atol=1e-6)


def test_a_row_that_no_batch_touches_does_not_move(through_z):
    model, _, table, _ = through_z
    assert np.array_equal(model.vectors[PEOPLE], table[PEOPLE])


def test_the_weights_stay_as_they_are_while_the_table_moves_through_z(through_z):
    model, _, _, weights = through_z
    for name, weight in weights_of(model).items():
        assert torch.equal(weight, weights[name]), name


def test_passes_through_z_pull_the_halves_of_the_town_apart():
    model, past = model_and_past(town(), dimensions=32)
    before = separation(model.vectors)
    losses = [train_table_through_z(model, past, 2, 0.02, (1, number), Run(1)) for number in range(10)]
    assert losses[-1] < losses[0]
    assert separation(model.vectors) > before + 0.1


@pytest.fixture
def events(monkeypatch):
    """What train_weights does, in order: ("table", edges it learns, passes) and ("weights", rows, table and pool)."""
    seen = []
    batch_loss, train_table = training.batch_loss, training.train_table

    def recording_loss(aggregation, table, past, rows, pool, *rest):
        seen.append(("weights", rows, (table.numpy().tobytes(), pool)))
        return batch_loss(aggregation, table, past, rows, pool, *rest)

    def recording_table(vectors, network, passes, *rest, **named):
        train_table(vectors, network, passes, *rest, **named)
        seen.append(("table", network.n_edges, (vectors.tobytes(), passes)))

    monkeypatch.setattr(training, "batch_loss", recording_loss)
    monkeypatch.setattr(training, "train_table", recording_table)
    monkeypatch.setattr(training, "BATCH", 16)
    return seen


def test_the_weights_learn_only_from_edges_newer_than_all_that_the_table_has_learned(events):
    model, past = model_and_past(town())
    train_weights(model, past, 2, 0.001, TABLE, (1,), Run(1))
    learned = trained = 0
    for kind, what, _ in events:
        if kind == "table":
            learned = max(learned, what)
        else:
            assert what.min() >= learned
            trained += len(what)
    assert 0 < trained <= 400 * (1 - OLDER_SHARE)


def test_the_table_learns_the_older_share_then_part_by_part_and_in_the_end_everything(events):
    model, past = model_and_past(town())
    train_weights(model, past, 2, 0.001, TABLE, (1,), Run(1))
    learned = [(n_edges, passes) for kind, n_edges, (_, passes) in events if kind == "table"]
    older = int(400 * OLDER_SHARE)
    parts = [(older + (400 - older) * (number + 1) // PARTS, PASSES_PER_PART) for number in range(PARTS)]
    assert learned == [(older, TABLE.passes), *parts, (400, TABLE.passes)]


def test_steps_of_the_weights_leave_the_table_as_it_is(events):
    model, past = model_and_past(town())
    train_weights(model, past, 2, 0.001, TABLE, (1,), Run(1))
    last = None
    for kind, _, (table, _) in events:
        assert kind == "table" or table == last
        last = table
    assert model.vectors.tobytes() == last


def test_the_weights_learn_only_from_nodes_that_the_table_knows(events):
    # Half of the newer contacts are with somebody who has not met anyone before.
    old = [(u, v, 4 * u + v) for u in range(4) for v in range(u)]
    new = [(step % 4, 4 + step, 100 + step) if step % 2 else (0, 1 + step % 3, 100 + step) for step in range(12)]
    network = network_of([*old, *old, *new])
    model, past = model_and_past(network)
    train_weights(model, past, 2, 0.001, TABLE, (1,), Run(1))
    learned, seen = 0, []
    for kind, what, (_, pool) in events:
        if kind == "table":
            learned = what
            continue
        known = set(np.flatnonzero(network.first(learned).degrees).tolist())
        assert {*network.source[what].tolist(), *network.target[what].tolist(), *pool.tolist()} <= known
        seen += what.tolist()
    assert seen


def test_training_moves_every_weight():
    model, past = model_and_past(town())
    before = weights_of(model)
    loss = train_weights(model, past, 2, 0.001, TABLE, (1,), Run(1))
    assert np.isfinite(loss)
    for name, weight in weights_of(model).items():
        assert not torch.equal(weight, before[name]), name
    assert np.allclose(np.linalg.norm(model.vectors, axis=1), 1, atol=1e-6)


def test_every_pass_counts_its_edges_as_an_epoch():
    model, past = model_and_past(town())
    run = Run(1)
    train_weights(model, past, 2, 0.001, TABLE, (1,), run)
    train_table_through_z(model, past, 2, 0.01, (1,), run)
    assert [(epoch.work, epoch.unit) for epoch in run.epochs] == [
        (400 - int(400 * OLDER_SHARE), "edges"),
        (400, "edges"),
    ]
