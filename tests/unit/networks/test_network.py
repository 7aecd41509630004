"""TemporalNetwork and the file that it is stored in."""

import numpy as np
import pyarrow as pa
import pytest

from networks.errors import NetworkError
from networks.network import TemporalNetwork


def test_a_stored_network_comes_back_whole(tmp_path, network_of):
    network = network_of([(0, 1, 3), (1, 2, 5)], n_nodes=4, name="toy")
    network.facts.update(dropped={"self loop": 1}, file="ä.txt")
    network.save(tmp_path / "network.arrow")
    loaded = TemporalNetwork.load(tmp_path / "network.arrow")
    assert loaded.source.tolist() == [0, 1]
    assert loaded.target.tolist() == [1, 2]
    assert loaded.time.tolist() == [3, 5]
    assert (loaded.source.dtype, loaded.target.dtype, loaded.time.dtype) == (np.int32, np.int32, np.int64)
    assert loaded.labels.to_pylist() == ["0", "1", "2", "3"]
    assert loaded.name == "toy"
    assert loaded.facts == network.facts


def test_times_with_fractions_stay_floats(tmp_path, network_of):
    network_of([(0, 1, 0.5), (0, 1, 1.5)]).save(tmp_path / "n.arrow")
    loaded = TemporalNetwork.load(tmp_path / "n.arrow")
    assert loaded.time.dtype == np.float64
    assert loaded.time.tolist() == [0.5, 1.5]


def test_labels_of_any_script_survive(tmp_path):
    labels = pa.array(["Zoë, Ann", "007", "李"], pa.large_string())
    rows = np.array([0, 1], np.int32), np.array([1, 2], np.int32), np.array([1, 2])
    TemporalNetwork(*rows, labels).save(tmp_path / "n.arrow")
    assert TemporalNetwork.load(tmp_path / "n.arrow").labels.to_pylist() == ["Zoë, Ann", "007", "李"]


def test_a_loaded_network_is_mapped_and_cannot_be_written_to(tmp_path, path):
    path.save(tmp_path / "n.arrow")
    before = pa.total_allocated_bytes()
    loaded = TemporalNetwork.load(tmp_path / "n.arrow")
    assert pa.total_allocated_bytes() == before
    with pytest.raises(ValueError, match="read-only"):
        loaded.time[0] = 99


def test_a_mapped_network_outlives_its_file(tmp_path, path):
    path.save(tmp_path / "n.arrow")
    loaded = TemporalNetwork.load(tmp_path / "n.arrow")
    (tmp_path / "n.arrow").unlink()
    assert loaded.time.tolist() == [1, 2, 3]


@pytest.mark.parametrize("kept", [0, 7, 100, -20, -1])
def test_a_truncated_file_is_refused(tmp_path, path, kept):
    file = tmp_path / "n.arrow"
    path.save(file)
    file.write_bytes(file.read_bytes()[:kept])
    with pytest.raises(NetworkError, match=r"n.arrow: cannot be read as a stored network"):
        TemporalNetwork.load(file)


def test_a_contact_of_a_node_with_itself_is_refused(tmp_path, network_of):
    network_of([(0, 1, 1), (1, 1, 2)]).save(tmp_path / "n.arrow")
    with pytest.raises(NetworkError, match=r"n.arrow: cannot be .* \(it has a contact of a node with itself\)"):
        TemporalNetwork.load(tmp_path / "n.arrow")


def test_another_arrow_file_is_refused(tmp_path):
    file = tmp_path / "table.arrow"
    table = pa.table({"a": [1]})
    with pa.OSFile(str(file), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    with pytest.raises(NetworkError, match=r"table.arrow: not a stored temporal network"):
        TemporalNetwork.load(file)


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("text", "text: cannot be read as a stored network"),
        (".", "cannot be read as a stored network"),
        ("nowhere.arrow", "nowhere.arrow: no such file"),
    ],
)
def test_what_is_no_arrow_file_is_refused(tmp_path, name, sentence):
    (tmp_path / "text").write_text("1 2 3\n")
    with pytest.raises(NetworkError, match=sentence):
        TemporalNetwork.load(tmp_path / name)


def test_the_first_contacts_keep_all_nodes(path):
    training = path.first(2)
    assert training.time.tolist() == [1, 2]
    assert training.n_edges == 2
    assert training.n_nodes == 4
    assert training.labels.equals(path.labels)


def test_degrees_count_every_contact_at_both_ends(repeated):
    assert repeated.degrees.tolist() == [3, 5, 2]


@pytest.mark.parametrize(
    ("times", "unit"),
    [
        ([100, 125, 200], [0.0, 0.25, 1.0]),
        ([7, 7, 7], [0.0, 0.0, 0.0]),
        ([2**60, 2**60 + 1, 2**60 + 4], [0.0, 0.25, 1.0]),
    ],
    ids=["from zero to one", "one timestamp", "single seconds of large times"],
)
def test_unit_time_spans_zero_to_one(network_of, times, unit):
    assert network_of([(0, 1, t) for t in times]).unit_time().tolist() == unit
