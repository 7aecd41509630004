"""LINE: what one step does, what is sampled, and what the fitted vectors look like."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from methods.contract.errors import MethodError
from methods.contract.run import Run
from methods.line.fit import fit, unit_rows
from methods.line.training import LEAST_RATE, initial_half, step, train_samples, weighted_graph
from tests.conftest import interrupted_after, network_of

ZERO = np.zeros(1, np.int32)  # the only source of a table of samples: node 0
SMALL = {"dimensions": 16, "samples_per_edge": 50, "negatives": 5, "learning_rate": 0.025}

TWO_CLIQUES = [(group + a, group + b, 10 * a + b) for group in (0, 6) for a in range(6) for b in range(a + 1, 6)] + [
    (0, 6, 99)
]


def step_in_float64(vertex: np.ndarray, other: np.ndarray, u: int, targets: list[int], rate: float) -> None:
    """The published step, written out: targets move at once, u after all of them."""
    move_of_u = np.zeros(vertex.shape[1])
    for k, v in enumerate(targets):
        pull = rate * ((k == 0) - 1 / (1 + np.exp(-other[v] @ vertex[u])))
        move_of_u += pull * other[v]
        other[v] += pull * vertex[u]
    vertex[u] += move_of_u


@pytest.mark.parametrize(
    "targets",
    [[1, 2, 3, 4], [1, 1, 2, 1], [1, 2, 2, 2], [1, 0, 0, 3]],
    ids=["all different", "negatives that are v", "one negative three times", "negatives that are u"],
)
@pytest.mark.parametrize("order", [1, 2])
def test_a_step_moves_targets_at_once_and_the_source_once(order: int, targets: list[int]) -> None:
    rng = np.random.default_rng(3)
    vertex = rng.normal(size=(5, 19))
    other = vertex if order == 1 else rng.normal(size=(5, 19))
    vertex_32 = vertex.astype(np.float32)
    other_32 = vertex_32 if order == 1 else other.astype(np.float32)
    step_in_float64(vertex, other, 0, targets, 0.025)
    step(vertex_32, ZERO, other_32, np.array([targets], np.int32), 0, 0, np.float32(0.025), np.empty(19, np.float32))
    np.testing.assert_allclose(vertex_32, vertex, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(other_32, other, rtol=1e-5, atol=1e-6)


def test_sigmoid_does_not_overflow_at_large_products() -> None:
    vertex = np.array([[100.0, 0.0], [-100.0, 0.0], [100.0, 0.0]], np.float32)
    step(vertex, ZERO, vertex, np.array([[1, 2]], np.int32), 0, 0, np.float32(0.025), np.empty(2, np.float32))
    assert np.isfinite(vertex).all()


def test_repeated_contacts_become_one_edge_drawn_as_often_as_they_met() -> None:
    network = network_of([(0, 1, 1), (1, 0, 2), (0, 1, 3), (2, 1, 4)])
    graph = weighted_graph(network)
    assert graph.pairs.tolist() == [[0, 1], [1, 2]]
    # Two slices of probability 1/2: the pair that met once fills half of its slice, the rest goes to the other.
    assert graph.edge_table["threshold"].tolist() == [1.0, 0.5]
    assert graph.edge_table["alias"].tolist() == [0, 0]


def test_noise_counts_contacts_not_neighbors() -> None:
    graph = weighted_graph(network_of([(0, 1, t) for t in range(16)] + [(2, 3, 0)]))
    heavy, light = 16**0.75, 1.0
    assert graph.noise_table["threshold"][2] == pytest.approx(4 * light / (2 * heavy + 2 * light))


def displacement(first_sample: int, total: int) -> float:
    """How far a context moves in one sample drawn when `first_sample` of `total` are done."""
    graph = weighted_graph(network_of(TWO_CLIQUES))
    half = initial_half(2, 12, 4, seed=1)
    train_samples(
        half.vertex,
        half.other,
        graph.pairs,
        graph.edge_table,
        graph.noise_table,
        1,
        1,
        0.025,
        first_sample,
        1,
        total,
        5,
        0,
    )
    return float(np.abs(half.other).max())


def test_learning_rate_falls_linearly_to_its_floor() -> None:
    start = displacement(0, 999)
    assert displacement(500, 999) == pytest.approx(0.5 * start, rel=1e-5)
    assert displacement(999, 999) == pytest.approx(0.001 * start, rel=1e-4)
    assert displacement(10**6, 10**6) == pytest.approx(LEAST_RATE * start, rel=1e-4)


def test_start_is_uniform_within_half_over_dimensions_and_contexts_are_zero() -> None:
    half = initial_half(2, 5000, 8, seed=1)
    assert np.abs(half.vertex).max() <= 0.5 / 8
    assert half.vertex.std() == pytest.approx(1 / 8 / np.sqrt(12), rel=0.02)
    assert not half.other.any()


def test_an_end_that_is_always_named_second_is_trained_as_a_source_too() -> None:
    network = network_of([(0, 2, t) for t in range(3)] + [(1, 2, t) for t in range(3)])
    graph = weighted_graph(network)
    half = initial_half(2, 3, 8, seed=1)
    before = half.vertex.copy()
    train_samples(
        half.vertex, half.other, graph.pairs, graph.edge_table, graph.noise_table, 50, 2, 0.025, 0, 1, 50, 1, 0
    )
    assert (half.vertex != before).all(axis=1).all()


def test_a_row_of_zeros_stays_zero_when_scaled() -> None:
    rows = unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]], np.float32))
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0.0, 0.0]], rtol=1e-6)


@pytest.mark.parametrize("value", [1e30, np.inf, np.nan])
def test_vectors_whose_length_is_not_finite_are_refused(value: float) -> None:
    with pytest.raises(MethodError, match="grown beyond what float32 can hold; take a smaller learning_rate"):
        unit_rows(np.array([[value, value], [3.0, 4.0]], np.float32))


def test_each_half_of_a_fitted_vector_has_unit_length_and_a_node_without_contact_is_zero() -> None:
    network = network_of(TWO_CLIQUES, n_nodes=13)
    vectors = fit(network, SMALL, Run(1))
    lengths = np.linalg.norm(vectors.reshape(13, 2, 8), axis=2)
    np.testing.assert_allclose(lengths[:12], 1.0, rtol=1e-5)
    assert not vectors[12].any()


def test_number_of_samples_is_reported_and_is_a_multiple_of_distinct_edges() -> None:
    run = Run(1)
    fit(network_of(TWO_CLIQUES * 2), SMALL, run)
    assert run.facts == {"distinct_edges": 31, "samples_per_order": 50 * 31}
    assert [(epoch.work, epoch.unit) for epoch in run.epochs] == [(2 * 31, "samples")] * 50


@pytest.mark.parametrize("half", [slice(0, 32), slice(32, 64)], ids=["first order", "second order"])
def test_members_of_a_clique_end_closer_than_strangers(half: slice) -> None:
    vectors = fit(network_of(TWO_CLIQUES), SMALL | {"dimensions": 64, "samples_per_edge": 2000}, Run(2))[:, half]
    similarity = vectors @ vectors.T
    same = np.kron(np.eye(2), np.ones((6, 6))).astype(bool)
    assert similarity[same & ~np.eye(12, dtype=bool)].min() > similarity[~same].max()


@pytest.mark.parametrize("threads", [2, 10])
def test_threads_share_out_all_samples(threads: int) -> None:
    run = Run(1, threads=threads)
    vectors = fit(network_of(TWO_CLIQUES), SMALL | {"samples_per_edge": 500}, run)
    assert np.isfinite(vectors).all()
    first_order = vectors[:, :8] @ vectors[:, :8].T
    assert first_order[1:6, 1:6].mean() > first_order[1:6, 7:12].mean()


def test_every_thread_of_every_order_and_epoch_has_its_own_random_stream(monkeypatch: pytest.MonkeyPatch) -> None:
    streams = []

    def recording(*arguments: Any) -> None:
        n_samples, seed, stream_index = arguments[5], *arguments[-2:]
        if n_samples:
            streams.append((seed, stream_index))

    monkeypatch.setattr("methods.line.training.train_samples", recording)
    fit(network_of(TWO_CLIQUES), SMALL | {"samples_per_edge": 2}, Run(1, threads=2))
    assert len(streams) == 2 * 2 * 2
    assert len(set(streams)) == len(streams)


def test_an_interrupted_fit_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    network = network_of(TWO_CLIQUES)
    whole = fit(network, SMALL, Run(1))
    with interrupted_after(3) as saved:
        fit(network, SMALL, Run(1, folder=tmp_path))
    assert [int(arrays["epoch"]) for arrays in saved] == [5, 10, 15]
    run = Run(1, folder=tmp_path)
    assert fit(network, SMALL, run).tobytes() == whole.tobytes()
    assert len(run.epochs) == 50
