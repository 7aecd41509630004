"""Reading vectors: what is accepted, and the sentence for what is not."""

import io
import os
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from evaluation.embeddings import read_embeddings, to_common_unit
from evaluation.errors import EvaluationError
from tests.conftest import network_of

NETWORK = network_of([(0, 1, 1), (1, 2, 2)])
VECTORS = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.5]])


@pytest.fixture
def npy(tmp_path):
    """Save an array and return the path."""

    def save(array):
        np.save(tmp_path / "mine.npy", array)
        return tmp_path / "mine.npy"

    return save


@pytest.fixture
def text(tmp_path):
    def save(content):
        (tmp_path / "mine.txt").write_text(content, encoding="utf-8")
        return tmp_path / "mine.txt"

    return save


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16", "int64"])
def test_npy_rows_are_the_vectors_of_the_nodes(npy, dtype):
    embeddings = read_embeddings(npy(VECTORS.astype(dtype)), NETWORK)
    assert np.array_equal(embeddings.vectors, VECTORS.astype(dtype))
    assert embeddings.vectors.dtype in (np.float32, np.float64)
    assert not embeddings.missing.any()
    assert embeddings.notes == ()


def with_value(value):
    return np.where([[False, False], [False, True], [False, False]], value, VECTORS)


NO_MATRIX, NO_NUMBERS = "the array has shape", "must hold real numbers"
NOT_FINITE = r"1 vectors have NaN, .* first node 1 \(label 1\)"


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (VECTORS[:2], "2 rows, but the network has 3 nodes"),
        (np.zeros((3, 2)), "every vector is zero"),
        *((with_value(value), NOT_FINITE) for value in (np.nan, np.inf, -np.inf)),
        *((np.zeros(shape), NO_MATRIX) for shape in [(3,), (3, 2, 1), (3, 0), (0, 0)]),
        *((VECTORS.astype(dtype), NO_NUMBERS) for dtype in (complex, bool, "U3")),
    ],
)
def test_an_array_that_would_make_a_wrong_number_is_refused(npy, array, words):
    with pytest.raises(EvaluationError, match=words):
        read_embeddings(npy(array), NETWORK)


def test_some_zero_vectors_are_noted(npy):
    embeddings = read_embeddings(npy(VECTORS * [[1], [0], [1]]), NETWORK)
    assert embeddings.notes == ("1 of 3 vectors are zero",)


class Trap:
    """Unpickling it would make a folder."""

    def __init__(self, folder):
        self.folder = folder

    def __reduce__(self):
        return (type(self.folder).mkdir, (self.folder,))


def npy_bytes(array):
    contents = io.BytesIO()
    np.save(contents, array, allow_pickle=True)
    return contents.getvalue()


BAD_BYTES = {
    "pickle": (lambda trap: pickle.dumps(trap), "a pickle or an archive"),
    "pickle inside": (lambda trap: npy_bytes(np.array([trap], dtype=object)), "cannot be read as an array of numbers"),
    "truncated": (lambda _: npy_bytes(VECTORS)[:-8], "cannot be read as an array of numbers"),
    "shape that is no number": (
        lambda _: npy_bytes(np.zeros((3, 4))).replace(b"'shape': (3, 4), }   ", b"'shape': (True, 4), }"),
        "cannot be read as an array of numbers",
    ),
    "no text": (lambda _: b"\xff\xfe\x00\x01", "neither an npy file nor word2vec text"),
}


@pytest.mark.parametrize(("contents", "words"), BAD_BYTES.values(), ids=BAD_BYTES.keys())
def test_bytes_that_are_no_vectors_are_refused_and_no_pickle_is_opened(tmp_path, contents, words):
    path = tmp_path / "mine.npy"
    path.write_bytes(contents(Trap(tmp_path / "made")))
    with pytest.raises(EvaluationError, match=words):
        read_embeddings(path, NETWORK)
    assert not (tmp_path / "made").exists()


def test_an_array_of_holes_is_refused_before_it_becomes_memory(tmp_path):
    path = tmp_path / "mine.npy"
    np.lib.format.open_memmap(path, "w+", np.float64, (3, 500_000_000)).flush()
    with pytest.raises(EvaluationError, match=r"says that it has 12,000,000,128 bytes, but holds [\d,]+; the rest are"):
        read_embeddings(path, NETWORK)


@pytest.mark.parametrize("kind", ["folder", "pipe", "device"])
def test_what_is_no_regular_file_is_refused(tmp_path, kind):
    path = Path("/dev/zero") if kind == "device" else tmp_path / kind
    if kind == "folder":
        path.mkdir()
    elif kind == "pipe":
        os.mkfifo(path)
    with pytest.raises(EvaluationError, match=f"{path}: is not a regular file"):
        read_embeddings(path, NETWORK)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(EvaluationError, match=r"none\.npy: cannot be read: No such file"):
        read_embeddings(tmp_path / "none.npy", NETWORK)


def test_row_numbers_are_not_taken_for_labels(text):
    """Nodes 1, 2 and 3 and a file of 0, 1 and 2: two of its vectors would go to other nodes without a word."""
    network = replace(NETWORK, labels=pa.array(["1", "2", "3"], pa.large_string()))
    with pytest.raises(EvaluationError, match=r"labels are 0 to 2, .* labelled 1, 2, …: are they row numbers\?"):
        read_embeddings(text("3 1\n0 .1\n1 .2\n2 .3\n"), network)
    fewer = read_embeddings(text("2 1\n1 .2\n2 .3\n"), network)
    assert fewer.missing.tolist() == [False, False, True]


def test_word2vec_text_is_matched_by_label(text):
    embeddings = read_embeddings(text("3 2\n2 5 6.5\n0 1 2 \n1 3 4\n"), NETWORK)
    assert np.array_equal(embeddings.vectors, VECTORS)
    assert not embeddings.missing.any()


@pytest.mark.parametrize(
    ("labels", "content"),
    [
        (["ann", "van der Meer", "zoe b"], "3 2\nzoe b 5 6.5\nann 1 2\nvan der Meer 3 4\n"),
        (["a", "a\u00a0", "\u2003b c"], "3 2\n\u2003b c 5 6.5\na\u00a0 3 4\na\t1 2\n"),
    ],
    ids=["spaces", "no-break and wide spaces"],
)
def test_a_label_may_hold_spaces(text, labels, content):
    embeddings = read_embeddings(text(content), replace(NETWORK, labels=pa.array(labels)))
    assert np.array_equal(embeddings.vectors, VECTORS)


def test_labels_that_the_text_does_not_have_are_missing_and_counted(text):
    embeddings = read_embeddings(text("2 2\n0 1 2\n2 5 6\n"), NETWORK)
    assert embeddings.missing.tolist() == [False, True, False]
    assert embeddings.notes == ("1 of 3 nodes have no vector; zero stands for it",)


def test_labels_that_the_network_does_not_have_are_counted(text):
    embeddings = read_embeddings(text("4 1\n</s> 9\n0 1\n1 2\n2 3\n"), NETWORK)
    assert embeddings.vectors[:, 0].tolist() == [1, 2, 3]
    assert embeddings.notes == ("1 labels are not in the network and were left out, the first is </s>",)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", ":1: neither an npy file nor word2vec text"),
        ("0 0.1 0.2\n", ":1: neither an npy file nor word2vec text"),
        ("3 2\n0 1 2\n1 3\n", ":3: 1 values after the label; line 1 says 2"),
        ("3 2\n0 1 2\n\n2 3 4\n", ":3: 0 values after the label"),
        ("3 2\n0 1 2\n1 3 x\n", ":3: could not convert string to float: 'x'"),
        ("3 2\n0 1 2\n0 3 4\n", ":3: the label 0 occurs a second time"),
        ("3 2\n0 1 2\n1 3 4\n", "2 vectors, but line 1 says 3"),
        ("1 2\nanna 1 2\n", "none of its labels is a node of the network; its first is anna, the network's first is 0"),
        ("3 2\n0 nan 2\n1 3 4\n2 5 6\n", "have NaN, infinite values or values beyond 1e+38, first node 0"),
    ],
)
def test_bad_text_names_the_line(text, content, message):
    with pytest.raises(EvaluationError) as error:
        read_embeddings(text(content), NETWORK)
    assert message in str(error.value)


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e6, 1e300])
def test_in_the_common_unit_coordinates_of_seen_nodes_have_mean_square_one(scale):
    unseen = np.array([False, True, False])
    scaled = to_common_unit(VECTORS * scale, unseen)
    assert np.mean(scaled[~unseen] ** 2) == pytest.approx(1)
    # One number divides all, those of unseen nodes as well.
    assert scaled == pytest.approx(VECTORS * (scaled[0, 0] / VECTORS[0, 0]))


def test_vectors_of_float32_in_the_common_unit_are_those_of_float64():
    unseen = np.zeros(3, dtype=bool)
    found = to_common_unit(VECTORS.astype(np.float32), unseen)
    assert found.dtype == np.float64
    assert found == pytest.approx(to_common_unit(VECTORS, unseen), rel=1e-12)


def test_vectors_of_zeros_have_no_unit_and_stay():
    unseen = np.array([False, True, False])
    only_unseen = np.where(unseen[:, None], VECTORS, 0.0)
    assert np.array_equal(to_common_unit(np.zeros((3, 2)), unseen), np.zeros((3, 2)))
    assert np.array_equal(to_common_unit(only_unseen, unseen), only_unseen)
    assert np.array_equal(to_common_unit(VECTORS, np.ones(3, dtype=bool)), VECTORS)
