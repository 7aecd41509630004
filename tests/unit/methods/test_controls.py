"""The control methods against answers worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from methods.common_neighbors.score import score as common_neighbors
from methods.contract.run import Run
from methods.degree.fit import fit as degree
from methods.edgebank.score import score as edgebank
from methods.random.fit import fit as random_vectors
from networks.network import TemporalNetwork
from tests.conftest import network_of


def pairs(*ends: tuple[int, int]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    source, target = np.array(ends, dtype=np.int32).T
    return source, target, np.zeros(len(ends), dtype=np.int64)


def test_random_vectors_have_mean_zero_and_variance_one(star: TemporalNetwork) -> None:
    vectors = random_vectors(star, {"dimensions": 4000}, Run(3))
    assert vectors.shape == (5, 4000)
    assert np.allclose(vectors.mean(axis=1), 0, atol=0.1)
    assert np.allclose(vectors.var(axis=1), 1, atol=0.1)


def test_random_vectors_do_not_depend_on_the_contacts(star: TemporalNetwork) -> None:
    other = network_of([(3, 4, 1)], n_nodes=5)
    assert np.array_equal(
        random_vectors(star, {"dimensions": 8}, Run(3)), random_vectors(other, {"dimensions": 8}, Run(3))
    )


def test_degree_counts_every_contact_and_takes_the_logarithm_of_one_more(repeated: TemporalNetwork) -> None:
    assert np.allclose(degree(repeated, {}, Run(1)), np.log([[1 + 3], [1 + 5], [1 + 2]]))


def test_degree_of_a_node_without_contact_is_zero(triangle: TemporalNetwork) -> None:
    assert degree(triangle, {}, Run(1))[3] == 0


contacts = st.lists(
    st.tuples(st.integers(0, 14), st.integers(0, 14), st.integers(0, 9)).filter(
        lambda contact: contact[0] != contact[1]
    ),
    min_size=1,
    max_size=80,
)


@given(contacts)
def test_common_neighbors_equals_the_intersection_of_sets(rows: list[tuple[int, int, int]]) -> None:
    network = network_of(rows, n_nodes=15)
    met: list[set[int]] = [set() for _ in range(15)]
    for u, v, _ in rows:
        met[u].add(v)
        met[v].add(u)
    source, target = (ends.astype(np.int32) for ends in np.nonzero(np.ones((15, 15))))
    counts = common_neighbors(network, source, target, source, {}, Run(1))
    assert counts.tolist() == [len(met[u] & met[v]) for u, v in zip(source, target, strict=True)]


def test_edgebank_remembers_every_pair_that_met(repeated: TemporalNetwork) -> None:
    run = Run(1)
    params = {"memory": "unlimited", "window": 0.2}
    assert edgebank(repeated, *pairs((0, 1), (1, 0), (2, 1), (0, 2)), params, run).tolist() == [1, 1, 1, 0]
    assert run.facts == {"pairs_remembered": 2}


@pytest.mark.parametrize(
    ("window", "remembered"), [(0.05, [0, 0, 0, 1]), (0.2, [0, 0, 1, 1]), (0.5, [0, 1, 1, 1]), (1.0, [1, 1, 1, 1])]
)
def test_edgebank_with_a_window_remembers_the_last_share_of_the_training_span(
    window: float, remembered: list[int]
) -> None:
    network = network_of([(0, 1, 100), (1, 2, 150), (2, 3, 180), (3, 4, 200)])
    params = {"memory": "window", "window": window}
    assert edgebank(network, *pairs((0, 1), (1, 2), (2, 3), (3, 4)), params, Run(1)).tolist() == remembered


def test_edgebank_with_a_window_remembers_all_of_a_single_moment(one_timestamp: TemporalNetwork) -> None:
    params = {"memory": "window", "window": 0.2}
    assert edgebank(one_timestamp, *pairs((0, 1), (3, 0), (0, 2)), params, Run(1)).tolist() == [1, 1, 0]
