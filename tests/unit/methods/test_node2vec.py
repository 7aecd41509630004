"""Node2Vec: skip-gram and not CBOW, exact counts, a linear learning rate, and the same bytes from the same seed."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from gensim.models import Word2Vec

from methods.contract.errors import MethodError
from methods.contract.parameters import complete_parameters
from methods.contract.registry import load_method
from methods.contract.run import Run
from methods.kernels.skip_gram import word2vec
from methods.kernels.static_graph import merged_graph, walk_graph
from methods.kernels.static_walks import static_walks
from methods.node2vec.fit import fit, walk_blocks
from networks.synthetic import generate
from tests.conftest import network_of

PARAMS = {
    "dimensions": 16, "walks_per_node": 3, "walk_length": 8, "p": 0.5, "q": 2.0, "window": 4, "negatives": 5,
    "subsampling": 0.001, "epochs": 1, "learning_rate": 0.025, "final_learning_rate": 0.0001,
}  # fmt: skip


def two_cliques(size=6):
    """Two groups in which everybody meets everybody, joined by one contact."""
    pairs = [(u, v) for u in range(size) for v in range(u)]
    contacts = [(u + shift, v + shift, time) for time, (u, v) in enumerate(pairs) for shift in (0, size)]
    return network_of([*contacts, (0, size, len(pairs))])


def test_the_model_is_skip_gram_with_every_setting_of_the_parameters():
    model = word2vec(np.array([3, 2]), PARAMS, Run(seed=9, threads=2))
    assert (model.sg, model.hs, model.negative, model.ns_exponent) == (1, 0, 5, 0.75)
    assert (model.vector_size, model.window, model.shrink_windows) == (16, 4, True)
    assert (model.sample, model.alpha, model.min_alpha) == (0.001, 0.025, 0.0001)
    assert (model.epochs, model.min_count, model.workers, model.seed) == (1, 1, 2, 9)
    assert model.wv.index_to_key == [0, 1]


def test_noise_is_drawn_in_proportion_to_the_frequency_of_each_word_to_the_power_of_three_quarters():
    counts = np.array([900, 500, 30, 2])
    model = word2vec(counts, PARAMS, Run(seed=1))
    shares = np.diff(model.cum_table, prepend=0) / model.cum_table[-1]
    assert shares == pytest.approx(counts**0.75 / (counts**0.75).sum(), abs=1e-6)


@pytest.mark.parametrize("subsampling", [0.0, 0.01])
def test_training_is_exactly_what_gensim_makes_of_the_same_walks(subsampling):
    network = generate(12, 60, seed=2)
    params = PARAMS | {"subsampling": subsampling, "walks_per_node": 1, "walk_length": 200}
    walks = np.concatenate(list(walk_blocks(walk_graph(merged_graph(network)), params, seed=6)))
    # Ties in frequency would leave the order of gensim's vocabulary, and so its first vectors, to chance.
    assert len(set(np.bincount(walks.ravel()))) == 12
    gensim = Word2Vec(
        [[str(node) for node in walk] for walk in walks.tolist()],
        vector_size=16, sg=1, window=4, negative=5, sample=subsampling, min_count=1, epochs=1, workers=1, seed=6,
    )  # fmt: skip
    assert np.array_equal(fit(network, params, Run(seed=6)), gensim.wv[[str(node) for node in range(12)]])


def test_every_node_starts_the_walks_it_should_and_the_order_of_rounds_differs():
    graph = walk_graph(merged_graph(generate(40, 300, seed=1)))
    rounds = [block[:, 0].tolist() for block in walk_blocks(graph, PARAMS, seed=4)]
    assert [sorted(starts) for starts in rounds] == [list(range(40))] * 3
    assert rounds[0] != rounds[1]


def test_every_walk_of_every_round_has_its_own_random_stream(monkeypatch):
    numbers = []

    def recording(graph, starts, *setting, first_walk):
        numbers.extend(range(first_walk, first_walk + len(starts)))
        return static_walks(graph, starts, *setting, first_walk=first_walk)

    monkeypatch.setattr("methods.node2vec.fit.static_walks", recording)
    monkeypatch.setattr("methods.node2vec.fit.WALKS_AT_ONCE", 7)
    list(walk_blocks(walk_graph(merged_graph(generate(40, 300, seed=1))), PARAMS, seed=4))
    assert numbers == list(range(3 * 40))


def test_every_walk_reaches_gensim_once_and_whole(monkeypatch, gensim_jobs):
    monkeypatch.setattr("methods.node2vec.fit.WALKS_AT_ONCE", 7)
    network = generate(40, 300, seed=1)
    run = Run(seed=4)
    fit(network, PARAMS, run)
    trained = np.array([sentence for sentences, _ in gensim_jobs for sentence in sentences])
    drawn = np.concatenate(list(walk_blocks(walk_graph(merged_graph(network)), PARAMS, seed=4)))
    by_frequency = np.argsort(-np.bincount(drawn.ravel()), kind="stable")
    assert np.array_equal(by_frequency[trained], drawn)
    assert run.facts["tokens"] == 40 * 3 * 8


@pytest.mark.parametrize("epochs", [1, 2])
def test_the_learning_rate_falls_linearly_over_all_blocks_and_epochs(monkeypatch, gensim_jobs, epochs):
    monkeypatch.setattr("methods.node2vec.fit.WALKS_AT_ONCE", 10)
    run = Run(seed=4)
    fit(generate(40, 300, seed=1), PARAMS | {"epochs": epochs}, run)
    rates = [rate for _, rate in gensim_jobs]
    blocks = 4 * 3 * epochs
    assert rates == pytest.approx([0.025 - (0.025 - 0.0001) * block / blocks for block in range(blocks)])
    assert [(epoch.work, epoch.unit) for epoch in run.epochs] == [(40 * 3 * 8, "tokens")] * epochs


def test_a_learning_rate_that_would_rise_is_refused(path):
    with pytest.raises(MethodError, match=r"final_learning_rate is 0.05, but the rate falls, and .* is 0.025; make"):
        fit(path, PARAMS | {"final_learning_rate": 0.05}, Run(seed=1))


@pytest.mark.parametrize("name", ["node2vec", "ctdne"])
def test_a_subsampling_that_gensim_would_read_as_a_count_is_refused(name):
    method = load_method(name)
    assert complete_parameters(method.parameters, {"subsampling": 0.999}, name)["subsampling"] == 0.999
    with pytest.raises(MethodError, match="parameter subsampling is 1, but must be a number, at least 0, less than 1"):
        complete_parameters(method.parameters, {"subsampling": 1}, name)


def test_a_node_without_contacts_gets_the_zero_vector_and_the_share_is_reported(triangle):
    run = Run(seed=1)
    vectors = fit(triangle, PARAMS, run)
    assert vectors.shape == (4, 16)
    assert vectors.dtype == np.float32
    assert np.all(vectors[3] == 0)
    assert np.all(np.any(vectors[:3] != 0, axis=1))
    assert run.facts["nodes_without_vector_share"] == 0.25


def test_a_network_without_contacts_gives_zero_vectors():
    run = Run(seed=1)
    assert np.array_equal(fit(network_of([], n_nodes=3), PARAMS, run), np.zeros((3, 16), dtype=np.float32))
    assert len(run.epochs) == 1


def test_nodes_of_one_clique_are_nearer_to_each_other_than_to_the_other_clique():
    vectors = fit(two_cliques(), PARAMS | {"walks_per_node": 60, "walk_length": 20, "subsampling": 0.0}, Run(seed=1))
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    cosine = unit @ unit.T
    inside = (cosine[:6, :6].sum() - 6) / 30
    assert inside > cosine[:6, 6:].mean() + 0.2


def test_one_thread_and_the_same_seed_give_the_same_bytes_whatever_the_hash_seed():
    program = (
        "import hashlib\n"
        "from networks.synthetic import generate\n"
        "from methods.node2vec.fit import fit\n"
        "from methods.contract.run import Run\n"
        f"vectors = fit(generate(60, 500, seed=1), {PARAMS!r}, Run(seed=3))\n"
        "print(hashlib.sha256(vectors.tobytes()).hexdigest())\n"
    )
    hashes = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": hash_seed},
            cwd=Path(__file__).parents[3],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for hash_seed in ("1", "2")
    }
    assert len(hashes) == 1


def test_walks_do_not_depend_on_threads_although_lock_free_training_does(gensim_jobs, path):
    fit(path, PARAMS, Run(seed=1, threads=1))
    alone = sorted(sentence for sentences, _ in gensim_jobs for sentence in sentences)
    gensim_jobs.clear()
    fit(path, PARAMS, Run(seed=1, threads=3))
    assert sorted(sentence for sentences, _ in gensim_jobs for sentence in sentences) == alone
