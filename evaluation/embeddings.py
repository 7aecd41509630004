"""Reading vectors from anywhere (npy, or word2vec text with labels) and checking that they can be evaluated."""

import tokenize
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from datasets.network import TemporalNetwork
from evaluation.errors import EvaluationError

NPY_START = b"\x93NUMPY"
# The largest value of a vector: its square, summed over all dimensions, is far from overflowing.
LARGEST = 1e38
UNSEEN_POLICIES = ("drop", "zero", "mean")


@dataclass(frozen=True, eq=False)
class Embeddings:
    """One vector per node of the network; `missing` marks nodes that the file has no vector for."""

    vectors: NDArray[np.floating]
    missing: NDArray[np.bool_]
    notes: tuple[str, ...] = ()


def read_embeddings(path: Path, network: TemporalNetwork) -> Embeddings:
    """Vectors in the order of the network's nodes; every defect that would make a silent wrong number is an error."""
    try:
        with path.open("rb") as file:
            start = file.read(len(NPY_START))
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
    # numpy reads the header with Python's own tokenizer, which has errors of its own.
    except (ValueError, OSError, EOFError, SyntaxError, tokenize.TokenError, MemoryError, OverflowError) as error:
        raise EvaluationError(f"{path}: cannot be read as an array of numbers ({error})") from None
    if vectors.ndim != 2 or vectors.shape[1] == 0:
        raise EvaluationError(
            f"{path}: the array has shape {vectors.shape}; it must have one row per node and at least one column"
        )
    if vectors.dtype.kind not in "fiu":
        raise EvaluationError(f"{path}: the array holds {vectors.dtype}; it must hold real numbers")
    if len(vectors) != network.n_nodes:
        raise EvaluationError(
            f"{path}: {len(vectors)} rows, but the network has {network.n_nodes} nodes; row i must be the vector of "
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
        # From the right, because a label may hold spaces.
        label, *values = line.rsplit(None, dimensions) or [""]
        if len(values) != dimensions:
            raise EvaluationError(f"{path}:{number}: {len(values)} values after the label; line 1 says {dimensions}")
        label = label.strip()
        node = node_of.get(label)
        if node is None:
            unknown.append(label)
            continue
        if not missing[node]:
            raise EvaluationError(f"{path}:{number}: the label {label[:60]} occurs a second time")
        try:
            vectors[node] = [float(value) for value in values]
        except ValueError as error:
            raise EvaluationError(f"{path}:{number}: {str(error)[:100]}") from None
        missing[node] = False
    if number - 1 != int(header[0]):
        raise EvaluationError(f"{path}: {number - 1} vectors, but line 1 says {header[0]}; the file may be cut short")
    if missing.all():
        raise EvaluationError(
            f"{path}: none of its labels is a node of the network; its first is "
            f"{unknown[0][:60] if unknown else '(none)'}, the network's first is {network.labels[0]}"
        )
    notes = []
    if unknown:
        notes.append(f"{len(unknown)} labels are not in the network and were left out, the first is {unknown[0][:60]}")
    if missing.any():
        notes.append(f"{np.count_nonzero(missing)} of {network.n_nodes} nodes have no vector; zero stands for it")
    return Embeddings(vectors, missing, tuple(notes))


def check_embeddings(embeddings: Embeddings, network: TemporalNetwork, path: Path) -> Embeddings:
    """Refuse vectors that are not finite, too large or all zero; note the nodes whose vector is zero."""
    vectors, present = embeddings.vectors, ~embeddings.missing
    usable = (np.abs(vectors) <= LARGEST).all(axis=1)  # NaN is not, either
    if not usable.all():
        node = int(np.flatnonzero(~usable)[0])
        raise EvaluationError(
            f"{path}: {np.count_nonzero(~usable)} vectors have NaN, infinite values or values beyond {LARGEST:g}, "
            f"first node {node} (label {network.labels[node]})"
        )
    if not vectors[present].any():
        raise EvaluationError(f"{path}: every vector is zero")
    zero = present & ~vectors.any(axis=1)
    if not zero.any():
        return embeddings
    note = f"{np.count_nonzero(zero)} of {network.n_nodes} vectors are zero"
    return replace(embeddings, notes=(*embeddings.notes, note))


def apply_unseen_policy(vectors: NDArray[np.floating], unseen: NDArray[np.bool_], policy: str) -> NDArray[np.floating]:
    """One rule for all methods: a node without training contact has the zero vector, or the mean of the others.

    What a method leaves there (a random start, a zero) says nothing about the node. With `drop` the examples go, not
    the vectors.
    """
    if policy == "drop" or not unseen.any():
        return vectors
    vectors = np.array(vectors)
    vectors[unseen] = 0 if policy == "zero" else vectors[~unseen].mean(axis=0, dtype=np.float64)
    return vectors


def to_common_unit(vectors: NDArray[np.floating], unseen: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Divided by one number, so that the coordinates of nodes with training contact have mean square 1.

    The classifier's penalty depends on the length of its features. Unit vectors and vectors of length 10 would be
    penalized differently, so a method's choice of unit would be part of its score.
    """
    seen = np.abs(vectors[~unseen], dtype=np.float64)
    largest = seen.max(initial=0.0)
    if largest == 0:
        return vectors.astype(np.float64)
    return vectors / (largest * np.sqrt(np.mean((seen / largest) ** 2)))
