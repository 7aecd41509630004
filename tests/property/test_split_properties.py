"""What holds for every split of every network."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from networks.errors import NetworkError
from networks.network import TemporalNetwork
from networks.split import Split, describe_split, split_rows
from tests.conftest import network_of

either = st.sampled_from(["group", "row"])


@st.composite
def split_networks(draw, ties=either) -> tuple[TemporalNetwork, Split]:
    """A network and its split; those that cannot be split are left out."""
    contact = st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 8)).filter(lambda row: row[0] != row[1])
    network = network_of(draw(st.lists(contact, min_size=1, max_size=40)), n_nodes=6)
    test, validation = draw(st.sampled_from([(0.2, 0.1), (0.5, 0.0), (0.01, 0.01), (0.6, 0.3)]))
    try:
        return network, split_rows(network, test, validation, draw(ties))
    except NetworkError:
        assume(False)
        raise


@given(split_networks())
def test_nothing_in_training_is_newer_than_the_test(case):
    network, split = case
    assert network.time[: split.train_end].max() <= network.time[split.train_end :].min()
    assert network.time[: split.tuning_end].max() <= network.time[split.tuning_end :].min()


@given(split_networks(ties=st.just("group")))
def test_no_time_stands_on_both_sides_of_a_cut(case):
    network, split = case
    for cut in (split.tuning_end, split.train_end):
        assert not set(network.time[:cut].tolist()) & set(network.time[cut:].tolist())


@given(split_networks())
def test_no_block_is_empty(case):
    network, split = case
    assert 0 < split.tuning_end <= split.train_end < network.n_edges
    assert (split.tuning_end < split.train_end) == (split.validation_fraction > 0)


@given(split_networks())
def test_training_is_a_prefix_of_the_network_and_tuning_a_prefix_of_training(case):
    network, split = case
    train, tuning = network.first(split.train_end), network.first(split.tuning_end)
    assert np.array_equal(train.time, network.time[: train.n_edges])
    assert np.array_equal(tuning.source, train.source[: tuning.n_edges])
    assert train.n_nodes == tuning.n_nodes == network.n_nodes


@given(split_networks(ties=st.just("group")))
def test_no_other_cut_between_two_times_is_closer_to_the_fraction(case):
    network, split = case
    wanted = network.n_edges * (1 - split.test_fraction)
    cuts = np.flatnonzero(np.diff(network.time)) + 1
    if split.validation_fraction > 0:
        cuts = cuts[1:]  # the first is needed for validation
    assert abs(split.train_end - wanted) == np.abs(cuts - wanted).min()


@given(split_networks(ties=st.just("row")))
def test_cutting_by_row_is_within_a_row_of_the_fraction(case):
    """Unless a block would be empty: then it has its one row."""
    network, split = case
    wanted = max(1.0, network.n_edges * split.test_fraction)
    assert abs((network.n_edges - split.train_end) - wanted) <= 1


@given(split_networks())
def test_the_report_agrees_with_a_count_by_hand(case):
    network, split = case
    contacts = list(zip(network.source.tolist(), network.target.tolist(), strict=True))
    train, test = contacts[: split.train_end], contacts[split.train_end :]
    seen = {node for pair in train for node in pair}
    known_pairs = {frozenset(pair) for pair in train}
    report = describe_split(network, split)["test"]
    assert report["rows"] == len(test)
    assert report["unseen_nodes"] == len({node for pair in test for node in pair} - seen)
    assert report["rows_with_unseen_nodes"] == sum(not set(pair) <= seen for pair in test)
    assert report["repeated_rows"] == sum(frozenset(pair) in known_pairs for pair in test)
    assert report["repeated_pairs"] == len({frozenset(pair) for pair in test} & known_pairs)
    assert report["pairs"] == len({frozenset(pair) for pair in test})
