"""The baselines from 100,000 to 5 million edges: cost per step, token, sample and edge, on one thread, in CPU time.

The number of operations per item does not grow with the network (but for the logarithm of a degree), the wait for
memory does: at 100,000 edges all tables fit the caches, at 5 million the vectors alone take 307 MB. How much of a cost
that explains is measured too: random rows of a table of vectors are moved, asked for in advance as LINE does, and
nothing is computed. Sub-sampling is off, so that every token costs the same number of updates in every network.
"""

import time
from collections.abc import Callable, Iterator

import numba
import numpy as np
from numpy.typing import NDArray

from benchmarks import htne, line
from benchmarks.measurement import Measurement
from methods.contract.run import Run
from methods.kernels.forward_walks import forward_walks, time_order
from methods.kernels.rows import aligned_rows, prefetch
from methods.kernels.skip_gram import Sentences, count_tokens, walking_threads, word2vec
from methods.kernels.static_graph import WalkGraph, merged_graph, walk_graph
from methods.kernels.static_walks import static_walks
from methods.line.training import initial_half, weighted_graph
from networks.network import TemporalNetwork
from networks.synthetic import generate

SMALL, DIGG, LARGE = (12_000, 100_000), (279_630, 1_731_653), (600_000, 5_000_000)  # nodes, edges
FLAT = 1 / 1.2  # the target: no more than 20% dearer per item
REPEATS = 5
ROWS = "seven rows of 64 float32 moved, nothing computed"
ROWS_AHEAD = 8  # 4 to 32 measured within noise
N_WALKS, WALK_LENGTH = 10_000, 80
SKIP_GRAM = {
    "dimensions": 128, "window": 10, "negatives": 5, "subsampling": 0.0, "epochs": 1, "learning_rate": 0.025,
    "final_learning_rate": 0.0001,
}  # fmt: skip


def measure() -> Iterator[Measurement]:
    small = costs_at(SMALL)
    for size in (DIGG, LARGE):
        data = f"generated: {size[0]:,} nodes (ours) and {SMALL[0]:,} nodes, {SMALL[1]:,} edges (peer), 1 thread"
        for item, cost in costs_at(size).items():
            name, target = f"cost at {size[1]:,} edges: {item}", None if item == ROWS else FLAT
            yield Measurement(name, cost, small[item], "CPU ns", data, target, lower_is_better=True)


def costs_at(size: tuple[int, int]) -> dict[str, float]:
    with walking_threads(1):
        return nanoseconds(generate(*size, seed=1))


def nanoseconds(network: TemporalNetwork) -> dict[str, float]:
    """CPU time of every kind of item."""
    graph = walk_graph(merged_graph(network))
    return {
        "static step, p=1, q=1": static_step(graph, 1, 1),
        "static step, p=0.5, q=2": static_step(graph, 0.5, 2),
        "forward step": forward_step(network),
        "skip-gram token (gensim)": skip_gram_token(graph),
        "LINE sample, first order": line_sample(network, order=1),
        "LINE sample, second order": line_sample(network, order=2),
        "HTNE edge": htne_edge(network),
        ROWS: seven_rows(network.n_nodes),
    }


def static_step(graph: WalkGraph, p: float, q: float) -> float:
    starts = random_nodes(graph)[:N_WALKS]
    return per_item(lambda: static_walks(graph, starts, WALK_LENGTH, p, q, seed=1), N_WALKS * (WALK_LENGTH - 1))


def forward_step(network: TemporalNetwork) -> float:
    order, numbers = time_order(network, allow_ties=False), np.arange(10 * N_WALKS)  # most walks are short
    n_nodes = int(np.count_nonzero(forward_walks(order, numbers, WALK_LENGTH, seed=1) >= 0))
    return per_item(lambda: forward_walks(order, numbers, WALK_LENGTH, seed=1), n_nodes)


def skip_gram_token(graph: WalkGraph) -> float:
    """Training on a few walks, over the vocabulary that walks from all nodes have."""
    starts = random_nodes(graph)
    walks = static_walks(graph, starts[:1500], WALK_LENGTH, 1, 1, seed=1)
    counts = count_tokens(iter([static_walks(graph, starts, 20, 1, 1, seed=2), walks]), len(starts))
    by_frequency = np.argsort(-counts, kind="stable")
    word = np.empty(len(starts), dtype=np.int32)
    word[by_frequency] = np.arange(len(starts))
    model = word2vec(counts[by_frequency], SKIP_GRAM, Run(seed=1))
    sentences = Sentences(walks, word)
    return per_item(lambda: model.train(corpus_iterable=sentences, total_words=walks.size, epochs=1), walks.size)


def line_sample(network: TemporalNetwork, order: int) -> float:
    graph, half = weighted_graph(network), initial_half(order, network.n_nodes, line.DIMENSIONS, seed=1)
    return min(line.seconds_per_sample(half, graph, 1, time.process_time) for _ in range(REPEATS)) * 1e9


def htne_edge(network: TemporalNetwork) -> float:
    trial = htne.Trial(network, n_events=200_000)
    return min(trial.train(1, time.process_time)[0] for _ in range(REPEATS)) * 1e9


def seven_rows(n_nodes: int) -> float:
    """As many rows as a LINE sample moves, out of two tables, as in its second order."""
    table = aligned_rows(2 * n_nodes, line.DIMENSIONS)
    n_rows = 7 * 200_000
    rows = np.random.default_rng(1).integers(len(table), size=n_rows + ROWS_AHEAD, dtype=np.int32)
    return per_item(lambda: move_rows(table, rows), n_rows // 7)


@numba.njit(cache=True)
def move_rows(table, rows):
    for i in range(len(rows) - ROWS_AHEAD):
        prefetch(table, rows[i + ROWS_AHEAD])
        row = rows[i]
        for column in range(table.shape[1]):
            table[row, column] += np.float32(1.0)


def random_nodes(graph: WalkGraph) -> NDArray[np.int32]:
    return np.random.default_rng(1).permutation(len(graph.offsets) - 1).astype(np.int32)


def per_item(action: Callable[[], object], items: int) -> float:
    """Nanoseconds of CPU per item: the least of a few calls after a first one."""
    action()
    seconds = []
    for _ in range(REPEATS):
        start = time.process_time()
        action()
        seconds.append(time.process_time() - start)
    return min(seconds) / items * 1e9
