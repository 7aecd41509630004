"""Network reconstruction: equal to ranking every pair by brute force, ties at their expected precision."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evaluation.reconstruction.precision as reconstruction
from evaluation.__main__ import build_parser
from evaluation.reconstruction.precision import (
    SIMILARITIES,
    ceiling,
    precision_of_draw,
    precision_of_draws,
    sample_nodes,
)
from evaluation.repeats_file import RECONSTRUCTION_COLUMNS
from harness.command_line import run_command
from harness.files import write_json
from networks.network import TemporalNetwork
from tests import conftest


def network_of(edges, n_nodes):
    return conftest.network_of([(*edge, time) for time, edge in enumerate(edges)], n_nodes)


def random_network(n_nodes, n_edges, seed):
    random = np.random.default_rng(seed)
    pairs = list(combinations(range(n_nodes), 2))
    drawn = random.choice(len(pairs), size=n_edges)  # with repeats: a multigraph
    return network_of([pairs[i] for i in drawn], n_nodes)


def brute_force_precision(vectors, edges, similarity, count):
    """Sort all pairs one by one; each tied pair at the cut counts with the chance of standing before it."""
    vectors = vectors.astype(np.float64)
    score = {
        "dot": lambda u, v: vectors[u] @ vectors[v],
        "cosine": lambda u, v: vectors[u] @ vectors[v] / (np.linalg.norm(vectors[u]) * np.linalg.norm(vectors[v])),
        "euclidean": lambda u, v: -np.sum((vectors[u] - vectors[v]) ** 2),
    }[similarity]
    edges = {frozenset(edge) for edge in edges}
    scored = [(np.float32(score(u, v)), {u, v} in edges) for u, v in combinations(range(len(vectors)), 2)]
    cut = sorted((value for value, _ in scored), reverse=True)[count - 1]
    above = [edge for value, edge in scored if value > cut]
    tied = [edge for value, edge in scored if value == cut]
    return (sum(above) + sum(tied) * (count - len(above)) / len(tied)) / count


@pytest.mark.parametrize("block_rows", [3, 1000])
@pytest.mark.parametrize("buffer_factor", [1, 3])
def test_precision_equals_brute_force_ranking(monkeypatch, block_rows, buffer_factor):
    monkeypatch.setattr(reconstruction, "BLOCK_ROWS", block_rows)
    monkeypatch.setattr(reconstruction, "BUFFER_FACTOR", buffer_factor)
    network = random_network(40, 150, seed=1)
    vectors = np.random.default_rng(2).normal(size=(40, 6)).astype(np.float32)
    pairs = [1, 2, 5, 17, 60, 100]
    measured = precision_of_draw(vectors, sample_nodes(network, 100, 0, 1), pairs)
    edges = list(zip(network.source, network.target, strict=True))
    expected = [[brute_force_precision(vectors, edges, name, count) for count in pairs] for name in SIMILARITIES]
    np.testing.assert_allclose(measured, expected, rtol=1e-12)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_nodes=st.integers(3, 14),
    levels=st.integers(1, 3),
    count=st.integers(1, 91),
    block_rows=st.integers(1, 5),
)
def test_tied_pairs_count_with_their_expected_precision(seed, n_nodes, levels, count, block_rows):
    count = min(count, n_nodes * (n_nodes - 1) // 2)
    random = np.random.default_rng(seed)
    vectors = random.integers(1, levels + 1, size=(n_nodes, 2)).astype(np.float32)  # few values, so many ties
    network = random_network(n_nodes, n_nodes, seed)
    edges = list(zip(network.source, network.target, strict=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reconstruction, "BLOCK_ROWS", block_rows)
        patch.setattr(reconstruction, "BUFFER_FACTOR", 1)
        measured = precision_of_draw(vectors, sample_nodes(network, n_nodes, 0, 1), [count])
    expected = [[brute_force_precision(vectors, edges, name, count)] for name in SIMILARITIES]
    np.testing.assert_allclose(measured, expected, rtol=1e-9)


def test_constant_embeddings_reach_the_share_of_edges_at_every_rank():
    network = random_network(300, 2000, seed=3)
    sample = sample_nodes(network, 300, 0, 1)
    vectors = np.full((300, 7), 0.1, dtype=np.float32)  # 0.1 is not exact: sums depend on their order
    precision = precision_of_draw(vectors, sample, [1, 100, 1000, 10_000])
    np.testing.assert_allclose(precision, sample.n_edges / sample.n_pairs, rtol=1e-12)


def test_zero_vectors_are_tied_and_not_first():
    network = network_of([(0, 1), (2, 3)], 4)
    vectors = np.array([[1, 0], [1, 0], [0, 0], [0, 0]], dtype=np.float32)
    precision = precision_of_draw(vectors, sample_nodes(network, 4, 0, 1), [1, 6])
    dot, cosine, euclidean = precision
    assert dot.tolist() == cosine.tolist() == [1.0, 2 / 6]
    assert euclidean.tolist() == [1.0, 2 / 6]


def test_vectors_of_very_different_length_keep_their_order():
    network = network_of([(0, 1)], 4)
    vectors = np.array([[1e-20], [2e-20], [1e-21], [1e30]], dtype=np.float32)
    dot = precision_of_draw(vectors[:3], sample_nodes(network_of([(0, 1)], 3), 3, 0, 1), [1])[0]
    assert dot.tolist() == [1.0]
    assert np.isfinite(precision_of_draw(vectors, sample_nodes(network, 4, 0, 1), [6])).all()


def test_perfect_embedding_reaches_the_ceiling():
    network = network_of([(0, 1), (2, 3), (4, 5), (0, 1)], 6)
    vectors = np.repeat(np.eye(3, dtype=np.float32), 2, axis=0)
    sample = sample_nodes(network, 6, 0, 1)
    for precision in precision_of_draw(vectors, sample, [1, 3, 6, 15]):
        assert precision.tolist() == [ceiling(sample, count) for count in (1, 3, 6, 15)] == [1, 1, 0.5, 0.2]


def test_precision_beyond_the_number_of_pairs_is_undefined():
    sample = sample_nodes(network_of([(0, 1)], 3), 3, 0, 1)
    precision = precision_of_draw(np.eye(3, dtype=np.float32), sample, [3, 4])
    assert np.isnan(precision[:, 1]).all()
    assert not np.isnan(precision[:, 0]).any()


def test_repeated_and_reversed_contacts_are_one_edge():
    assert sample_nodes(network_of([(0, 1), (1, 0), (0, 1), (1, 2)], 4), 4, 0, 1).n_edges == 2


def test_sample_depends_on_seed_and_draw_alone():
    network = random_network(50, 100, seed=5)
    nodes = sample_nodes(network, 10, 7, 1).nodes
    assert len(np.unique(nodes)) == 10
    assert np.array_equal(nodes, sample_nodes(network, 10, 7, 1).nodes)
    assert not np.array_equal(nodes, sample_nodes(network, 10, 7, 2).nodes)
    assert not np.array_equal(nodes, sample_nodes(network, 10, 8, 1).nodes)


def test_every_node_is_sampled_equally_often():
    from scipy.stats import chisquare

    network = random_network(20, 40, seed=6)
    counts = np.bincount(
        np.concatenate([sample_nodes(network, 5, 1, draw).nodes for draw in range(2000)]), minlength=20
    )
    assert chisquare(counts).pvalue > 0.001


def test_threads_do_not_change_the_result():
    network = random_network(60, 300, seed=8)
    vectors = np.random.default_rng(9).normal(size=(60, 5)).astype(np.float32)
    samples = [sample_nodes(network, 30, 0, draw) for draw in range(4)]
    one, two = (precision_of_draws(vectors, samples, [10, 100], threads) for threads in (1, 2))
    assert np.array_equal(one, two)


@pytest.fixture
def stored(tmp_path):
    """A stored network of 30 nodes and a folder for fits."""
    network = random_network(30, 60, seed=10)
    network.save(tmp_path / "network.arrow")
    return tmp_path


def reconstruct(folder, *arguments):
    return run_command(
        build_parser(),
        ["reconstruction", "--network", f"{folder}/network.arrow", "--out", f"{folder}/out.csv", *map(str, arguments)],
    )


def test_command_writes_one_row_per_draw_similarity_and_p(stored):
    np.save(stored / "mine.npy", np.random.default_rng(1).normal(size=(30, 4)).astype(np.float32))
    arguments = ["--embeddings", stored / "mine.npy", "--dataset", "toy", "--nodes", 20, "--draws", 2]
    assert reconstruct(stored, *arguments, "--pairs", "10,100") == 0
    rows = pd.read_csv(stored / "out.csv", keep_default_na=False)
    assert list(rows.columns) == RECONSTRUCTION_COLUMNS
    assert rows[["dataset", "method", "seed"]].drop_duplicates().to_numpy().tolist() == [["toy", "mine", 0]]
    assert rows.groupby(["draw", "similarity", "pairs"]).size().to_list() == [1] * (2 * 3 * 2)
    assert set(rows.status) == {"ok"}
    sample = sample_nodes(TemporalNetwork.load(stored / "network.arrow"), 20, 0, 2)
    assert set(rows[rows.draw == 2].edges_in_sample) == {sample.n_edges}


def test_command_marks_p_beyond_the_number_of_pairs(stored):
    np.save(stored / "mine.npy", np.ones((30, 4), dtype=np.float32))
    assert reconstruct(stored, "--embeddings", stored / "mine.npy", "--nodes", 5, "--draws", 1, "--pairs", "10,11") == 0
    rows = pd.read_csv(stored / "out.csv", keep_default_na=False)
    beyond = rows[rows.pairs == 11]
    assert set(beyond.status) == {"undefined"}
    assert set(beyond.precision) == {""}
    assert set(beyond.reason) == {"there are 10 pairs among 5 nodes"}
    assert set(rows[rows.pairs == 10].status) == {"ok"}


def test_command_makes_one_draw_when_the_sample_is_the_whole_network(stored):
    np.save(stored / "mine.npy", np.ones((30, 4), dtype=np.float32))
    assert reconstruct(stored, "--embeddings", stored / "mine.npy", "--nodes", 30, "--draws", 10) == 0
    assert set(pd.read_csv(stored / "out.csv").draw) == {1}


def test_command_turns_a_failed_fit_into_marked_cells(stored):
    record = {"method": "line", "seed": 3, "status": "oom", "reason": "needed 20 GB"}
    write_json(stored / "fit" / "fit.json", record)
    assert reconstruct(stored, "--fit", stored / "fit", "--nodes", 10, "--draws", 2, "--pairs", "5") == 0
    rows = pd.read_csv(stored / "out.csv", keep_default_na=False)
    assert rows[["method", "seed", "precision", "status", "reason"]].drop_duplicates().to_numpy().tolist() == [
        ["line", 3, "", "oom", "needed 20 GB"]
    ]
    assert len(rows) == 2 * 3


def test_command_marks_vectors_of_a_fit_that_are_not_finite(stored):
    write_json(stored / "fit" / "fit.json", {"method": "line", "seed": 1, "status": "ok", "reason": ""})
    vectors = np.ones((30, 2), dtype=np.float32)
    vectors[4, 1] = np.nan
    np.save(stored / "fit" / "embeddings.npy", vectors)
    assert reconstruct(stored, "--fit", stored / "fit", "--pairs", "5") == 0
    rows = pd.read_csv(stored / "out.csv", keep_default_na=False)
    assert set(rows.status) == {"failed"}
    assert rows.reason[0].startswith("embeddings.npy: 1 vectors have NaN")


def test_command_refuses_given_vectors_with_the_wrong_number_of_rows(stored, capsys):
    np.save(stored / "mine.npy", np.ones((29, 4), dtype=np.float32))
    assert reconstruct(stored, "--embeddings", stored / "mine.npy") == 1
    assert "29 rows, but the network has 30 nodes" in capsys.readouterr().err
    assert not (stored / "out.csv").exists()
