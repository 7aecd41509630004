"""Decayed factors on networks that can be drawn on paper."""

import numpy as np

from methods.contract.run import Run
from methods.decayed_factors.fit import fit
from tests.conftest import network_of


def test_without_decay_the_vectors_multiply_to_the_root_of_the_squared_adjacency() -> None:
    vectors = fit(network_of([(0, 1, 1), (1, 2, 2)]), {"dimensions": 3, "decay": 0.0}, Run(seed=1))
    root = np.sqrt(2) * np.array([[0.5, 0, 0.5], [0, 1, 0], [0.5, 0, 0.5]])
    assert np.allclose(vectors @ vectors.T, root, atol=1e-6)


def test_the_oldest_contact_counts_exp_of_minus_decay() -> None:
    vectors = fit(network_of([(0, 1, 10), (2, 3, 30)]), {"dimensions": 4, "decay": 2.0}, Run(seed=1))
    assert np.allclose((vectors**2).sum(axis=1), [np.exp(-2), np.exp(-2), 1, 1], atol=1e-6)


def test_a_network_of_fewer_nodes_than_dimensions_leaves_the_rest_zero() -> None:
    vectors = fit(network_of([(0, 1, 5)]), {"dimensions": 5, "decay": 3.0}, Run(seed=1))
    assert vectors.shape == (2, 5)
    assert not vectors[:, 2:].any()
