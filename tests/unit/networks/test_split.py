"""Holding out the newest contacts."""

import pytest

from harness.files import read_json
from networks.errors import NetworkError
from networks.network import TemporalNetwork
from networks.split import describe_split, split_rows, write_split


def chain(network_of, times):
    return network_of([(i, i + 1, t) for i, t in enumerate(times)])


NO_VALIDATION = {"validation_fraction": 0}
# Times of the contacts, how they are split, and after which rows tuning and training end.
CUTS = {
    "the newest fifth is for the test, the tenth before it for validation": (range(100), {}, 70, 80),
    # The exact cut after row 8 would part the rows of time 3; the nearest cut between two times is after row 7.
    "equal times stay together": ([1] * 4 + [2] * 3 + [3] * 3, NO_VALIDATION, 7, 7),
    "of two cuts equally close the later is taken": ([1] * 7 + [2] * 2 + [3], NO_VALIDATION, 9, 9),
    "cutting by row cuts exactly": ([1] * 4 + [2] * 3 + [3] * 3, {"ties": "row"}, 7, 8),
    "without validation tuning is training": (range(10), NO_VALIDATION, 8, 8),
    # Nearly everything happens at the first time: the best cut for the test leaves no place for validation.
    "every block has a row": ([1] * 80 + [2] * 19 + [3], {}, 80, 99),
    "three rows make three blocks": (range(3), {}, 1, 2),
    "two times make two blocks": ([1, 1, 2], NO_VALIDATION, 2, 2),
    "one time can be split by row": ([7] * 4, {"ties": "row"}, 2, 3),
}


@pytest.mark.parametrize(("times", "rule", "tuning_end", "train_end"), CUTS.values(), ids=CUTS.keys())
def test_contacts_are_cut_where_the_rule_says(network_of, times, rule, tuning_end, train_end):
    split = split_rows(chain(network_of, times), **rule)
    assert (split.tuning_end, split.train_end) == (tuning_end, train_end)


@pytest.mark.parametrize(
    ("times", "rule", "sentence"),
    [
        ([7] * 4, {}, "toy: cannot be split into 3 blocks, because it has only 1 different times"),
        ([1, 1, 2], {}, "into 3 blocks, because it has only 2 different times"),
        ([5], NO_VALIDATION | {"ties": "row"}, "into 2 blocks, because it has only 1 contacts"),
        ([1, 2, 3], {"ties": "edge"}, "ties 'edge': use one of group, row"),
    ],
)
def test_what_cannot_be_split_is_refused(network_of, times, rule, sentence):
    with pytest.raises(NetworkError, match=sentence):
        split_rows(chain(network_of, times), **rule)


@pytest.mark.parametrize(
    ("test", "validation"), [(0, 0.1), (-0.1, 0.1), (0.5, 0.5), (1, 0), (0.2, -0.1), (float("nan"), 0)]
)
def test_fractions_that_make_no_sense_are_refused(path, test, validation):
    with pytest.raises(NetworkError, match="fraction"):
        split_rows(path, test, validation)


def test_the_report_counts_unseen_nodes_and_repeated_pairs(network_of):
    """In the test, 1-0 was seen before (in reverse), 1-4 and 5-4 touch unseen nodes, 0-2 is new but of known ones."""
    older = [(0, 1, 1), (1, 2, 2), (2, 3, 3), (0, 1, 4), (2, 3, 5), (1, 2, 6)]
    newest = [(1, 0, 7), (1, 4, 8), (5, 4, 8), (1, 0, 9), (0, 2, 9)]
    network = network_of([*older, *newest])
    report = describe_split(network, split_rows(network, test_fraction=5 / 11, validation_fraction=1 / 11))
    assert (report["rows"], report["nodes"]) == (11, 6)
    assert (report["train_end"], report["tuning_end"]) == (6, 5)
    test = report["test"]
    assert test["rows"] == 5
    assert test["achieved_fraction"] == test["requested_fraction"] == 5 / 11
    assert (test["last_time_before"], test["first_time"], test["last_time"]) == (6, 7, 9)
    assert (test["cuts_a_tie"], test["rows_of_tie_at_cut"]) == (False, 1)
    assert (test["nodes"], test["unseen_nodes"], test["rows_with_unseen_nodes"]) == (5, 2, 2)
    assert (test["pairs"], test["repeated_pairs"], test["repeated_rows"]) == (4, 1, 2)
    assert report["validation"]["rows"] == 1
    assert report["validation"]["repeated_rows"] == 1


def test_the_report_says_when_a_tie_was_cut(one_timestamp):
    report = describe_split(one_timestamp, split_rows(one_timestamp, ties="row"))
    assert report["test"]["cuts_a_tie"] is True
    assert report["test"]["rows_of_tie_at_cut"] == 4


def test_without_validation_the_report_has_none(path):
    assert "validation" not in describe_split(path, split_rows(path, validation_fraction=0))


def test_training_and_tuning_networks_are_written_over_the_same_nodes(tmp_path, network_of):
    network = chain(network_of, range(10))
    report = write_split(network, split_rows(network), tmp_path)
    train, tuning = (TemporalNetwork.load(tmp_path / f"{name}.arrow") for name in ("train", "tuning"))
    assert (train.n_edges, tuning.n_edges) == (8, 7)
    assert train.n_nodes == tuning.n_nodes == network.n_nodes
    assert train.labels.to_pylist() == network.labels.to_pylist()
    assert read_json(tmp_path / "split.json") == report


def test_a_mapped_network_is_split(tmp_path, network_of):
    chain(network_of, range(10)).save(tmp_path / "n.arrow")
    network = TemporalNetwork.load(tmp_path / "n.arrow")
    assert write_split(network, split_rows(network), tmp_path)["test"]["unseen_nodes"] == 2
