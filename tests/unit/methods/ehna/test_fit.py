"""Fits from end to end: degenerate networks, killed and taken up again, threads, variants, and what is reported."""

import numba
import numpy as np
import pytest
import torch

from methods.contract.registry import load_method
from methods.contract.run import Run
from methods.ehna import choice
from methods.ehna import fit as ehna
from tests.conftest import network_of
from tests.unit.methods.ehna.town import PEOPLE, parameters, separation, town

# One candidate only, and all training.
FIXED = {"margin": 1, "ageing": 1, "time_scale": 5, "validation_fraction": 0}
DEGENERATE = {
    "no edge": [],
    "one edge": [(0, 1, 5)],
    "one time": [(0, 1, 7), (1, 2, 7), (2, 3, 7), (3, 0, 7)],
    "star": [(0, leaf, leaf) for leaf in range(1, 6)],
    "time zero": [(0, 1, 0), (1, 2, 0), (0, 2, 1)],
    "unix times": [(0, 1, 1_082_008_561), (1, 2, 1_082_008_562), (2, 3, 1_298_777_142)],
    "one pair": [(0, 1, 0.5)] * 5,
    "one path": [(node, node + 1, node) for node in range(17)],
    "one pair for long": [(0, 1, time) for time in range(400)],
}


@pytest.mark.parametrize("levels", [1, 2])
@pytest.mark.parametrize("contacts", DEGENERATE.values(), ids=DEGENERATE.keys())
def test_degenerate_networks_give_finite_vectors_of_unit_length(contacts, levels):
    z = ehna.fit(network_of(contacts, n_nodes=20), parameters(levels=levels), Run(1))
    assert z.shape == (20, 8)
    assert np.allclose(np.linalg.norm(z, axis=1), 1, atol=1e-5)


def test_one_seed_and_one_thread_give_the_same_bytes():
    one, again, other = (ehna.fit(town(), parameters(**FIXED), Run(seed)) for seed in (1, 1, 2))
    assert one.tobytes() == again.tobytes()
    assert not np.array_equal(one, other)


class Killed(Exception):
    pass


def killed_after(saves, monkeypatch, *arguments):
    """A fit that dies as soon as it has saved so many checkpoints."""
    save, done = ehna.save, []

    def save_then_die(*arguments):
        save(*arguments)
        done.append(1)
        if len(done) == saves:
            raise Killed

    with monkeypatch.context() as patched, pytest.raises(Killed):
        patched.setattr(ehna, "save", save_then_die)
        ehna.fit(*arguments)


@pytest.fixture
def all_training_taken(monkeypatch):
    """Every candidate is as good as any, which is enough: checkpoints after the choice, the start, and two passes."""
    monkeypatch.setattr(choice, "LEAST_GAIN_OF_WEIGHTS", -1.0)
    monkeypatch.setattr(choice, "LEAST_GAIN_OF_A_PASS", -1.0)
    monkeypatch.setattr(choice.Judge, "auc", lambda *_: 0.5)
    return town(), parameters(margin=[1, 2], ageing=1, time_scale=5, epochs=2)


@pytest.mark.parametrize("saves", [1, 2, 3, 4])
def test_a_fit_killed_after_any_checkpoint_ends_with_the_same_bytes(saves, all_training_taken, tmp_path, monkeypatch):
    whole = Run(3, folder=tmp_path / "whole")
    expected = ehna.fit(*all_training_taken, whole)
    killed_after(saves, monkeypatch, *all_training_taken, Run(3, folder=tmp_path / "killed"))
    monkeypatch.setattr(ehna, "choose", None)  # what was chosen is not chosen again
    resumed = Run(3, folder=tmp_path / "killed")
    assert ehna.fit(*all_training_taken, resumed).tobytes() == expected.tobytes()
    assert [(epoch.work, epoch.unit) for epoch in resumed.epochs] == [(e.work, e.unit) for e in whole.epochs]
    assert resumed.facts == whole.facts | {"epochs_before_resuming": resumed.facts["epochs_before_resuming"]}


def test_there_is_no_checkpoint_that_the_test_of_killed_fits_leaves_out(all_training_taken, monkeypatch):
    saved = []
    monkeypatch.setattr(ehna, "save", lambda *arguments: saved.append(arguments))
    ehna.fit(*all_training_taken, Run(1))
    assert len(saved) == 4


def test_a_fit_separates_the_two_halves_of_the_town():
    z = ehna.fit(town(2000), parameters(**FIXED, dimensions=32, activity_share=0), Run(1))
    assert separation(z) > 0.2


def test_a_table_that_is_the_output_has_as_many_columns_as_asked_for_and_unit_length():
    vectors = ehna.fit(town(), parameters(**FIXED, output="table", dimensions=10), Run(1))
    assert vectors.shape == (PEOPLE, 10)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


@pytest.mark.parametrize("variant", sorted(load_method("ehna").variants))
def test_every_variant_fits_and_differs_from_ehna(variant):
    own = load_method("ehna").variants[variant]["parameters"]
    z = ehna.fit(town(200), parameters(**FIXED | own), Run(1))
    assert np.isfinite(z).all()
    assert not np.array_equal(z, ehna.fit(town(200), parameters(**FIXED), Run(1)))


@pytest.mark.parametrize("contacts", [[(0, 1, 5), (1, 2, 6)], None], ids=["done", "failed"])
def test_the_fit_leaves_torch_and_numba_with_the_threads_they_had(contacts, monkeypatch):
    before = torch.get_num_threads(), numba.get_num_threads()
    during = []
    choose = ehna.choose

    def recording(*arguments):
        during.append((torch.get_num_threads(), numba.get_num_threads()))
        if contacts is None:
            raise Killed
        return choose(*arguments)

    monkeypatch.setattr(ehna, "choose", recording)
    try:
        ehna.fit(network_of(contacts or []), parameters(), Run(1, threads=before[0] + 1))
    except Killed:
        assert contacts is None
    assert during == [(before[0] + 1, min(before[0] + 1, numba.config.NUMBA_NUM_THREADS))]
    assert (torch.get_num_threads(), numba.get_num_threads()) == before


@pytest.mark.parametrize(
    "changes", [{}, {"epochs": 0}, {"weight_epochs": 0, "epochs": 0}, {"output": "table"}], ids=str
)
def test_every_fit_counts_its_work_in_epochs(changes):
    run = Run(1)
    ehna.fit(town(), parameters(**FIXED | changes), run)
    assert run.epochs
    assert all((epoch.work > 0, epoch.unit) == (True, "edges") for epoch in run.epochs)


def test_every_random_stream_of_a_fit_is_its_own(monkeypatch):
    """Seeds of one stage that another stage had would make negatives, walks or orders the same in both."""
    started, default_rng = [], np.random.default_rng

    def recording(seed):
        started.append(seed)
        return default_rng(seed)

    monkeypatch.setattr(np.random, "default_rng", recording)
    ehna.fit(town(), parameters(**FIXED, epochs=2), Run(1))
    streams = [tuple(np.random.SeedSequence(seed).generate_state(4)) for seed in started]
    assert len(set(streams)) == len(streams) > 5
