"""CTDNE: Node2Vec's budget of context windows on time-respecting walks, and what it reports of them."""

import numpy as np
import pytest

from methods.contract.errors import MethodError
from methods.contract.registry import load_method
from methods.contract.run import Run
from methods.ctdne.fit import fit
from networks.synthetic import generate
from tests.conftest import network_of

PARAMS = {
    "dimensions": 16, "walks_per_node": 2, "walk_length": 8, "allow_ties": False, "window": 4, "negatives": 5,
    "subsampling": 0.001, "epochs": 1, "learning_rate": 0.025, "final_learning_rate": 0.0001,
}  # fmt: skip


def test_windows_trained_on_are_as_many_as_node2vec_walks_hold(gensim_jobs):
    network = generate(50, 1500, seed=1).first(1200)
    run = Run(seed=1)
    fit(network, PARAMS, run)
    walkers = np.count_nonzero(network.degrees)
    budget = 2 * walkers * (8 - 4 + 1)
    sentences = [walk for batch, _ in gensim_jobs for walk in batch]
    assert sum(len(walk) - 4 + 1 for walk in sentences) == budget == run.facts["windows"]
    assert all(4 <= len(walk) <= 8 for walk in sentences)
    assert run.facts["windows_share_of_budget"] == 1
    assert "note" not in run.facts
    assert [(epoch.work, epoch.unit) for epoch in run.epochs] == [(budget, "windows")]
    assert run.facts["tokens"] == sum(map(len, sentences))


def test_shares_of_discarded_walks_and_of_nodes_without_vector_are_reported():
    # 0-1-2-3 in order of time is the only walk of 4 nodes; 4 and 5 meet but are in no such walk, 6 meets nobody.
    network = network_of([(0, 1, 1), (1, 2, 2), (2, 3, 3), (4, 5, 4)], n_nodes=7)
    run = Run(seed=1)
    vectors = fit(network, PARAMS | {"walks_per_node": 200}, run)
    assert np.all(vectors[4:] == 0)
    assert np.all(np.any(vectors[:4] != 0, axis=1))
    assert run.facts["nodes_without_vector_share"] == pytest.approx(3 / 7)
    assert run.facts["walks_discarded_share"] == pytest.approx(7 / 8, abs=0.02)
    assert not run.facts["stopped_because_too_few_walks_succeed"]


def test_where_strict_walks_die_at_once_the_fit_ends_and_says_so(one_timestamp):
    run = Run(seed=1)
    vectors = fit(one_timestamp, PARAMS, run)
    assert np.array_equal(vectors, np.zeros((4, 16), dtype=np.float32))
    assert run.facts["stopped_because_too_few_walks_succeed"]
    assert run.facts["walks_discarded_share"] == 1
    assert run.facts["nodes_without_vector_share"] == 1
    assert len(run.epochs) == 1


def test_work_of_a_search_that_was_given_up_is_what_was_trained_on(monkeypatch, gensim_jobs):
    # Less than 1% of the walks start on the contact from which four nodes can be reached.
    network = network_of([(0, 1, 1), (1, 2, 2), (2, 3, 3)] + [(4, 5, 4)] * 997)
    monkeypatch.setattr("methods.kernels.forward_walks.TRIED_AT_ONCE", 2000)
    run = Run(seed=1)
    fit(network, PARAMS | {"epochs": 2, "walks_per_node": 100}, run)
    found = sum(len(batch) for batch, _ in gensim_jobs) // 2
    assert 0 < found < 6 * 100 * 5
    assert [(epoch.work, epoch.unit) for epoch in run.epochs] == [(found, "windows")] * 2
    assert run.facts["note"] == (
        f"trained on {found} of 3000 context windows, because less than 1% of the walks are long enough; "
        "33% of the nodes have no vector"
    )


def test_allow_ties_walks_on_at_the_same_time(one_timestamp):
    run = Run(seed=1)
    vectors = fit(one_timestamp, PARAMS | {"allow_ties": True}, run)
    assert np.all(np.any(vectors != 0, axis=1))
    assert run.facts["walks_discarded_share"] == 0


def test_ties_are_allowed_unless_forbidden():
    assert load_method("ctdne").defaults["allow_ties"] is True


def test_walks_that_could_never_be_kept_are_refused(path):
    with pytest.raises(MethodError, match="walk_length is 3, but walks shorter than the window \\(4\\) are discarded"):
        fit(path, PARAMS | {"walk_length": 3}, Run(seed=1))


def test_a_network_without_contacts_gives_zero_vectors():
    run = Run(seed=1)
    assert np.array_equal(fit(network_of([], n_nodes=3), PARAMS, run), np.zeros((3, 16), dtype=np.float32))
    assert run.facts["windows_share_of_budget"] == 1
