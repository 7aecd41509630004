"""The leakage report of a network whose leaks are known."""

import json

import pytest

from evaluation.examples.example_set import make_examples
from evaluation.link_prediction.leakage import leakage_report, ties_at_border
from networks.audit import audit
from tests.conftest import network_of

# Training: 0-1 twice, 2-3, 4-5. Held out: 1-0 twice (seen), 0-2 twice (new), 2-6 (node 6 is new). 7-8 meet first.
CONTACTS = [
    (7, 8, 0), (0, 1, 1), (0, 1, 2), (2, 3, 3), (4, 5, 4),
    (1, 0, 5), (1, 0, 6), (0, 2, 7), (0, 2, 8), (2, 6, 9),
]  # fmt: skip
START = 5


@pytest.fixture
def report():
    network = network_of(CONTACTS)
    return leakage_report(network, make_examples(network, START, 10, ["uniform", "historical"], seed=1, draw=1))


def test_pairs_and_nodes_of_training_are_counted(report):
    assert report["positives"] == {
        "contacts": 5,
        "distinct_pairs": 3,
        "share_of_contacts_seen_in_training": 2 / 5,
        "share_of_distinct_pairs_seen_in_training": pytest.approx(1 / 3),
        "share_with_unseen_node": 1 / 5,
    }
    assert report["nodes_without_training_contact"] == 1


def test_only_the_papers_split_has_pairs_on_both_sides():
    contacts = [(0, 1, 0), (2, 3, 1), (4, 5, 2), (6, 7, 3)] + [(0, 1, time) for time in range(4, 14)]
    network = network_of(contacts)
    report = leakage_report(network, make_examples(network, 4, 14, ["uniform"], seed=1, draw=1))
    assert report["classifier_split"] == {"paper": 1, "pair_grouped": 0, "older_newer": 1, "node_disjoint": 0}


def test_a_protocol_that_takes_every_pair_once_has_none_on_both_sides(network_with_repeats):
    examples = make_examples(network_with_repeats, 30, 60, ["uniform", "degree_matched_pairs"], seed=1, draw=1)
    shares = leakage_report(network_with_repeats, examples)["classifier_split"]
    assert shares["paper"] > 0.5
    assert shares["degree_matched_pairs"] == 0


@pytest.fixture
def network_with_repeats():
    """Ten pairs of twenty nodes that meet in turns, six times each."""
    return network_of([(i % 10, 10 + i % 10, i) for i in range(60)])


def test_pairs_that_the_evaluation_drops_do_not_count_as_being_on_both_sides():
    contacts = [(0, 1, 0), (2, 3, 1), (4, 5, 2), (6, 7, 3)] + [(0, 8, time) for time in range(4, 14)]
    network = network_of(contacts, n_nodes=20)
    report = leakage_report(network, make_examples(network, 4, 14, ["uniform"], seed=1, draw=1))
    assert set(report["classifier_split"].values()) == {None}
    assert report["auc_of_trivial_scores"]["uniform"] == {"edgebank": None, "degree": None}


def test_negatives_are_checked_again(report):
    uniform = report["negatives"]["uniform"]
    assert uniform["pairs_checked"] == 5
    assert uniform["edges_of_the_whole_network"] == uniform["self_pairs"] == uniform["duplicates"] == 0


def test_a_collision_is_found():
    network = network_of(CONTACTS)
    examples = make_examples(network, START, 10, ["uniform"], seed=1, draw=1)
    examples.source[5:8], examples.target[5:8] = [0, 3, 8], [1, 3, 7]  # an edge, a self pair, an edge in reverse
    examples.source[8:], examples.target[8:] = [0, 5], [5, 0]  # the same pair twice
    uniform = leakage_report(network, examples)["negatives"]["uniform"]
    assert (uniform["edges_of_the_whole_network"], uniform["self_pairs"], uniform["duplicates"]) == (2, 1, 1)


def test_what_remembering_pairs_reaches_is_worked_out(report):
    # Without 2-6, whose node 6 is unseen, as the tables have it: 2 of 4 positives are known and no negative.
    assert report["auc_of_trivial_scores"]["uniform"]["edgebank"] == pytest.approx(2 / 4 + 2 / 4 / 2)


def test_strategies_that_are_not_available_are_listed(report):
    assert "historical" in report["negatives_not_available"]


def test_degree_is_the_product_of_training_contacts():
    network = network_of(CONTACTS)
    examples = make_examples(network, START, 10, ["uniform"], seed=1, draw=1)
    examples.source[5:], examples.target[5:] = [0, 0, 0, 0, 0], [4, 4, 4, 4, 4]  # 2 contacts x 1 = 2
    # positives: 1-0 twice 2 x 2 = 4 (above), 0-2 twice 2 x 1 = 2 (tied); 2-6 has an unseen node and is left out
    report = leakage_report(network, examples)
    assert report["auc_of_trivial_scores"]["uniform"]["degree"] == pytest.approx((2 + 2 / 2) / 4)


def test_a_cut_through_equal_times_is_reported():
    network = network_of([(0, 1, 1), (1, 2, 2), (2, 3, 2), (3, 4, 3)])
    assert ties_at_border(network, 2) == {
        "border": 2,
        "ties_cut": True,
        "contacts_at_border_in_training": 1,
        "contacts_at_border_held_out": 1,
    }
    assert not ties_at_border(network, 1)["ties_cut"]


def test_reciprocity_is_that_of_the_audit(report):
    """Seven distinct ordered pairs, of which 0-1 and 1-0 are each other's reverse."""
    assert report["reciprocity"] == audit(network_of(CONTACTS))["reciprocity"] == pytest.approx(2 / 7)


def test_types_give_away_negatives_within_one_side_of_a_bipartite_network():
    bipartite = network_of([(u, 4 + v, 4 * u + v) for u in range(4) for v in range(4) if u != v])
    examples = make_examples(bipartite, 8, 12, ["uniform", "type_respecting"], seed=1, draw=1)
    of_kind = leakage_report(bipartite, examples)["negatives"]
    assert of_kind["type_respecting"]["share_within_one_side"] == 0
    assert of_kind["uniform"]["share_within_one_side"] > 0


def test_the_report_is_json(report):
    assert json.loads(json.dumps(report, allow_nan=False)) == report
