"""What a method hands over: the record of its fit, and vectors (npy, or word2vec text with labels), checked."""

import tokenize
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from evaluation.errors import EvaluationError
from harness.errors import UserError
from harness.files import read_json, refuse_unusual_file
from networks.network import TemporalNetwork

NPY_START = b"\x93NUMPY"
# The largest value of a vector: its square, summed over all dimensions, is far from overflowing.
LARGEST = 1e38
# numpy reads the header with Python's own tokenizer, which has errors of its own.
UNREADABLE_NPY = (
    ValueError,
    TypeError,
    OSError,
    EOFError,
    SyntaxError,
    tokenize.TokenError,
    MemoryError,
    OverflowError,
)


@dataclass(frozen=True, eq=False)
class Embeddings:
    """One vector per node of the network; `missing` marks nodes that the file has no vector for."""

    vectors: NDArray[np.floating]
    missing: NDArray[np.bool_]
    notes: tuple[str, ...] = ()


def read_record(path: Path) -> dict[str, Any]:
    """fit.json or score.json as a mapping, whose `network`, if it has one, is a mapping too."""
    record = read_json(path)
    if not isinstance(record, dict) or not isinstance(record.get("network", {}), dict):
        raise EvaluationError(f"{path}: is not the record of a fit; run the method again")
    return record


def read_embeddings(path: Path, network: TemporalNetwork) -> Embeddings:
    """Vectors in the order of the network's nodes; every defect that would make a silent wrong number is an error."""
    try:
        refuse_unusual_file(path)
        with path.open("rb") as file:
            start = file.read(len(NPY_START))
    except UserError as error:
        raise EvaluationError(str(error)) from None
    except OSError as error:
        raise EvaluationError(f"{path}: cannot be read: {error.strerror}") from None
    if start == NPY_START:
        embeddings = Embeddings(read_npy(path, network), np.zeros(network.n_nodes, dtype=np.bool_))
    elif start[:1] == b"\x80" or start[:2] == b"PK":
        raise EvaluationError(
            f"{path}: a pickle or an archive, which is not opened because it could run code; "
            "save the array alone with numpy.save"
        )
    else:
        embeddings = read_word2vec(path, network)
    return check_embeddings(embeddings, network, path)


def read_npy(path: Path, network: TemporalNetwork) -> NDArray[np.floating]:
    try:
        vectors = np.load(path, mmap_mode="r", allow_pickle=False)
    except UNREADABLE_NPY as error:
        raise EvaluationError(f"{path}: cannot be read as an array of numbers ({error})") from None
    return _one_row_per_node(vectors, network, path)


def checked_vectors(vectors: NDArray[np.floating], network: TemporalNetwork, where: str) -> NDArray[np.floating]:
    """Vectors from memory, refused for the same reasons as those of a file."""
    rows = _one_row_per_node(np.asarray(vectors), network, where)
    return check_embeddings(Embeddings(rows, np.zeros(len(rows), dtype=np.bool_)), network, where).vectors


def _one_row_per_node(vectors: NDArray[Any], network: TemporalNetwork, where: Path | str) -> NDArray[np.floating]:
    if vectors.ndim != 2 or vectors.shape[1] == 0:
        raise EvaluationError(
            f"{where}: the array has shape {vectors.shape}; it must have one row per node and at least one column"
        )
    if vectors.dtype.kind not in "fiu":
        raise EvaluationError(f"{where}: the array holds {vectors.dtype}; it must hold real numbers")
    if len(vectors) != network.n_nodes:
        raise EvaluationError(
            f"{where}: {len(vectors)} rows, but the network has {network.n_nodes} nodes; row i must be the vector of "
            "node i (use word2vec text with labels if the order differs)"
        )
    return vectors if vectors.dtype in (np.float32, np.float64) else vectors.astype(np.float64)


def read_word2vec(path: Path, network: TemporalNetwork) -> Embeddings:
    """Text: a first line `nodes dimensions`, then one line `label value value …` per node, in any order."""
    try:
        with path.open(encoding="utf-8") as file:
            return _read_lines(file, path, network)
    except UnicodeDecodeError:
        raise EvaluationError(f"{path}: neither an npy file nor word2vec text") from None


def _read_lines(lines: TextIO, path: Path, network: TemporalNetwork) -> Embeddings:
    header = lines.readline().split()
    if len(header) != 2 or not all(word.isdecimal() and len(word) < 19 for word in header):
        raise EvaluationError(
            f"{path}:1: neither an npy file nor word2vec text; that starts with a line `nodes dimensions`"
        )
    dimensions = int(header[1])
    # A value takes two bytes at least; a header that promises more would cost memory for nothing.
    if 2 * max(1, int(header[0])) * dimensions > path.stat().st_size:
        raise EvaluationError(
            f"{path}:1: {header[0]} vectors of {dimensions} values do not fit into the file; it may be cut short"
        )
    node_of = {label: node for node, label in enumerate(network.labels.to_pylist())}
    vectors = np.zeros((network.n_nodes, dimensions), dtype=np.float32)
    missing = np.ones(network.n_nodes, dtype=np.bool_)
    unknown: list[str] = []
    number = 1
    for number, line in enumerate(lines, start=2):
        # From the right, because a label may hold spaces. As bytes, which are cut at ASCII spaces alone: a no-break
        # space at the end of a label belongs to it.
        first, *values = line.encode().rsplit(None, dimensions) or [b""]
        if len(values) != dimensions:
            raise EvaluationError(f"{path}:{number}: {len(values)} values after the label; line 1 says {dimensions}")
        label = first.strip().decode()
        node = node_of.get(label)
        if node is None:
            unknown.append(label)
            continue
        if not missing[node]:
            raise EvaluationError(f"{path}:{number}: the label {label[:60]} occurs a second time")
        try:
            vectors[node] = [float(value) for value in values]
        except ValueError as error:
            sentence = str(error).replace("b'", "'")[:100]
            raise EvaluationError(f"{path}:{number}: {sentence}") from None
        missing[node] = False
    if number - 1 != int(header[0]):
        raise EvaluationError(f"{path}: {number - 1} vectors, but line 1 says {header[0]}; the file may be cut short")
    if missing.all():
        raise EvaluationError(
            f"{path}: none of its labels is a node of the network; its first is "
            f"{unknown[0][:60] if unknown else '(none)'}, the network's first is {network.labels[0]}"
        )
    if unknown and _are_row_numbers(unknown, missing, network):
        raise EvaluationError(
            f"{path}: its labels are 0 to {network.n_nodes - 1}, but the network's nodes are labelled "
            f"{network.labels[0]}, {network.labels[1]}, …: are they row numbers? If so, save the array by numpy.save, "
            "row i for node i; if not, write the network's labels"
        )
    notes = []
    if unknown:
        notes.append(f"{len(unknown)} labels are not in the network and were left out, the first is {unknown[0][:60]}")
    if missing.any():
        notes.append(f"{np.count_nonzero(missing)} of {network.n_nodes} nodes have no vector; zero stands for it")
    return Embeddings(vectors, missing, tuple(notes))


def _are_row_numbers(unknown: list[str], missing: NDArray[np.bool_], network: TemporalNetwork) -> bool:
    """Whether the file's labels are exactly 0 to n-1, which are not the network's: known ones would be misplaced."""
    known = network.labels.filter(pa.array(~missing)).to_pylist()
    return {*unknown, *known} == set(map(str, range(network.n_nodes)))


def check_embeddings(embeddings: Embeddings, network: TemporalNetwork, where: Path | str) -> Embeddings:
    """Refuse vectors that are not finite, too large or all zero; note the nodes whose vector is zero."""
    vectors, present = embeddings.vectors, ~embeddings.missing
    usable = (np.abs(vectors) <= LARGEST).all(axis=1)  # NaN is not, either
    if not usable.all():
        node = int(np.flatnonzero(~usable)[0])
        raise EvaluationError(
            f"{where}: {np.count_nonzero(~usable)} vectors have NaN, infinite values or values beyond {LARGEST:g}, "
            f"first node {node} (label {network.labels[node]})"
        )
    if not vectors[present].any():
        raise EvaluationError(f"{where}: every vector is zero")
    zero = present & ~vectors.any(axis=1)
    if not zero.any():
        return embeddings
    note = f"{np.count_nonzero(zero)} of {network.n_nodes} vectors are zero"
    return replace(embeddings, notes=(*embeddings.notes, note))


def to_common_unit(vectors: NDArray[np.floating], unseen: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Divided by one number, so that the coordinates of nodes with training contact have mean square 1.

    The classifier's penalty depends on the length of its features. Unit vectors and vectors of length 10 would be
    penalized differently, so a method's choice of unit would be part of its score.
    """
    seen = np.abs(vectors[~unseen], dtype=np.float64)
    largest = seen.max(initial=0.0)
    if largest == 0:
        return vectors.astype(np.float64)
    seen /= largest
    return vectors / (largest * np.sqrt(np.mean(np.square(seen, out=seen))))
