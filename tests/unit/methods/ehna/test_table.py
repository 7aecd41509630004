"""The embedding table by itself: the step of Eq. 7 on the unit sphere, and how often which edge is drawn."""

from itertools import pairwise

import numpy as np
import pytest
import torch
from scipy.stats import chisquare

from methods.ehna import table as module
from methods.ehna.table import NEGATIVES, RATE, random_table, step, train_table
from tests.conftest import network_of
from tests.unit.methods.ehna.reference import margin_terms, unit
from tests.unit.methods.ehna.town import PEOPLE, separation, town

X, Y, WIDTH = 0, 1, 6


def stepped(table, drawn, margin, rate):
    """The table after one step of x = 0 towards y = 1."""
    moved, drawn = table.copy(), np.array(drawn, dtype=np.int32)
    # The kernel takes twice the rate, because d|a - b|^2 / da = 2 (a - b).
    step(moved, X, Y, drawn, 0, np.float32(margin), np.float32(2 * rate), np.empty(WIDTH, dtype=np.float32))
    return moved


def descended(table, negatives, margin, rate):
    """The same by torch's derivatives of Eq. 7; every row that moved goes back to the sphere."""
    exact = torch.from_numpy(table).double().requires_grad_()
    sum(margin_terms(exact, X, Y, negatives, margin)).backward()
    return torch.stack([unit(row) for row in exact.detach() - rate * exact.grad]).numpy()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("margin", [0.1, 1.0, 5.0])
def test_a_step_descends_equation_7_and_returns_to_the_sphere(margin, seed):
    table = random_table(2 + NEGATIVES, WIDTH, (seed,))
    negatives = list(range(2, 2 + NEGATIVES))
    assert np.allclose(stepped(table, negatives, margin, 0.03), descended(table, negatives, margin, 0.03), atol=1e-6)


def test_the_smallest_of_these_margins_takes_some_negatives_in_and_leaves_others_out():
    table = torch.from_numpy(random_table(2 + NEGATIVES, WIDTH, (0,)))
    active = {term.item() > 0 for term in margin_terms(table, X, Y, range(2, 2 + NEGATIVES), 0.1)}
    assert active == {True, False}


def test_a_drawn_negative_that_is_an_end_is_left_out():
    table = random_table(2 + NEGATIVES, WIDTH, (1,))
    drawn = [X, Y, *range(2, NEGATIVES)]
    assert np.allclose(stepped(table, drawn, 5.0, 0.03), descended(table, drawn[2:], 5.0, 0.03), atol=1e-6)


def test_a_step_without_an_active_negative_moves_nothing():
    table = random_table(2 + NEGATIVES, WIDTH, (1,))
    assert np.array_equal(stepped(table, [X, Y] * NEGATIVES, 5.0, 0.03), table)
    table[Y] = table[X]
    assert np.array_equal(stepped(table, range(2, 2 + NEGATIVES), 1e-3, 0.03), table)


@pytest.mark.parametrize("threads", [1, 2])
def test_every_row_stays_on_the_unit_sphere(threads):
    table = random_table(PEOPLE, WIDTH, (1,))
    train_table(table, town(), 5, 2.0, 1.0, (1,), threads)
    assert np.allclose(np.linalg.norm(table, axis=1), 1, atol=1e-6)


def test_a_node_without_contact_keeps_its_row():
    table = random_table(PEOPLE + 1, WIDTH, (1,))
    before = table[-1].copy()
    train_table(table, town(n_nodes=PEOPLE + 1), 5, 2.0, 0.0, (1,), 1)
    assert np.array_equal(table[-1], before)


@pytest.mark.parametrize("ageing", [0.0, 2.0])
def test_one_seed_and_one_thread_give_the_same_bytes(ageing):
    tables = [random_table(PEOPLE, WIDTH, (1,)) for _ in range(3)]
    for table, seed in zip(tables, (1, 1, 2), strict=True):
        train_table(table, town(), 2, 1.0, ageing, (seed,), 1)
    assert tables[0].tobytes() == tables[1].tobytes() != tables[2].tobytes()


def test_training_separates_the_two_halves_of_the_town():
    table = random_table(PEOPLE, 16, (1,))
    assert separation(table) < 0.05
    train_table(table, town(), 20, 1.0, 0.0, (1,), 1)
    assert separation(table) > 0.3


@pytest.fixture
def shares(monkeypatch):
    """What every call of the kernel is given: its edges, and the rates it begins and ends with."""
    seen = []

    def recording(table, source, target, order, noise, margin, first_rate, last_rate, *rest):
        seen.append((order.copy(), first_rate, last_rate))

    monkeypatch.setattr(module, "_train", recording)
    return seen


def minutes(n):
    return network_of([(0, 1, minute) for minute in range(n)])


@pytest.mark.parametrize("threads", [1, 3])
def test_without_ageing_every_edge_comes_once_in_a_pass(shares, threads):
    train_table(random_table(2, WIDTH, (1,)), minutes(50), 2, 1.0, 0.0, (1,), threads)
    passes = [np.concatenate([order for order, *_ in shares[first : first + threads]]) for first in (0, threads)]
    assert [sorted(order.tolist()) for order in passes] == [list(range(50))] * 2
    assert not np.array_equal(passes[0], passes[1])


@pytest.mark.parametrize("ageing", [1.0, 5.0])
def test_with_ageing_edges_are_drawn_by_the_exponential_of_their_time(shares, ageing):
    train_table(random_table(2, WIDTH, (1,)), minutes(10), 2000, 1.0, ageing, (1,), 1)
    drawn = np.bincount(np.concatenate([order for order, *_ in shares]), minlength=10)
    expected = np.exp(ageing * np.arange(10) / 9)
    assert drawn.sum() == 20_000
    assert chisquare(drawn, expected / expected.sum() * 20_000).pvalue > 1e-4


@pytest.mark.parametrize("last_rate", [0.0, 0.02])
def test_the_rate_falls_from_pass_to_pass_to_the_last(shares, last_rate):
    train_table(random_table(2, WIDTH, (1,)), minutes(5), 4, 1.0, 0.0, (1,), 1, last_rate=last_rate)
    rates = np.linspace(RATE, last_rate, 5)
    assert [(first, last) for _, first, last in shares] == list(pairwise(rates))


def test_progress_hears_of_every_edge(shares):
    heard = []
    train_table(random_table(2, WIDTH, (1,)), minutes(7), 3, 1.0, 0.0, (1,), 2, tell=heard.append)
    assert heard == [7, 7, 7]
