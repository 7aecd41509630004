"""What fuzzing has found, one statement each, so that it stays mended."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from evaluation.embeddings import read_embeddings
from evaluation.errors import EvaluationError
from evaluation.examples.example_set import load_examples
from evaluation.repeats_file import read_repeats
from harness.errors import MOST_CHARACTERS, UserError
from harness.files import read_json
from methods.contract.errors import MethodError
from methods.running.external import read_vectors
from networks.catalog import load_catalog
from networks.errors import NetworkError
from networks.network import TemporalNetwork
from networks.parse import read_contacts
from tests.conftest import network_of
from tests.fuzz import documents

NETWORK = documents.NETWORK


@pytest.mark.parametrize("text", ["[" * 3000, "1" * 5000])
def test_json_that_python_gives_up_on_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "deep.json").write_text(text)
    with pytest.raises(UserError, match=r"deep.json: not valid JSON"):
        read_json(tmp_path / "deep.json")


def test_a_sentence_that_quotes_a_long_name_keeps_its_beginning_and_its_end(tmp_path: Path) -> None:
    path = tmp_path / "dblp.xml"
    path.write_bytes(documents.DBLP.replace(b"ISO-8859-1", b"I" * 5000 + b"-the-end"))
    with pytest.raises(NetworkError) as refused:
        read_contacts(path, "dblp_xml")
    sentence = str(refused.value)
    assert sentence.startswith(f"{path}: declares an encoding that cannot be read")
    assert sentence.endswith("-the-end)")
    assert len(sentence) <= MOST_CHARACTERS


@pytest.mark.parametrize("text", ["[" * 3000, "a: 2020-99-99", f"a: {'1' * 5000}", "? [a]\n: b"])
def test_a_catalog_that_the_yaml_reader_gives_up_on_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "catalog.yaml").write_text(text)
    with pytest.raises(NetworkError, match=r"catalog.yaml(: not readable as YAML|:1: a key must be a text)"):
        load_catalog(tmp_path / "catalog.yaml")


@pytest.mark.parametrize("header", ["2 2000000000", "99999999999 99999999999", "0 99999999999"])
def test_a_header_that_promises_more_than_the_file_holds_costs_no_memory(header: str, tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text(f"{header}\n0 1 2\n")
    with pytest.raises(EvaluationError, match=r"vectors.txt:1: .* do not fit into the file"):
        read_embeddings(path, NETWORK)
    with pytest.raises(MethodError, match=r"vectors, line 1: "):
        read_vectors(path, 5, None)


def test_an_npy_header_that_is_no_python_is_refused(tmp_path: Path) -> None:
    contents = documents.npy_files()[0].replace(b"{'descr'", b"((((((((")
    (tmp_path / "vectors.npy").write_bytes(contents)
    with pytest.raises(EvaluationError, match=r"vectors.npy: cannot be read as an array of numbers"):
        read_embeddings(tmp_path / "vectors.npy", NETWORK)


def test_a_damaged_arrow_file_is_neither_a_network_nor_an_example_set(tmp_path: Path) -> None:
    path = tmp_path / "damaged.arrow"
    path.write_bytes(b"\0" * 8 + documents.written(NETWORK.save))
    with pytest.raises(NetworkError, match=r"damaged.arrow: cannot be read as a stored network"):
        TemporalNetwork.load(path)
    path.write_bytes(b"\0" * 8 + documents.examples_file())
    with pytest.raises(EvaluationError, match=r"damaged.arrow: cannot be read as an example set"):
        load_examples(path)


@pytest.mark.parametrize(
    ("contacts", "nodes", "reason"),
    [
        ([(0, 9, 1), (1, 2, 2)], 3, "it names a node that has no label"),
        ([(0, -1, 1), (1, 2, 2)], 3, "it names a node that has no label"),
        ([(0, 1, float("nan")), (1, 2, 2.0)], 3, "its contacts are not in order of time"),
        ([(0, 1, float("nan"))], 2, "its contacts are not in order of time"),
        ([(0, 1, 1.0), (1, 2, float("inf"))], 3, "its contacts are not in order of time"),
    ],
)
def test_a_stored_network_that_kernels_would_trip_over_is_refused(contacts, nodes, reason, tmp_path: Path) -> None:
    network_of(contacts, n_nodes=nodes).save(tmp_path / "bad.arrow")
    with pytest.raises(NetworkError, match=f"bad.arrow: cannot be read as a stored network .{reason}"):
        TemporalNetwork.load(tmp_path / "bad.arrow")


def test_a_stored_network_with_unsorted_times_or_unequal_columns_is_refused(tmp_path: Path) -> None:
    labels = pa.array(["a", "b"], pa.large_string())
    ends = np.array([0, 1], np.int32), np.array([1, 0], np.int32)
    TemporalNetwork(*ends, np.array([2, 1]), labels).save(tmp_path / "unsorted.arrow")
    with pytest.raises(NetworkError, match=r"not in order of time"):
        TemporalNetwork.load(tmp_path / "unsorted.arrow")
    TemporalNetwork(*ends, np.array([1]), labels).save(tmp_path / "unequal.arrow")
    with pytest.raises(NetworkError, match=r"unequal length"):
        TemporalNetwork.load(tmp_path / "unequal.arrow")


@pytest.mark.parametrize(
    ("user", "reason"), [(b'"\\ud800"', "yelp.json:1: is not UTF-8 text"), (b"[" * 5000, "yelp.json:1: is not JSON")]
)
def test_a_review_with_half_a_character_or_endless_nesting_is_named(user: bytes, reason: str, tmp_path: Path) -> None:
    (tmp_path / "yelp.json").write_bytes(documents.YELP.replace(b'"u"', user))
    with pytest.raises(NetworkError, match=reason):
        read_contacts(tmp_path / "yelp.json", "yelp_json")


@pytest.mark.parametrize(
    ("format", "document"),
    [
        ("delimited", b"a,b," + b"x" * 5000),
        ("dblp_xml", documents.DBLP.replace(b"2001", b"1" * 5000)),
        ("tmall_log", documents.TMALL.replace(b"user_id", b"user_" + b"1" * 5000)),
        ("yelp_json", documents.YELP.replace(b"2017-01-02", json.dumps("9" * 5000).strip('"').encode())),
    ],
)
def test_a_cell_of_thousands_of_characters_is_cut_short_in_the_sentence(format, document, tmp_path: Path) -> None:
    (tmp_path / "raw").write_bytes(document)
    with pytest.raises(NetworkError) as refusal:
        read_contacts(tmp_path / "raw", format)
    assert len(str(refusal.value)) < 500


def test_a_table_of_repeats_with_more_cells_than_names_is_refused(tmp_path: Path) -> None:
    (tmp_path / "seed-1.csv").write_text("status,reason,value\nok,,x,0.5\nok,,y,0.6\n")
    with pytest.raises(EvaluationError, match=r"seed-1.csv:2: has more cells than line 1 has names"):
        read_repeats(tmp_path / "seed-1.csv", ["status", "reason", "value"])
