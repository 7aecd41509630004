"""The validation block: the newest edges of the given network, pairs that never meet, and how vectors are judged."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from evaluation.link_prediction.classifier import decision_values
from evaluation.link_prediction.features import TableFeatures
from evaluation.link_prediction.liblinear_fit import fit_by_liblinear
from methods.ehna import validation
from methods.ehna.validation import FEWEST_PAIRS, newest, validation_block
from tests.conftest import network_of
from tests.unit.methods.ehna.town import HALF, town

EVERYTHING = 10**9


def block_of(network, fraction=0.2, most_edges=EVERYTHING, seed=(1,)):
    block = validation_block(network, fraction, most_edges, seed)
    assert block is not None
    return block


def pairs(network, rows=slice(None)):
    return {frozenset(pair) for pair in zip(network.source[rows].tolist(), network.target[rows].tolist(), strict=True)}


def strangers(n_edges=400):
    """A town to which somebody new comes with every fourth contact."""
    old = town(n_edges)
    rows = zip(old.source.tolist(), old.target.tolist(), old.time.tolist(), strict=True)
    return network_of([(u, 40 + i if i % 4 == 0 else v, t) for i, (u, v, t) in enumerate(rows)])


def test_the_newest_fraction_is_held_back_and_the_rest_is_left():
    network = town()
    block = block_of(network, 0.2)
    assert block.older.n_edges == 320
    assert np.array_equal(block.older.source, network.source[:320])
    assert {frozenset(pair) for pair in block.positive.tolist()} <= pairs(network, slice(320, None))


def test_a_cut_never_parts_contacts_of_one_time():
    # Three times, a hundred contacts each: a tenth of the network is less than the newest time holds.
    network = network_of([(node, (node + step) % 100, step * 10) for step in (1, 2, 3) for node in range(100)])
    assert block_of(network, 0.1).older.time.max() == 20


def test_both_ends_of_a_positive_have_older_contacts():
    block = block_of(strangers())
    assert (block.older.degrees[block.positive] > 0).all()


def test_a_negative_pair_never_meets_in_the_given_network_and_is_of_two_nodes_that_the_older_edges_know():
    network = strangers()
    block = block_of(network)
    for negative in block.negatives:
        assert negative.shape == block.positive.shape
        assert (negative[:, 0] != negative[:, 1]).all()
        assert not {frozenset(pair) for pair in negative.tolist()} & pairs(network)
        assert (block.older.degrees[negative] > 0).all()


def test_the_second_kind_of_negatives_has_the_ends_of_the_positives():
    block = block_of(strangers())
    for side in (0, 1):
        assert set(block.negatives[1][:, side].tolist()) <= set(block.positive[:, side].tolist())


def test_a_block_of_the_training_part_knows_nothing_of_what_comes_after_it():
    network = town()
    again = network.first(350)
    assert np.array_equal(block_of(again).positive, block_of(network_of(contacts(network, 350))).positive)
    assert pairs(network, slice(350, None)) - pairs(again)
    for field in (block_of(again).positive, *block_of(again).negatives):
        assert np.isin(field, np.flatnonzero(again.degrees)).all()


def contacts(network, n):
    return zip(network.source[:n].tolist(), network.target[:n].tolist(), network.time[:n].tolist(), strict=True)


def test_at_most_so_many_older_edges_are_kept_the_newest():
    network = town()
    block = block_of(network, 0.2, most_edges=100)
    assert np.array_equal(block.older.time, network.time[220:320])
    assert block.older.n_nodes == network.n_nodes


def test_the_newest_edges_of_a_network_that_has_fewer_are_all():
    assert newest(town(50), 100).n_edges == 50
    assert newest(town(50), 0).n_edges == 0


def test_a_large_block_is_judged_by_so_many_pairs(monkeypatch):
    monkeypatch.setattr(validation, "MOST_PAIRS", 60)
    block = block_of(town(), 0.2)
    assert len(block.positive) == len(block.fold) == 60
    assert block.fold.sum() == 30


@pytest.mark.parametrize(
    ("network", "fraction"),
    [
        (town(), 0.0),
        (town(FEWEST_PAIRS), 0.5),
        (network_of([(0, 1, 5)]), 0.2),
        (network_of([]), 0.2),
        (network_of([(0, node, 5) for node in range(1, 300)]), 0.2),
        (network_of([(u, v, time) for time in range(30) for u in range(4) for v in range(u)]), 0.5),
    ],
    ids=["nothing asked for", "too few pairs", "one edge", "no edge", "one time", "everybody has met"],
)
def test_without_enough_to_judge_by_there_is_no_block(network, fraction):
    assert validation_block(network, fraction, EVERYTHING, (1,)) is None


def test_one_seed_draws_the_same_pairs():
    one, again, other = (block_of(town(), seed=(seed,)) for seed in (1, 1, 2))
    assert np.array_equal(one.negatives[0], again.negatives[0])
    assert np.array_equal(one.fold, again.fold)
    assert not np.array_equal(one.negatives[0], other.negatives[0])


def vectors_of(block, known):
    """Which half everybody is of, or noise."""
    noise = np.random.default_rng(1).normal(size=(len(block.nodes), 4)).astype(np.float32)
    if known:
        noise[:, 0] = np.where(HALF[block.nodes], 10, -10)
    return noise


def test_vectors_that_know_who_meets_whom_are_judged_better_than_noise():
    # On a circle those who meet (three apart) are nearer than nearly all others.
    network = network_of([(node, (node + step) % 100, step * 10) for step in (1, 2, 3) for node in range(100)])
    block = block_of(network, 0.1)
    angle = 2 * np.pi * block.nodes / 100
    circle = np.stack((np.cos(angle), np.sin(angle)), axis=1).astype(np.float32)
    assert block.auc(circle) > 0.9
    assert block.auc(vectors_of(block, known=False)) == pytest.approx(0.5, abs=0.1)


def test_the_unit_of_vectors_does_not_matter():
    block = block_of(town())
    vectors = vectors_of(block, known=True)
    assert block.auc(vectors * 1000) == pytest.approx(block.auc(vectors), abs=1e-6)


def test_vectors_are_judged_by_the_classifier_of_the_evaluation():
    block = block_of(town())
    vectors = vectors_of(block, known=False)
    scaled = vectors / np.sqrt(np.mean(np.square(vectors, dtype=np.float64)))
    found = []
    meets, training = np.repeat([True, False], len(block.positive)), np.tile(block.fold, 2)
    for negative in block.negatives:
        places = np.searchsorted(block.nodes, np.concatenate((block.positive, negative)))
        x, y = scaled[places[:, 0]], scaled[places[:, 1]]
        for values in (x * y, np.abs(x - y), (x - y) ** 2):
            features = TableFeatures(values.astype(np.float64))
            for half in (training, ~training):
                here, there = np.flatnonzero(half), np.flatnonzero(~half)
                weights = fit_by_liblinear(features, here, meets[here])
                found.append(roc_auc_score(meets[there], decision_values(features, there, weights)))
    assert block.auc(vectors) == pytest.approx(np.mean(found), abs=2e-3)
