"""`load_network` takes a name of the catalogue, a stored network or a raw file."""

from pathlib import Path
from typing import Any

import pytest

from networks import TemporalNetwork, load_network, training_part
from networks.errors import NetworkError


def test_a_raw_file_is_read_with_its_columns_and_a_stored_one_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mails.csv").write_text("when,from,to\n2,ann,bob\n1,bob,eve\n")
    network = load_network(tmp_path / "mails.csv", columns=["from", "to", "when"])
    assert repr(network) == "<TemporalNetwork mails: 3 nodes, 2 contacts>"
    assert network.labels.to_pylist() == ["bob", "eve", "ann"]
    network.save(tmp_path / "mails.arrow")
    assert repr(load_network(str(tmp_path / "mails.arrow"))) == repr(network)


@pytest.mark.parametrize(
    ("source", "options", "sentence"),
    [
        ("colege_msg", {}, "colege_msg: is neither a file nor in the catalog; did you mean 'college_msg'?"),
        ("college_msg", {"separator": ","}, "college_msg: is in the catalog, which says how to read it; leave out"),
        ("stored.arrow", {"separator": ","}, "stored.arrow: is a stored network; leave out separator"),
    ],
)
def test_a_mistake_is_one_sentence(
    source: str,
    options: dict[str, Any],
    sentence: str,
    path: TemporalNetwork,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    path.save(tmp_path / "stored.arrow")
    with pytest.raises(NetworkError) as refused:
        load_network(source, **options)
    assert str(refused.value).startswith(sentence)


def test_the_training_part_is_the_oldest_contacts_over_the_same_nodes(star: TemporalNetwork) -> None:
    past = training_part(star, test_fraction=0.25)
    assert (past.target.tolist(), past.n_nodes) == ([1, 2, 3], 5)
