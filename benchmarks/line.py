"""LINE's samples per second against the published algorithm in plain C."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

from benchmarks.measurement import Measurement
from benchmarks.peers.plain_line import PlainLine
from methods.kernels.static_graph import merged_graph, pairs_once
from methods.line.training import Half, WeightedGraph, initial_half, load_kernel, train_epoch, weighted_graph
from networks.network import TemporalNetwork
from networks.synthetic import generate

N_NODES, N_EDGES = 28_085, 206_000  # some 150,000 distinct pairs, as HTNE's DBLP
DIMENSIONS, NEGATIVES, LEARNING_RATE = 64, 5, 0.025
SAMPLES, REPEATS = 3_000_000, 4


def measure() -> Iterator[Measurement]:
    """Ours and the peer take turns, so that a busy spell of the machine strikes both."""
    threads = os.cpu_count() or 1
    network = generate(N_NODES, N_EDGES, seed=1)
    graph = weighted_graph(network)
    data = (
        f"generated: {N_NODES} nodes, {graph.n_edges} pairs; {DIMENSIONS} dimensions, {NEGATIVES} negatives, "
        f"{threads} threads; peer built with gcc -Ofast -march=native"
    )
    with tempfile.TemporaryDirectory() as folder:
        peer = plain_line(network, Path(folder))
        for order, word in ((1, "first"), (2, "second")):
            half = initial_half(order, N_NODES, DIMENSIONS, seed=1)
            ours, theirs = [], []
            for _ in range(REPEATS):
                ours.append(seconds_per_sample(half, graph, threads))
                start = time.perf_counter()
                peer.train(SAMPLES, order, NEGATIVES, threads, LEARNING_RATE)
                theirs.append((time.perf_counter() - start) / SAMPLES)
            name = f"LINE, {word} order / plain C"
            yield Measurement(name, 1 / min(ours), 1 / min(theirs), "samples/s", data, target=2)


def seconds_per_sample(
    half: Half, graph: WeightedGraph, threads: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    load_kernel(half, graph)
    epochs = max(1, round(SAMPLES / graph.n_edges))
    with ThreadPoolExecutor(threads) as pool:
        start = clock()
        for epoch in range(epochs):
            train_epoch(half, graph, epoch, 100, NEGATIVES, LEARNING_RATE, 1, threads, pool)
        return (clock() - start) / (epochs * graph.n_edges)


def plain_line(network: TemporalNetwork, folder: Path) -> PlainLine:
    pairs, weights = pairs_once(merged_graph(network))
    return PlainLine(network.n_nodes, pairs, weights.astype(np.float32), DIMENSIONS, folder)
