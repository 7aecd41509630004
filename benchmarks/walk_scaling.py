"""Node2Vec and CTDNE from 100,000 to 5 million edges: cost per step and per token, and peak memory at Tmall's size.

All on one thread, in seconds of CPU. Sub-sampling is off, so that every token costs the same number of updates in every
network. The work per step and token does not grow with the network (but for the logarithm of a degree), the wait for
memory does: at 100,000 edges all arrays fit the cache, at 5 million the vectors alone take 614 MB.

Memory is that of a whole fit on Tmall's size with fewer walks: it does not depend on their number, except for
two bytes per kept walk in CTDNE (at most 0.8 GB with Tmall's full budget).
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.measurement import Measurement
from datasets.network import TemporalNetwork
from datasets.synthetic import generate
from methods.run import Run
from methods.walks.corpus import Sentences, count_tokens, walking_threads, word2vec
from methods.walks.forward import forward_walks
from methods.walks.static import static_walks
from methods.walks.static_graph import StaticGraph, merged_graph

SMALL, LARGE = (12_000, 100_000), (600_000, 5_000_000)  # nodes, edges
TMALL = (577_314, 4_807_545)
MEMORY_LIMIT_GB = 12
FLAT = 1 / 1.2  # the promise: no more than 20% dearer per item
SKIP_GRAM = {
    "dimensions": 128, "window": 10, "negatives": 5, "subsampling": 0.0, "epochs": 1, "learning_rate": 0.025,
    "final_learning_rate": 0.0001,
}  # fmt: skip


def measure() -> list[Measurement]:
    with walking_threads(1):
        small, large = (nanoseconds(generate(*size, seed=1)) for size in (SMALL, LARGE))
    data = f"generated: {LARGE[1]} edges (ours) and {SMALL[1]} edges (peer), 1 thread"
    costs = [
        Measurement(f"flat cost: {what}", large[what], small[what], "CPU ns", data, target=FLAT, lower_is_better=True)
        for what in small
    ]
    return costs + [peak_memory(name, settings) for name, settings in TRUNCATED.items()]


def nanoseconds(network: TemporalNetwork) -> dict[str, float]:
    """CPU time per step of each kind of walk, and per token of training."""
    graph = merged_graph(network)
    starts = np.random.default_rng(1).permutation(network.n_nodes)[:10_000].astype(np.int32)
    numbers = np.arange(100_000)
    forward_steps = np.count_nonzero(forward_walks(network, numbers, 80, allow_ties=False, seed=1) >= 0)
    return {
        "static step, p=q=1": per_item(lambda: static_walks(graph, starts, 80, 1, 1, seed=1), len(starts) * 79),
        "static step, p=0.5, q=2": per_item(lambda: static_walks(graph, starts, 80, 0.5, 2, seed=1), len(starts) * 79),
        "forward step": per_item(lambda: forward_walks(network, numbers, 80, False, seed=1), int(forward_steps)),
        "skip-gram token": per_token(graph),
    }


def per_item(action: Callable[[], object], items: int) -> float:
    action()
    seconds = []
    for _ in range(5):
        start = time.process_time()
        action()
        seconds.append(time.process_time() - start)
    return min(seconds) / items * 1e9


def per_token(graph: StaticGraph) -> float:
    """Training on a few walks, over the vocabulary that walks from all nodes have."""
    n_nodes = len(graph.offsets) - 1
    starts = np.random.default_rng(1).permutation(n_nodes).astype(np.int32)
    walks = static_walks(graph, starts[:1500], 80, 1, 1, seed=1)
    counts = count_tokens(iter([static_walks(graph, starts, 20, 1, 1, seed=2), walks]), n_nodes)
    by_frequency = np.argsort(-counts, kind="stable")
    word = np.empty(n_nodes, dtype=np.int32)
    word[by_frequency] = np.arange(n_nodes)
    model = word2vec(counts[by_frequency], SKIP_GRAM, Run(seed=1))
    sentences = Sentences(walks, word)
    return per_item(lambda: model.train(corpus_iterable=sentences, total_words=walks.size, epochs=1), walks.size)


TRUNCATED = {
    "node2vec": ["walks_per_node=1", "walk_length=5"],
    "ctdne": ["walks_per_node=1", "walk_length=5", "window=5"],
}


def peak_memory(method: str, settings: list[str]) -> Measurement:
    """Peak resident memory of a fit in its own process, as fit.json has it."""
    with tempfile.TemporaryDirectory() as folder:
        network, out = Path(folder) / "network.arrow", Path(folder) / "fit"
        generate(*TMALL, seed=1).save(network)
        words = [word for setting in settings for word in ("--set", setting)]
        subprocess.run(
            [sys.executable, "-m", "methods", "fit", method, "--network", network, "--out", out, *words], check=True
        )
        fitted = json.loads((out / "fit.json").read_text())
    data = f"generated: {TMALL[0]} nodes, {TMALL[1]} edges; {', '.join(settings)}; peer is the limit"
    gigabytes = fitted["peak_bytes"] / 1e9
    return Measurement(
        f"peak memory: {method} at Tmall's size", gigabytes, MEMORY_LIMIT_GB, "GB", data, 1, lower_is_better=True
    )
