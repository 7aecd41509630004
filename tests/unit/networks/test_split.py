"""Holding out the newest contacts."""

import pytest

from harness.files import read_json
from networks.errors import NetworkError
from networks.network import TemporalNetwork
from networks.split import describe_split, split_rows, write_split


def chain(network_of, times):
    return network_of([(i, i + 1, t) for i, t in enumerate(times)])


def test_the_newest_fifth_is_for_the_test_and_the_tenth_before_it_for_validation(network_of):
    split = split_rows(chain(network_of, range(100)))
    assert (split.tuning_end, split.train_end) == (70, 80)


def test_equal_times_stay_together(network_of):
    """The exact cut after row 8 would part the rows of time 3; the nearest cut between two times is after row 7."""
    split = split_rows(chain(network_of, [1, 1, 1, 1, 2, 2, 2, 3, 3, 3]), validation_fraction=0)
    assert split.train_end == 7


def test_of_two_cuts_equally_close_the_later_is_taken(network_of):
    assert split_rows(chain(network_of, [1] * 7 + [2] * 2 + [3]), validation_fraction=0).train_end == 9


def test_cutting_by_row_cuts_exactly(network_of):
    split = split_rows(chain(network_of, [1, 1, 1, 1, 2, 2, 2, 3, 3, 3]), ties="row")
    assert (split.tuning_end, split.train_end) == (7, 8)


def test_without_validation_tuning_is_training(network_of):
    split = split_rows(chain(network_of, range(10)), validation_fraction=0)
    assert split.tuning_end == split.train_end == 8


def test_every_block_has_a_row_even_where_the_nearest_cut_would_leave_none(network_of):
    """Nearly everything happens at the first time: the best cut for the test leaves no place for validation."""
    split = split_rows(chain(network_of, [1] * 80 + [2] * 19 + [3]))
    assert (split.tuning_end, split.train_end) == (80, 99)


def test_three_rows_make_three_blocks(path):
    split = split_rows(path)
    assert (split.tuning_end, split.train_end) == (1, 2)


def test_one_timestamp_cannot_be_split_by_group(one_timestamp):
    with pytest.raises(
        NetworkError, match=r"toy: cannot be split into 3 blocks, because it has only 1 different times"
    ):
        split_rows(one_timestamp)


def test_one_timestamp_can_be_split_by_row(one_timestamp):
    split = split_rows(one_timestamp, ties="row")
    assert (split.tuning_end, split.train_end) == (2, 3)


def test_two_times_can_be_split_without_validation(network_of):
    network = chain(network_of, [1, 1, 2])
    with pytest.raises(NetworkError, match="into 3 blocks, because it has only 2 different times"):
        split_rows(network)
    assert split_rows(network, validation_fraction=0).train_end == 2


def test_one_contact_cannot_be_split(one_edge):
    with pytest.raises(NetworkError, match="into 2 blocks, because it has only 1 contacts"):
        split_rows(one_edge, validation_fraction=0, ties="row")


@pytest.mark.parametrize(
    ("test", "validation"), [(0, 0.1), (-0.1, 0.1), (0.5, 0.5), (1, 0), (0.2, -0.1), (float("nan"), 0)]
)
def test_fractions_that_make_no_sense_are_refused(path, test, validation):
    with pytest.raises(NetworkError, match="fraction"):
        split_rows(path, test, validation)


def test_an_unknown_rule_for_ties_is_refused(path):
    with pytest.raises(NetworkError, match="ties 'edge': use one of group, row"):
        split_rows(path, ties="edge")


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
