"""The margin loss (Eq. 7) of a batch against loops over ends and negatives, and who may be a negative."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from methods.ehna.loss import known_pairs, margin_loss
from methods.kernels.backward_walks import build_history
from tests.conftest import network_of
from tests.unit.methods.ehna.reference import margin_terms

N_EDGES, N_POOL = 3, 4
N_ENDS = 2 * N_EDGES


def vectors(seed):
    z = torch.randn(N_ENDS + N_POOL, 5, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    return torch.nn.functional.normalize(z)


def mean(terms):
    return sum(terms) / len(terms) if terms else 0.0


def loss_in_loops(z, known, margin):
    """For every end the mean over negatives of the batch and the mean over those of the pool, each counting half."""
    ends = []
    for x in range(N_ENDS):
        y = (x + N_EDGES) % N_ENDS
        batch, pool = (
            mean(margin_terms(z, x, y, [q for q in part if not known[x, q]], margin))
            for part in (range(N_ENDS), range(N_ENDS, len(z)))
        )
        ends.append((batch + pool) / 2)
    return mean(ends)


@pytest.mark.parametrize("margin", [0.1, 0.5, 5.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_loss_of_a_batch_is_equation_7_written_out(seed, margin):
    z = vectors(seed)
    known = torch.rand(N_ENDS, len(z), generator=torch.Generator().manual_seed(seed)) < 0.4
    found = margin_loss(z, N_EDGES, known, margin)
    assert found.item() == pytest.approx(loss_in_loops(z, known, margin).item(), abs=1e-12)


def test_a_batch_whose_nodes_all_know_each_other_still_learns_from_the_pool():
    z, known = vectors(1), torch.zeros(N_ENDS, N_ENDS + N_POOL, dtype=torch.bool)
    known[:, :N_ENDS] = True
    assert margin_loss(z, N_EDGES, known, 1.0).item() == pytest.approx(loss_in_loops(z, known, 1.0).item(), abs=1e-12)


def test_ends_that_know_everyone_have_no_loss():
    assert margin_loss(vectors(1), N_EDGES, torch.ones(N_ENDS, N_ENDS + N_POOL, dtype=torch.bool), 5.0).item() == 0


NODES = st.integers(0, 7)
CONTACTS = st.lists(st.tuples(NODES, NODES, st.integers(0, 9)).filter(lambda one: one[0] != one[1]), max_size=25)


# Few columns are looked up among the neighbors, and with many the neighbors among the columns.
@given(CONTACTS, st.lists(NODES, max_size=8), st.lists(NODES, max_size=30))
def test_known_are_a_node_itself_and_whom_it_meets_at_any_time(contacts, rows, columns):
    met = {frozenset(pair) for *pair, _ in contacts}
    known = known_pairs(
        build_history(network_of(contacts, n_nodes=8)),
        np.array(rows, dtype=np.int32),
        np.array(columns, dtype=np.int32),
    )
    assert known.tolist() == [[u == v or frozenset((u, v)) in met for v in columns] for u in rows]


@pytest.mark.parametrize("times_each", [1, 100])
def test_known_are_the_same_whether_a_node_has_fewer_contacts_than_there_are_columns_or_more(times_each):
    network = network_of([(0, leaf, leaf) for leaf in (2, 4, 6)] * times_each, n_nodes=8)
    columns = np.array([6, 0, 5, 4, 6, 7, 1], dtype=np.int32)
    known = known_pairs(build_history(network), np.array([0], dtype=np.int32), columns)
    assert columns[known[0]].tolist() == [6, 0, 4, 6]
