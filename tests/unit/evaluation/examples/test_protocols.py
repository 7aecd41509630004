"""The classifier splits: which examples train and which test."""

import numpy as np
import pytest

from evaluation.errors import EvaluationError
from evaluation.examples.negatives import STRATEGIES
from evaluation.examples.protocols import PROTOCOLS, Pairs, classifier_split, strict_protocol


def pairs(n=400, n_nodes=20, n_times=50, seed=0):
    generator = np.random.default_rng(seed)
    source, target = generator.integers(0, n_nodes, size=(2, n), dtype=np.int32)
    return Pairs(source, target, generator.integers(0, n_times, size=n))


def split(name, examples, number=1):
    return classifier_split(PROTOCOLS[name], examples, seed=1, draw=1, split=number)


def unordered(examples, rows):
    return {tuple(sorted(pair)) for pair in zip(examples.source[rows], examples.target[rows], strict=True)}


@pytest.mark.parametrize("name", ["paper", "pair_grouped", "older_newer", "node_disjoint"])
def test_no_examples_are_refused_with_the_reason(name):
    with pytest.raises(EvaluationError, match="no example is left"):
        split(name, pairs(n=0))


@pytest.mark.parametrize("name", ["paper", "pair_grouped", "older_newer"])
def test_every_example_is_on_one_side_and_each_side_has_about_half(name):
    training, test = split(name, pairs())
    assert sorted([*training, *test]) == list(range(400))
    assert 180 <= len(training) <= 220


def test_the_papers_split_is_exactly_in_half():
    assert [len(half) for half in split("paper", pairs(401))] == [200, 201]


def test_grouped_pairs_are_on_one_side():
    examples = pairs()
    training, test = split("pair_grouped", examples)
    assert unordered(examples, training).isdisjoint(unordered(examples, test))
    iid_training, iid_test = split("paper", examples)
    assert not unordered(examples, iid_training).isdisjoint(unordered(examples, iid_test))


def test_older_examples_train_and_equal_times_stay_together():
    examples = pairs(n_times=7)
    training, test = split("older_newer", examples)
    assert examples.time[training].max() < examples.time[test].min()


def test_older_newer_needs_two_times():
    with pytest.raises(EvaluationError, match="the same time"):
        split("older_newer", pairs(n_times=1))


def test_disjoint_nodes_share_no_node_and_leave_out_the_pairs_across():
    examples = pairs()
    training, test = split("node_disjoint", examples)
    nodes = [set(examples.source[half]) | set(examples.target[half]) for half in (training, test)]
    assert nodes[0].isdisjoint(nodes[1])
    assert 100 < len(training) + len(test) < 300


def test_repeats_differ_except_for_the_split_by_time():
    for name, protocol in PROTOCOLS.items():
        first, second = split(name, pairs(), 1)[0], split(name, pairs(), 2)[0]
        assert np.array_equal(first, second) == (not protocol.is_random)


def test_there_is_one_protocol_for_every_strategy():
    assert {protocol.negatives for protocol in PROTOCOLS.values()} == set(STRATEGIES)
    assert (PROTOCOLS["paper"].negatives, PROTOCOLS["paper"].classifier_split) == ("uniform", "iid")


@pytest.mark.parametrize(
    ("protocols", "strict"),
    [
        (["paper", "pair_grouped", "degree_matched", "degree_matched_pairs"], "degree_matched_pairs"),
        (["paper", "pair_grouped", "degree_matched"], "degree_matched"),
        (["paper", "pair_grouped"], "pair_grouped"),
        (["paper", "historical"], None),
        (["degree_matched_pairs"], None),
    ],
)
def test_the_strict_protocol_stands_beside_another_one(protocols, strict):
    assert strict_protocol(protocols) == strict
