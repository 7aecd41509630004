"""Negatives: no edge, no duplicate, no self pair, and the law that each strategy declares."""

from collections import Counter
from itertools import combinations

import numpy as np
import pytest
from scipy.stats import chisquare

from evaluation.errors import EvaluationError
from evaluation.examples.negatives import (
    STRATEGIES,
    HeldOut,
    degree_matched,
    degree_matched_pairs,
    draw_negatives,
    inductive,
    rejection_sample,
    same_source,
    type_respecting,
    uniform,
)
from networks.pairs import pair_keys, set_of
from tests.conftest import network_of

# 0-1, 2-3 and 4-5 meet in training; held out are one repeated pair (0-1) and the new pairs 0-2 (twice), 0-3 and 4-6.
SMALL = [(0, 1, 1), (2, 3, 2), (4, 5, 3), (0, 1, 4), (0, 2, 5), (0, 2, 6), (0, 3, 7), (4, 6, 8)]
START = 3


def held_out_of(contacts, start, n_nodes=None):
    network = network_of(contacts, n_nodes)
    return HeldOut(network, start, network.n_edges)


def draw(strategy, held_out, seed=1, number=1):
    return draw_negatives(strategy, held_out, seed, number, set_of(held_out.keys()))


def test_only_the_first_contact_of_each_pair_is_a_positive_where_pairs_count_once():
    held_out = held_out_of(SMALL, START)
    assert held_out.positives("degree_matched").tolist() == [0, 1, 2, 3, 4]
    assert held_out.positives("degree_matched_pairs").tolist() == [0, 1, 3, 4]  # 0-2 meets twice


def test_pairs_that_meet_often_do_not_draw_more_negatives_to_their_ends():
    """Held out are 0-2 a hundred times and 1-3 once: by contacts 0 is nearly every source, by pairs every other one."""
    held_out = held_out_of([(4, 5, 0), *((0, 2, t) for t in range(1, 101)), (1, 3, 101)], 1)
    shares = []
    for law in (degree_matched, degree_matched_pairs):
        source, _ = law(held_out)(np.random.default_rng(0), np.zeros(4000, dtype=np.int64))
        shares.append(np.mean(source == 0))
    assert shares[0] == pytest.approx(100 / 101, abs=0.01)
    assert shares[1] == pytest.approx(1 / 2, abs=0.04)


def random_contacts(n_nodes, n_edges, seed=0, bipartite=False):
    generator = np.random.default_rng(seed)
    source, target = generator.integers(0, n_nodes, size=(2, n_edges))
    if bipartite:
        source, target = source % (n_nodes // 2), n_nodes // 2 + target % (n_nodes // 2)
    return [(int(u), int(v), t) for t, (u, v) in enumerate(zip(source, target, strict=True)) if u != v]


def pairs_of(negatives):
    return [tuple(sorted(pair)) for pair in zip(negatives.source.tolist(), negatives.target.tolist(), strict=True)]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("seed", range(3))
def test_negatives_are_distinct_pairs_of_two_nodes(strategy, seed):
    contacts = random_contacts(60, 300, seed, bipartite=strategy == "type_respecting")
    held_out = held_out_of(contacts, 240, 60)
    pairs = pairs_of(draw(strategy, held_out, seed))
    assert len(set(pairs)) == len(pairs) == len(held_out.positives(strategy))
    assert all(u != v for u, v in pairs)


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name != "historical"])
@pytest.mark.parametrize("seed", range(3))
def test_negatives_meet_nowhere_in_the_whole_network(strategy, seed):
    contacts = random_contacts(60, 300, seed, bipartite=strategy == "type_respecting")
    held_out = HeldOut(network_of(contacts, 60), 200, 240)  # contacts after the block count as edges too
    edges = {tuple(sorted((u, v))) for u, v, _ in contacts}
    assert edges.isdisjoint(pairs_of(draw(strategy, held_out, seed)))


def test_same_seed_and_draw_give_the_same_negatives_and_another_draw_gives_others():
    held_out = held_out_of(random_contacts(60, 300), 240, 60)
    assert pairs_of(draw("uniform", held_out)) == pairs_of(draw("uniform", held_out))
    assert pairs_of(draw("uniform", held_out)) != pairs_of(draw("uniform", held_out, number=2))
    assert pairs_of(draw("uniform", held_out)) != pairs_of(draw("uniform", held_out, seed=2))


def assert_law(strategy, proposal, contacts, start, weight):
    """The first negative of 3000 draws follows `weight(u, v)` on the pairs without an edge (chi-square)."""
    held_out = held_out_of(contacts, start)
    n_nodes = held_out.network.n_nodes
    propose = proposal(held_out)
    one_row = HeldOut(held_out.network, start, start + 1)
    known = set_of(held_out.keys())
    generator = np.random.default_rng(7)
    seen = Counter(pairs_of(rejection_sample(strategy, one_row, propose, generator, known))[0] for _ in range(3000))
    edges = {tuple(sorted((u, v))) for u, v, _ in contacts}
    free = [pair for pair in combinations(range(n_nodes), 2) if pair not in edges]
    law = np.array([weight(u, v) + weight(v, u) for u, v in free], dtype=np.float64)
    counts = np.array([seen[pair] for pair in free])
    assert counts.sum() == 3000
    assert counts[law == 0].sum() == 0
    assert chisquare(counts[law > 0], 3000 * law[law > 0] / law.sum()).pvalue > 1e-3


def test_uniform_gives_every_pair_without_an_edge_the_same_chance():
    assert_law("uniform", uniform, SMALL, START, lambda u, v: 1)


def test_degree_matched_draws_ends_as_often_as_the_positives_have_them():
    sources = Counter(u for u, _, _ in SMALL[START:])
    targets = Counter(v for _, v, _ in SMALL[START:])
    assert_law("degree_matched", degree_matched, SMALL, START, lambda u, v: sources[u] * targets[v])


def test_inductive_draws_ends_of_held_out_pairs_that_training_has_not_seen():
    sources, targets = Counter({0: 3, 4: 1}), Counter({2: 2, 3: 1, 6: 1})
    assert_law("inductive", inductive, SMALL, START, lambda u, v: sources[u] * targets[v])


def test_same_source_draws_targets_uniformly_among_the_networks_targets():
    targets = {v for _, v, _ in SMALL}
    assert_law("same_source", same_source, SMALL, START, lambda u, v: u == 0 and v in targets)


def test_type_respecting_draws_uniformly_across_the_two_sides():
    contacts = [(0, 4, 1), (1, 5, 2), (2, 6, 3), (0, 5, 4), (3, 6, 5), (1, 6, 6), (3, 7, 7)]
    assert_law("type_respecting", type_respecting, contacts, 4, lambda u, v: u < 4 <= v)


def test_degrees_of_many_uniform_negatives_are_those_of_a_uniform_draw():
    held_out = held_out_of(random_contacts(200, 2000), 1000, 200)
    draws = [draw("uniform", held_out, number=number) for number in range(20)]
    degrees = np.bincount(np.concatenate([np.r_[d.source, d.target] for d in draws]), minlength=200)
    network = held_out.network
    keys = np.unique(pair_keys(network.source, network.target, 200))
    partners = np.bincount(np.r_[keys // 200, keys % 200], minlength=200)
    expected = (199 - partners) / (199 - partners).sum() * degrees.sum()
    assert chisquare(degrees, expected).pvalue > 1e-3


def test_same_source_keeps_the_source_of_every_positive():
    held_out = held_out_of(random_contacts(60, 300), 240, 60)
    assert draw("same_source", held_out).source.tolist() == held_out.source.tolist()


def test_type_respecting_needs_a_bipartite_network():
    with pytest.raises(EvaluationError, match="need a bipartite network"):
        draw("type_respecting", held_out_of([(0, 1, 1), (1, 2, 2), (2, 0, 3)], 2))


def test_historical_negatives_met_in_training_and_never_again():
    contacts = [(0, 1, 1), (1, 0, 2), (2, 3, 3), (4, 5, 4), (0, 2, 5), (3, 2, 6)]
    held_out = held_out_of(contacts, 4)
    assert sorted(pairs_of(draw("historical", held_out))) == [(0, 1), (4, 5)]


def test_historical_negatives_that_do_not_suffice_are_counted_in_the_sentence():
    with pytest.raises(EvaluationError, match="2 are needed, but only 1 distinct training pairs"):
        draw("historical", held_out_of([(0, 1, 1), (0, 1, 2), (2, 3, 3), (4, 5, 4)], 2))


def test_inductive_negatives_need_a_new_pair():
    with pytest.raises(EvaluationError, match="there are none"):
        draw("inductive", held_out_of([(0, 1, 1), (1, 0, 2)], 1, n_nodes=5))


@pytest.mark.parametrize("strategy", ["uniform", "degree_matched", "same_source"])
def test_a_complete_network_gives_a_sentence_and_does_not_hang(strategy):
    contacts = [(u, v, 10 * u + v) for u, v in combinations(range(5), 2)]
    with pytest.raises(EvaluationError, match=f"{strategy} negatives: 4 are needed, but only 0 .* too dense"):
        draw(strategy, held_out_of(contacts, 6))


def test_the_last_free_pair_of_a_dense_network_is_found():
    contacts = [(u, v, 50 * u + v) for u, v in combinations(range(40), 2) if (u, v) != (17, 23)]
    held_out = held_out_of(contacts, len(contacts) - 1)
    assert pairs_of(draw("uniform", held_out)) == [(17, 23)]


def test_rejections_are_counted():
    held_out = held_out_of([(0, 1, 1), (0, 2, 2), (0, 3, 3)], 2)
    rejected = draw("uniform", held_out).rejected
    assert set(rejected) == {"self", "edge", "duplicate"}
    many = [draw("uniform", held_out, number=number).rejected for number in range(200)]
    # 16 ordered pairs: 4 self pairs, 6 edges, 6 free; before the first success there are 4/6 and 6/6 on average
    assert np.mean([counts["self"] for counts in many]) == pytest.approx(4 / 6, abs=0.2)
    assert np.mean([counts["edge"] for counts in many]) == pytest.approx(1, abs=0.3)
