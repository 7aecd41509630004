"""Forward temporal walks: exact distribution, ties, and the budget of context windows."""

import numba
import numpy as np
import pytest
from scipy.stats import chisquare

from methods.kernels.forward_walks import BudgetedWalks, forward_walks, time_order
from methods.kernels.skip_gram import ENDED
from networks.synthetic import generate
from tests.conftest import network_of

# A pair that meets twice at once, a triangle closed later, a contact at an old time that no walk may go back to.
CONTACTS = [(0, 1, 1), (0, 1, 1), (1, 2, 1), (2, 3, 2), (1, 3, 2), (0, 2, 3), (3, 0, 3), (1, 2, 4)]
# Twelve nodes in a row, met one after the other: the walk from end to end is the only long one.
CHAIN = [(node, node + 1, node) for node in range(11)]


def nodes_of(walks):
    return [tuple(node for node in walk if node != ENDED) for walk in walks.tolist()]


def exact_walks(network, walk_length, allow_ties):
    """Probability of every sequence of nodes, by following all contacts from the definition."""
    contacts = list(zip(network.source.tolist(), network.target.tolist(), network.time.tolist(), strict=True))
    probabilities = {}

    def follow(nodes, edge, probability):
        following = [
            (i, v if u == nodes[-1] else u)
            for i, (u, v, t) in enumerate(contacts)
            if nodes[-1] in (u, v) and (t > contacts[edge][2] or (allow_ties and t == contacts[edge][2] and i != edge))
        ]
        if len(nodes) == walk_length or not following:
            probabilities[nodes] = probabilities.get(nodes, 0) + probability
            return
        for i, node in following:
            follow((*nodes, node), i, probability / len(following))

    for i, (u, v, _) in enumerate(contacts):
        for nodes in ((u, v), (v, u)):
            follow(nodes, i, 0.5 / len(contacts))
    return probabilities


@pytest.mark.parametrize("allow_ties", [False, True])
@pytest.mark.parametrize("walk_length", [2, 3, 5])
@pytest.mark.parametrize("scale", [1, 0.1])
def test_walk_frequencies_match_the_exact_distribution(walk_length, allow_ties, scale):
    network = network_of([(u, v, t * scale) for u, v, t in CONTACTS])
    exact = exact_walks(network, walk_length, allow_ties)
    walks = nodes_of(forward_walks(time_order(network, allow_ties), np.arange(50_000), walk_length, seed=3))
    seen = dict.fromkeys(exact, 0)
    for walk in walks:
        assert walk in seen, f"{walk} is impossible"
        seen[walk] += 1
    # Rare walks are counted together, as the test needs some expected counts in every cell.
    rare = [walk for walk, probability in exact.items() if probability * len(walks) < 5]
    common = [walk for walk in exact if walk not in rare]
    observed = [seen[walk] for walk in common] + ([sum(seen[walk] for walk in rare)] if rare else [])
    expected = [exact[walk] for walk in common] + ([sum(exact[walk] for walk in rare)] if rare else [])
    assert chisquare(observed, np.array(expected) * len(walks)).pvalue > 1e-3


def test_with_ties_a_walk_goes_on_at_the_same_time_but_not_back_over_the_contact_just_used(one_timestamp):
    # On a square of simultaneous contacts the only other contact leads on, so walks go round and round.
    walks = forward_walks(time_order(one_timestamp, allow_ties=True), np.arange(200), 10, seed=1)
    steps = np.diff(walks.astype(int), axis=1) % 4
    assert np.all((steps == 1).all(axis=1) | (steps == 3).all(axis=1))


def test_number_of_threads_and_company_do_not_change_a_walk():
    network = generate(300, 3000, seed=1)
    together = forward_walks(time_order(network, allow_ties=False), np.arange(1000), 20, seed=7)
    threads = numba.get_num_threads()
    try:
        numba.set_num_threads(1)
        some = forward_walks(time_order(network, allow_ties=False), np.arange(100, 1000, 7), 20, seed=7)
    finally:
        numba.set_num_threads(threads)
    assert np.array_equal(some, together[100:1000:7])


def test_kept_walks_hold_exactly_the_windows_wanted_and_none_is_shorter_than_the_window():
    order = time_order(generate(200, 4000, seed=1), allow_ties=False)
    walks = BudgetedWalks(order, 1234, walk_length=12, window=4, seed=5)
    lengths = [len(walk) for block in walks.blocks() for walk in nodes_of(block)]
    assert min(lengths) >= 4
    assert max(lengths) <= 12
    assert sum(length - 4 + 1 for length in lengths) == walks.windows == 1234


def test_discarded_share_counts_the_walks_shorter_than_the_window():
    # From the first of three contacts, forwards, a walk reaches 4 nodes; every other start is too short.
    path = network_of([(0, 1, 1), (1, 2, 2), (2, 3, 3)])
    walks = BudgetedWalks(time_order(path, allow_ties=False), 5000, walk_length=4, window=4, seed=5)
    blocks = list(walks.blocks())
    assert set(nodes_of(np.concatenate(blocks))) == {(0, 1, 2, 3)}
    assert walks.windows == 5000
    assert walks.discarded_share == pytest.approx(5 / 6, abs=0.01)
    assert walks.tried == pytest.approx(30_000, rel=0.05)


@pytest.mark.parametrize("drawn_again_at_once", [1, 1000, 10**9])
def test_drawing_again_gives_the_same_walks(monkeypatch, drawn_again_at_once):
    monkeypatch.setattr("methods.kernels.forward_walks.TRIED_AT_ONCE", 100)
    monkeypatch.setattr("methods.kernels.forward_walks.DRAWN_AGAIN_AT_ONCE", drawn_again_at_once)
    order = time_order(generate(200, 4000, seed=1), allow_ties=False)
    walks = BudgetedWalks(order, 3001, walk_length=12, window=4, seed=5)
    first, second, third = (np.concatenate(list(walks.blocks())) for _ in range(3))
    assert len(walks.kept) > 3
    assert np.array_equal(first, second)
    assert np.array_equal(first, third)


@pytest.mark.parametrize(
    ("contacts", "allow_ties"),
    [([(0, 1, 1)], True), ([(0, leaf, 7) for leaf in range(1, 9)], False), (CHAIN * 40, False)],
)
def test_the_search_ends_where_walks_are_hardly_ever_long_enough(contacts, allow_ties):
    walks = BudgetedWalks(time_order(network_of(contacts), allow_ties), 10**9, walk_length=80, window=13, seed=1)
    assert sum(len(block) for block in walks.blocks()) == 0
    assert walks.windows == 0
    assert walks.discarded_share == 1
    assert sum(len(block) for block in walks.blocks()) == 0


def test_a_network_without_contacts_has_no_walks():
    walks = BudgetedWalks(time_order(network_of([], n_nodes=3), allow_ties=False), 0, walk_length=80, window=10, seed=1)
    assert list(walks.blocks()) == []
    assert walks.discarded_share == 0
