"""From raw contacts to a TemporalNetwork."""

import os

import numpy as np
import pyarrow as pa
import pytest

from harness.files import read_json
from networks.catalog import Entry
from networks.errors import NetworkError
from networks.network import TemporalNetwork
from networks.parse.contacts import Contacts
from networks.prepare import (
    network_name,
    network_of_contacts,
    prepare_entry,
    prepare_file,
    sorted_by_time,
    write_prepared,
)


@pytest.fixture
def prepare(tmp_path):
    def prepare(text, **options):
        path = tmp_path / "raw.txt"
        path.write_text(text)
        return prepare_file(path, options=options)

    return prepare


def rows(network):
    return list(zip(network.source.tolist(), network.target.tolist(), network.time.tolist(), strict=True))


def test_rows_are_sorted_by_time_and_ties_keep_the_order_of_the_file(prepare):
    network = prepare("d e 5\nb c 1\na b 5\nc a 1\n", header=False)
    assert network.labels.to_pylist() == ["b", "c", "a", "d", "e"]
    assert rows(network) == [(0, 1, 1), (1, 2, 1), (3, 4, 5), (2, 0, 5)]


def test_nodes_are_numbered_as_they_first_appear_in_time(prepare):
    network = prepare("9 8 2\n7 9 1\n")
    assert network.labels.to_pylist() == ["7", "9", "8"]
    assert rows(network) == [(0, 1, 1), (1, 2, 2)]


def test_self_loops_are_dropped_and_counted_with_the_nodes_that_had_nothing_else(prepare):
    network = prepare("1 1 5\n1 2 6\n3 3 7\n")
    assert network.n_nodes == 2
    assert rows(network) == [(0, 1, 6)]
    assert network.facts["dropped"] == {"self loop": 2}
    assert network.facts["rows"] == 3
    assert network.facts["labels_in_source"] == 3


def test_where_a_network_came_from_is_among_its_facts(prepare):
    facts = prepare("1,2,1970-01-02\n", time_format="iso").facts
    assert facts["file"] == "raw.txt"
    assert facts["format"] == "delimited"
    assert facts["options"] == {"time_format": "iso"}
    assert facts["time_unit"] == "seconds"


def test_the_format_is_guessed_where_nothing_is_said(tmp_path):
    path = tmp_path / "out.digg"
    path.write_text("% asym\n1 2 1 0\n1 2 1 9\n")
    network = prepare_file(path)
    assert network.name == "digg"
    assert network.facts["dropped"] == {"no time": 1}


def test_options_for_a_file_of_another_format_need_the_columns(tmp_path):
    """Read as delimited text, the third column of a KONECT file would be taken for the time: it is the weight."""
    path = tmp_path / "out.digg"
    path.write_text("% asym\n1 2 1 0\n1 2 1 9\n")
    with pytest.raises(NetworkError, match=r"out.digg: looks like konect; leave out all options, or name the columns"):
        prepare_file(path, options={"time_format": "unix"})
    with pytest.raises(NetworkError, match=r"out.digg: looks like konect, where a weight is third; give that format"):
        prepare_file(path, format="delimited")
    assert prepare_file(path, options={"columns": [1, 2, 4]}).time.tolist() == [0, 9]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 1 5\n2 2 6\n", r"no contact between two nodes is left \(2 rows, 2 dropped for: self loop\)"),
        ("7 7 1\n", "no contact between two nodes is left"),
        ("", "has no rows"),
    ],
)
def test_a_file_without_a_contact_is_refused_by_name(prepare, text, words):
    with pytest.raises(NetworkError, match=rf"raw.txt: {words}"):
        prepare(text)


def test_konect_without_any_time_is_refused(tmp_path):
    path = tmp_path / "out.static"
    path.write_text("% sym\n1 2\n2 3\n")
    with pytest.raises(NetworkError, match="2 dropped for: no time"):
        prepare_file(path)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("email-Eu-core-temporal.txt.gz", "email-Eu-core-temporal"),
        ("out.digg-friends", "digg-friends"),
        ("contacts", "contacts"),
        ("v1.2.csv", "v1.2"),
        (".txt", ".txt"),
    ],
)
def test_a_network_is_named_after_its_file(tmp_path, file, name):
    assert network_name(tmp_path / file) == name


def test_an_entry_of_the_catalog_is_read_as_the_catalog_says(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("when;a;b\n2;x;y\n1;y;z\n")
    options = {"columns": ["a", "b", "when"], "separator": ";", "time_format": "number"}
    entry = Entry(name="mine", label="Mine", path=path, format="delimited", options=options)
    network = prepare_entry(entry, tmp_path / "downloads")
    assert network.name == "mine"
    assert network.labels.to_pylist() == ["y", "z", "x"]
    assert rows(network) == [(0, 1, 1), (2, 0, 2)]


def test_a_generated_entry_needs_no_file(tmp_path):
    entry = Entry(name="made", label="Made", generate={"n_nodes": 20, "n_edges": 50, "seed": 1})
    network = prepare_entry(entry, tmp_path)
    assert (network.name, network.n_nodes, network.n_edges) == ("made", 20, 50)
    assert list(tmp_path.iterdir()) == []


def test_network_and_audit_are_written_together(prepare, tmp_path):
    report = write_prepared(prepare("1 2 3\n2 1 4\n"), tmp_path / "out", {"nodes": 3, "edges": 2})
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["audit.json", "network.arrow"]
    assert read_json(tmp_path / "out" / "audit.json") == report
    assert TemporalNetwork.load(tmp_path / "out" / "network.arrow").n_edges == 2


def test_rows_in_order_are_not_copied():
    time = np.array([1, 1, 2])
    column = np.zeros(3, np.int32)
    assert sorted_by_time(column, column, time)[2] is time


@pytest.mark.parametrize("times", [[3, 1, 2, 1, 3], [2**62, -(2**62), 0, 2**62, -1], [0.5, -1.5, 0.5, 0.25, 1e300]])
def test_the_sort_is_that_of_a_stable_argsort_and_leaves_its_arguments_alone(times):
    time = np.array(times)
    before = time.copy()
    source, target = np.arange(5, dtype=np.int32), np.arange(5, 10, dtype=np.int32)
    order = np.argsort(time, kind="stable")
    by_time = sorted_by_time(source, target, time)
    assert [column.tolist() for column in by_time] == [
        source[order].tolist(),
        target[order].tolist(),
        time[order].tolist(),
    ]
    assert time.tolist() == before.tolist()
    assert source.tolist() == [0, 1, 2, 3, 4]


def test_ties_of_times_with_fractions_keep_their_order_in_more_rows_than_an_unstable_sort_leaves_alone():
    """Up to 16 rows numpy's default sort inserts, which is stable."""
    time = np.array([0.5, 0.25] * 500)
    row = np.arange(1000, dtype=np.int32)
    assert sorted_by_time(row, row, time)[0].tolist() == [*range(1, 1000, 2), *range(0, 1000, 2)]


def test_dropping_rows_adds_up_by_reason():
    column = np.array([0, 1, 2], np.int32)
    contacts = Contacts(column, column, np.array([1, 2, 3]), pa.array(["a", "b", "c"], pa.large_string()), 3)
    once = contacts.without(np.array([True, False, False]), "early")
    twice = once.without(np.array([True, False]), "early")
    assert twice.dropped == {"early": 2}
    assert twice.time.tolist() == [3]
    assert contacts.without(np.zeros(3, bool), "never") is contacts
    with pytest.raises(NetworkError, match="1 dropped for: self loop"):
        network_of_contacts(twice, "loop")


@pytest.mark.parametrize(
    ("first", "last"), [("-9223372036854775808", "9223372036854775807"), ("-1", str(2**63 - 1)), ("-1e308", "1e308")]
)
def test_times_too_far_apart_to_be_subtracted_are_refused(tmp_path, first, last):
    (tmp_path / "rows").write_text(f"a b {first}\nb c {last}\n")
    with pytest.raises(NetworkError, match="rows: its times lie too far apart to be subtracted"):
        prepare_file(tmp_path / "rows")


def test_times_as_far_apart_as_can_be_subtracted_are_kept(tmp_path):
    (tmp_path / "rows").write_text(f"a b 0\nb c {2**63 - 1}\n")
    assert prepare_file(tmp_path / "rows").unit_time().tolist() == [0.0, 1.0]


def test_a_pipe_is_not_read(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(NetworkError, match="pipe: is not a regular file"):
        prepare_file(tmp_path / "pipe")
