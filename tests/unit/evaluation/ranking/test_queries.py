"""Queries: whose they are, what their negatives are, and that a file of others' is refused."""

from pathlib import Path

import numpy as np
import pytest

from evaluation.errors import EvaluationError
from evaluation.examples.example_set import POSITIVE, load_examples, save_examples
from evaluation.ranking.queries import RANKED, TRAINING, check_queries, make_queries
from tests.conftest import network_of

# Training: 0 meets 5, 6 and 7; 1 meets 8 and 9; 2 meets 5. Held out: 0-8 and, at the same time, 0-5; then 1-5, and 2-3,
# where training never saw 3.
TRAIN = [(0, 5, 1), (0, 6, 2), (0, 7, 3), (1, 8, 4), (1, 9, 5), (2, 5, 6)]
SMALL = [*TRAIN, (0, 8, 7), (0, 5, 7), (1, 5, 8), (2, 3, 9)]


def queries_of(contacts, start, queries=100, negatives=100, seed=1, draw=1):
    network = network_of(contacts)
    return make_queries(network, start, network.n_edges, queries, negatives, seed, draw)


def random_contacts(n_nodes=40, n_edges=2000):
    generator = np.random.default_rng(0)
    source, target = generator.integers(0, n_nodes, size=(2, n_edges))
    return [(u, v, t // 4) for t, (u, v) in enumerate(zip(source.tolist(), target.tolist(), strict=True)) if u != v]


def test_positives_are_the_held_out_contacts_whose_ends_training_saw():
    made = queries_of(SMALL, len(TRAIN))
    positives = made.rows[POSITIVE]
    assert list(zip(made.source[positives], made.target[positives], strict=True)) == [(0, 8), (0, 5), (1, 5)]
    assert made.repeated[positives].tolist() == [False, True, False]


def test_the_older_half_trains_with_one_negative_each_and_the_newer_is_ranked():
    made = queries_of(SMALL, len(TRAIN))
    sizes = {kind: rows.stop - rows.start for kind, rows in made.rows.items()}
    # Targets of training are 5 to 9. Of 0 at time 7, 5 and 8 are taken, of 1 at time 8 only 5: three are left to all.
    assert made.facts["negatives"] == 3
    assert sizes == {POSITIVE: 3, TRAINING: 1, RANKED: 2 * 3}
    ranked = made.rows[RANKED]
    assert set(made.target[ranked][:3].tolist()) == {6, 7, 9}
    assert made.source[ranked].tolist() == [0, 0, 0, 1, 1, 1]
    assert made.time[ranked].tolist() == [7, 7, 7, 8, 8, 8]


def test_a_negative_is_a_target_of_training_and_nobody_whom_the_source_meets_at_that_time():
    contacts = random_contacts()
    network = network_of(contacts)
    start = len(contacts) * 4 // 5
    made = queries_of(contacts, start, queries=100, negatives=20)
    rows = made.rows[RANKED]
    source, target, time = made.source[rows], made.target[rows], made.time[rows]
    assert (rows.stop - rows.start, made.facts["negatives"]) == (100 * 20, 20)
    assert (source != target).all()
    assert set(target.tolist()) <= set(network.target[:start].tolist())
    ends = zip(network.source.tolist(), network.target.tolist(), network.time.tolist(), strict=True)
    meets = {(*pair, t) for u, v, t in ends for pair in ((u, v), (v, u))}
    assert not meets & set(zip(source.tolist(), target.tolist(), time.tolist(), strict=True))
    assert all(len(set(part)) == 20 for part in target.reshape(-1, 20).tolist())


def test_half_of_the_negatives_are_partners_from_training_where_there_are_as_many():
    hub = [(0, v, v) for v in range(1, 31)]
    others = [(31, v, v) for v in range(32, 92)]
    made = queries_of([*hub, *others, *((0, 32 + i, 100 + i) for i in range(4))], len(hub) + len(others), negatives=20)
    rows = made.rows[RANKED]
    assert made.repeated[rows].reshape(-1, 20).sum(axis=1).tolist() == [10, 10]
    assert made.repeated[made.rows[TRAINING]].tolist() == [False, True]


def test_draws_differ_and_one_draw_is_the_same_bytes():
    contacts = random_contacts()
    first, again, other = (queries_of(contacts, 1500, 50, 10, draw=draw) for draw in (1, 1, 2))
    assert first.sha256() == again.sha256() != other.sha256()


def test_nothing_to_rank_is_said_and_is_no_error():
    made = queries_of([(0, 1, 1), (2, 3, 2), (4, 5, 3)], 2)
    assert list(made.rows) == [POSITIVE]
    assert made.unavailable[RANKED].startswith("fewer than two held-out contacts have both ends in training")


def test_stored_queries_are_those_of_their_network_and_of_no_other(tmp_path):
    contacts, path = random_contacts(), tmp_path / "draw-1.arrow"
    network = network_of(contacts)
    save_examples(make_queries(network, 1500, network.n_edges, 1000, 10, 1, 1), path)
    stored = load_examples(path)
    check_queries(stored, network, None, path)
    u, v, t = contacts[-1]
    for other in (network_of([*contacts[:-1], (v, u, t)]), network_of(contacts[:-1])):
        with pytest.raises(EvaluationError, match="made from another network or split than toy's"):
            check_queries(stored, other, None, Path("draw-1.arrow"))
