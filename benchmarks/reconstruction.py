"""Network reconstruction: ours against sorting the whole similarity matrix with numpy, on the same vectors."""

import tracemalloc
from collections.abc import Callable

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.measurement import Measurement, best_seconds
from evaluation.reconstruction.precision import SIMILARITIES, Sample, precision_of_draw, sample_nodes
from networks.network import TemporalNetwork

NODES, DIMENSIONS = 5_000, 128  # a quarter of the paper's pairs: with all of them the peer needs four times the memory
PAIRS = [100, 1_000, 10_000, 100_000, 1_000_000]


def measure() -> list[Measurement]:
    network, vectors = random_data(n_nodes=20_000, n_edges=200_000)
    sample = sample_nodes(network, NODES, draw_seed=0, draw=1)
    ours, peer = precision_of_draw(vectors, sample, PAIRS), sort_everything(vectors, sample)
    if not np.allclose(ours, peer, atol=1e-5):  # the peer breaks ties as they come
        raise AssertionError(f"ours {ours} and the peer {peer} disagree; a ratio of speeds would mean nothing")

    def run_ours() -> object:
        return precision_of_draw(vectors, sample, PAIRS)

    def run_peer() -> object:
        return sort_everything(vectors, sample)

    data = f"{NODES:,} of 20,000 random nodes, {DIMENSIONS} dimensions, {sample.n_pairs:,} pairs"
    millions = len(SIMILARITIES) * sample.n_pairs / 1e6
    return [
        Measurement(
            "reconstruction: pairs ranked per second",
            millions / best_seconds(run_ours),
            millions / best_seconds(run_peer),
            "million pairs/s",
            data,
        ),
        Measurement(
            "reconstruction: peak memory", peak_megabytes(run_ours), peak_megabytes(run_peer), "MB", data,
            lower_is_better=True,
        ),
    ]  # fmt: skip


def random_data(n_nodes: int, n_edges: int) -> tuple[TemporalNetwork, NDArray[np.float32]]:
    random = np.random.default_rng(1)
    source = random.integers(0, n_nodes, n_edges).astype(np.int32)
    target = ((source + random.integers(1, n_nodes, n_edges)) % n_nodes).astype(np.int32)
    labels = pa.array([str(node) for node in range(n_nodes)], pa.large_string())
    network = TemporalNetwork(source, target, np.arange(n_edges), labels)
    return network, random.normal(size=(n_nodes, DIMENSIONS)).astype(np.float32)


def sort_everything(vectors: NDArray[np.float32], sample: Sample) -> NDArray[np.float64]:
    """The straightforward way: per similarity the whole matrix, all pairs in order, a running count of edges."""
    sampled = vectors[sample.nodes].astype(np.float64)
    squared = (sampled**2).sum(axis=1)
    is_edge = np.zeros((len(sampled), len(sampled)), dtype=bool)
    is_edge[sample.edge_rows, sample.edge_columns] = True
    upper = np.triu_indices(len(sampled), k=1)
    rows = []
    for name in SIMILARITIES:
        similarity = sampled @ sampled.T
        if name == "cosine":
            similarity /= np.sqrt(np.outer(squared, squared))
        elif name == "euclidean":
            similarity = 2 * similarity - squared[:, None] - squared[None, :]
        order = np.argsort(-similarity[upper].astype(np.float32), kind="stable")
        found = np.cumsum(is_edge[upper][order])
        rows.append([found[count - 1] / count for count in PAIRS])
    return np.array(rows)


def peak_megabytes(action: Callable[[], object]) -> float:
    """What the action allocates at most; numpy reports its arrays to tracemalloc."""
    tracemalloc.start()
    action()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 1e6
