"""Fits from end to end: degenerate networks, killed and taken up again, threads, and what is reported."""

import numpy as np
import pytest
import torch

from methods.ehna import fit as ehna
from methods.ehna.batches import Source
from methods.ehna.export import aggregate_nodes, last_times
from methods.ehna.model import new_model
from methods.ehna.parallel import Workers
from methods.parameters import complete_parameters
from methods.registry import load_method
from methods.run import Run
from tests.conftest import network_of


def parameters(**changes):
    method = load_method("ehna")
    return complete_parameters(method.parameters, method.conformance | changes, "ehna", method.defaults)


def town(n_edges=400, seed=0):
    """Forty people in two halves who mostly meet within their half."""
    rng = np.random.default_rng(seed)
    contacts = []
    while len(contacts) < n_edges:
        u, v = (int(person) for person in rng.integers(0, 40, 2))
        if u != v and ((u < 20) == (v < 20) or rng.random() < 0.05):
            contacts.append((u, v, 1_082_008_561 + 60 * len(contacts)))
    return network_of(contacts)


@pytest.mark.parametrize("context", ["in_batch", "temporal", "two_hop"])
@pytest.mark.parametrize(
    "contacts",
    [
        [(0, 1, 5)],
        [(0, 1, 7), (1, 2, 7), (2, 3, 7), (3, 0, 7)],
        [(0, leaf, leaf) for leaf in range(1, 6)],
        [(0, 1, 0), (1, 2, 0), (0, 2, 1)],
        [(0, 1, 1_082_008_561), (1, 2, 1_082_008_562), (2, 3, 1_298_777_142)],
        [(0, 1, 0.5)] * 5,
        [(node, node + 1, node) for node in range(17)],
    ],
    ids=["one edge", "one time", "star", "time zero", "unix times", "one pair", "last batch of one"],
)
def test_degenerate_networks_give_finite_vectors_of_unit_length(contacts, context):
    network = network_of(contacts, n_nodes=20)
    z = ehna.fit(network, parameters(negative_context=context), Run(1))
    assert z.shape == (20, 8)
    assert np.allclose(np.linalg.norm(z, axis=1), 1, atol=1e-5)


def test_one_seed_gives_the_same_bytes_with_any_number_of_threads():
    network = town()
    one, again, two, other = (
        ehna.fit(network, parameters(), Run(seed, threads)) for seed, threads in ((1, 1), (1, 1), (1, 2), (2, 1))
    )
    assert one.tobytes() == again.tobytes() == two.tobytes()
    assert not np.array_equal(one, other)


@pytest.mark.parametrize("killed_after", [1, 2, 3, 4])
def test_a_fit_killed_after_any_epoch_ends_with_the_same_bytes(tmp_path, monkeypatch, killed_after):
    network, params = town(600), parameters(epochs=2)
    whole = Run(3, folder=tmp_path / "whole")
    expected = ehna.fit(network, params, whole)
    assert [epoch.work for epoch in whole.epochs] == [540, 540, 600, 600]

    class Killed(Exception):
        pass

    saved = 0
    save = ehna.save

    def save_then_die(*arguments):
        nonlocal saved
        save(*arguments)
        saved += 1
        if saved == killed_after:
            raise Killed

    monkeypatch.setattr(ehna, "save", save_then_die)
    with pytest.raises(Killed):
        ehna.fit(network, params, Run(3, folder=tmp_path / "killed"))
    monkeypatch.undo()
    resumed = Run(3, folder=tmp_path / "killed")
    assert ehna.fit(network, params, resumed).tobytes() == expected.tobytes()
    assert [(epoch.work, epoch.unit) for epoch in resumed.epochs] == [(e.work, e.unit) for e in whole.epochs]


def test_a_fit_reports_loss_probe_and_validation_of_every_epoch():
    run = Run(1)
    ehna.fit(town(600), parameters(epochs=2), run)
    validation = run.facts["validation_auc"]
    assert all(len(run.facts[name]) == len(run.epochs) for name in ("loss", "active_share", "role_probe_auc"))
    assert run.facts["epochs_that_chose"] == 2
    assert validation[2:] == [None] * (len(run.epochs) - 2)
    assert all(0 < value < 1 for value in validation[:2])
    assert all(epoch.unit == "edges" for epoch in run.epochs)


@pytest.mark.parametrize("aucs", [[0.7, 0.6, 0.65], [0.6, 0.7, 0.65, 0.7], [0.5, 0.6, 0.7, 0.8]])
def test_training_starts_anew_on_all_edges_for_as_many_epochs_as_were_best(monkeypatch, aucs):
    network, run, fixed = town(600), Run(1), Run(1)
    rest = iter(aucs)
    monkeypatch.setattr(ehna.ValidationBlock, "auc", lambda *_: next(rest))
    z = ehna.fit(network, parameters(epochs=4, patience=2), run)
    best = int(np.argmax(aucs)) + 1
    assert [epoch.work for epoch in run.epochs] == [540] * len(aucs) + [600] * best
    assert z.tobytes() == ehna.fit(network, parameters(epochs=best, validation_fraction=0), fixed).tobytes()


def test_without_a_validation_block_all_edges_are_trained_on_in_every_epoch():
    run = Run(1)
    ehna.fit(town(), parameters(epochs=2, validation_fraction=0), run)
    assert [epoch.work for epoch in run.epochs] == [400, 400]


def test_training_separates_the_two_halves_of_the_town():
    network = town(2000)
    z = ehna.fit(network, parameters(dimensions=16, epochs=5, walks=3), Run(1))
    similar = z @ z.T
    same = (np.arange(40)[:, None] < 20) == (np.arange(40)[None] < 20)
    off_diagonal = ~np.eye(40, dtype=bool)
    assert similar[same & off_diagonal].mean() > similar[~same].mean() + 0.2


def test_the_final_aggregation_is_as_of_each_nodes_latest_contact(star):
    source = Source.of(star, ehna.Sampling.of(parameters()))
    assert last_times(source, np.array([0, 1, 3], dtype=np.int32)).tolist() == [4, 1, 3]


def test_the_final_aggregation_includes_the_latest_contact(one_edge):
    sampling, nodes = ehna.Sampling.of(parameters()), np.array([0, 1], dtype=np.int32)
    model = new_model(2, ehna.Architecture(8), 0.001, 0.02, 1, Workers(1, torch.device("cpu")))
    torch.nn.init.eye_(model.aggregation.projection)  # z is H alone
    z, without_history = (
        aggregate_nodes(model, Source.of(network, sampling), sampling, nodes, (1, 1))
        for network in (one_edge, one_edge.first(0))
    )
    assert not without_history.any()
    assert z.any(axis=1).all()


def test_every_order_batch_validation_and_export_has_its_own_random_stream(monkeypatch):
    network, started, sequence = town(600), [], np.random.SeedSequence

    def recording(seed):
        started.append(tuple(sequence(seed).generate_state(4).tolist()))
        return sequence(seed)

    monkeypatch.setattr(np.random, "SeedSequence", recording)
    monkeypatch.setattr(np.random, "default_rng", lambda seed: np.random.Generator(np.random.PCG64(recording(seed))))
    aucs = iter([0.6, 0.7])
    monkeypatch.setattr(ehna.ValidationBlock, "auc", lambda *_: next(aucs))
    ehna.fit(network, parameters(epochs=2), Run(1))
    # Training on all edges begins anew, with the streams of the epochs that chose; validation has one for all epochs.
    assert len(started) == 1 + 2 * (1 + 34 + 1) + 2 * (1 + 38) + 1
    assert len(set(started)) == 1 + 2 * (1 + 38) + 1 + 1


def test_the_fit_leaves_torch_with_the_threads_it_had():
    before = torch.get_num_threads()
    ehna.fit(network_of([(0, 1, 5)]), parameters(), Run(1))
    assert torch.get_num_threads() == before


@pytest.mark.parametrize("variant", sorted(load_method("ehna").variants))
def test_every_variant_fits_and_differs_from_ehna(variant):
    network = town(200)
    own = load_method("ehna").variants[variant]["parameters"]
    z = ehna.fit(network, parameters(epochs=1, **own), Run(1))
    assert np.isfinite(z).all()
    assert not np.array_equal(z, ehna.fit(network, parameters(epochs=1), Run(1)))
