"""ProNE, step by step against dense arithmetic and numbers worked out by hand."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse

from methods.contract.run import Run
from methods.prone.fit import factorised, fit, log_ratios, propagated, unit_rows
from networks.network import TemporalNetwork
from tests.conftest import network_of

# 0 - 1 - 2, where 1 and 2 met twice.
PATH = np.array([[0.0, 1, 0], [1, 0, 2], [0, 2, 0]])
PARAMS = {"dimensions": 2, "negatives": 1, "power_iterations": 5, "terms": 10, "mu": 0.2, "theta": 0.5}


def ring_with_chords(n_nodes: int = 12) -> np.ndarray:
    matrix = np.zeros((n_nodes, n_nodes))
    for node in range(n_nodes):
        for step, weight in ((1, 1.0), (3, 2.0 if node % 2 else 0.5)):
            matrix[node, (node + step) % n_nodes] = matrix[(node + step) % n_nodes, node] = weight
    return matrix


def test_the_factorised_matrix_holds_log_ratios_of_edges_only() -> None:
    """Shares of row 1 are 1/3 and 2/3; columns sum to 1/3, 2 and 2/3."""
    noise = np.array([1 / 3, 2, 2 / 3]) ** 0.75
    noise /= noise.sum()
    expected = np.zeros((3, 3))
    expected[0, 1] = expected[2, 1] = np.log(1 / (5 * noise[1]))
    expected[1, 0] = np.log(1 / 3 / (5 * noise[0]))
    expected[1, 2] = np.log(2 / 3 / (5 * noise[2]))
    assert log_ratios(scipy.sparse.csr_array(PATH), 5).toarray() == pytest.approx(expected)


def test_the_decomposition_is_the_exact_one_where_it_keeps_every_rank() -> None:
    matrix = np.random.default_rng(0).normal(size=(6, 6))
    left, values, _ = np.linalg.svd(matrix)
    found = factorised(scipy.sparse.csr_array(matrix), 6, 5, 1)
    assert np.abs(found) == pytest.approx(np.abs(unit_rows(left * np.sqrt(values))))
    assert np.linalg.norm(found, axis=1) == pytest.approx(1)


@pytest.mark.parametrize(("mu", "theta"), [(0.2, 0.5), (0.0, 1.0), (1.0, 2.0)])
def test_the_filter_is_the_exponential_of_the_shifted_laplacian(mu: float, theta: float) -> None:
    weights, vectors = ring_with_chords(), np.random.default_rng(0).normal(size=(12, 3))
    looped = weights + np.eye(12)
    laplacian = np.eye(12) - looped / looped.sum(axis=1, keepdims=True)
    shifted = laplacian - mu * np.eye(12)
    filtered = scipy.linalg.expm(-theta * (shifted @ shifted / 2 - np.eye(12))) @ vectors
    found = propagated(scipy.sparse.csr_array(weights), vectors, 20, mu, theta)
    assert found == pytest.approx(looped @ (vectors - filtered))


def test_ten_terms_are_enough() -> None:
    weights, vectors = scipy.sparse.csr_array(ring_with_chords()), np.random.default_rng(0).normal(size=(12, 3))
    assert propagated(weights, vectors, 10, 0.2, 0.5) == pytest.approx(propagated(weights, vectors, 40, 0.2, 0.5))


def test_rows_have_length_one_and_nodes_without_contact_are_zero() -> None:
    network = network_of([(0, 1, 1), (1, 2, 2), (1, 2, 3), (2, 4, 4)], n_nodes=6)
    lengths = np.linalg.norm(fit(network, PARAMS, Run(1)), axis=1)
    assert lengths == pytest.approx([1, 1, 1, 0, 1, 0])


def test_more_dimensions_than_nodes_are_filled_with_zeros(star: TemporalNetwork) -> None:
    vectors = fit(star, PARAMS | {"dimensions": 8}, Run(1))
    assert vectors.shape == (5, 8)
    assert (vectors[:, 5:] == 0).all()
    assert vectors[:, :5].any()


def test_time_is_ignored(star: TemporalNetwork) -> None:
    reversed_star = network_of([(0, leaf, -leaf) for leaf in range(1, 5)])
    assert np.array_equal(fit(star, PARAMS, Run(1)), fit(reversed_star, PARAMS, Run(1)))


def test_two_groups_that_hardly_meet_lie_apart() -> None:
    rng = np.random.default_rng(0)
    group = np.arange(40) // 20
    contacts = [
        (u, v, 1) for u in range(40) for v in range(u) if rng.random() < (0.5 if group[u] == group[v] else 0.02)
    ]
    vectors = fit(network_of(contacts, n_nodes=40), PARAMS | {"dimensions": 4}, Run(1))
    likeness = vectors @ vectors.T
    same = group[:, None] == group
    assert likeness[same].mean() > likeness[~same].mean() + 0.5
