"""EHNA's training speed against the literal method in plain torch, on a network of the size of HTNE's DBLP."""

import os
import time
from typing import Any

import numpy as np
import torch

from benchmarks.measurement import Measurement
from benchmarks.peers.plain_ehna import PlainEHNA
from datasets.network import TemporalNetwork
from datasets.synthetic import generate
from methods.ehna.aggregation import Architecture
from methods.ehna.batches import Batch, Sampling, Source, make_batch, windowed_batches
from methods.ehna.model import Model, new_model
from methods.ehna.parallel import Workers
from methods.ehna.training import train_batch
from methods.registry import load_method

N_NODES, N_EDGES = 28_085, 236_894
BATCHES = 3


def measure() -> list[Measurement]:
    network = generate(N_NODES, N_EDGES, seed=1)
    defaults = load_method("ehna").defaults
    threads = os.cpu_count() or 1
    data = f"generated: {N_NODES} nodes, {N_EDGES} edges; {describe(defaults)}; {threads} threads"
    speeds, seconds, operations = {}, 0.0, 0.0
    for context in ("in_batch", "two_hop"):
        params = defaults | {"negative_context": context}
        model, batches = prepare(network, params, threads)
        plain = PlainEHNA(model, params["learning_rate"], params["embedding_learning_rate"])
        spent: dict[str, list[float]] = {"ours": [], "plain": []}
        for number, batch in enumerate(batches):
            torch.set_num_threads(1)  # as in fit: the threads take chunks of rows
            spent["ours"].append(timed(train_batch, model, batch, params["margin"]))
            torch.set_num_threads(threads)
            if number < 2:
                spent["plain"].append(timed(plain.train_batch, batch, params["margin"]))
        for who, times in spent.items():
            speeds[context, who] = params["batch_size"] / min(times)
        if context == defaults["negative_context"]:
            seconds, operations = min(spent["ours"]), products(batches[0], params)
    return [
        Measurement(
            "EHNA, default settings / literal method in plain torch",
            speeds["in_batch", "ours"],
            speeds["two_hop", "plain"],
            "edges/s",
            data + "; the literal method aggregates ten negatives per edge",
            target=8,
        ),
        Measurement(
            "EHNA / plain torch, both with in-batch negatives",
            speeds["in_batch", "ours"],
            speeds["in_batch", "plain"],
            "edges/s",
            data,
        ),
        Measurement(
            "EHNA / plain torch, both with two-hop negatives",
            speeds["two_hop", "ours"],
            speeds["two_hop", "plain"],
            "edges/s",
            data,
        ),
        Measurement(
            "EHNA training / matrix product of 4096 x 4096",
            operations / seconds / 1e9,
            matrix_product_speed(threads) / 1e9,
            "GFLOP/s in matrix products",
            data,
            target=0.6,
        ),
    ]


def describe(params: dict[str, Any]) -> str:
    names = ("dimensions", "walks", "walk_length", "negatives", "batch_size")
    return ", ".join(f"{name} {params[name]}" for name in names)


def prepare(
    network: TemporalNetwork, params: dict[str, Any], threads: int, n_batches: int = BATCHES
) -> tuple[Model, list[Batch]]:
    """A fresh model, and batches from the newer half, where nodes have history."""
    sampling = Sampling.of(params)
    source = Source.of(network, sampling)
    rows = np.arange(network.n_edges // 2, network.n_edges)
    chosen = windowed_batches(rows, sampling.batch_size, sampling.window_batches, np.random.default_rng(1))
    batches = [make_batch(source, sampling, chosen[number], (1, number)) for number in range(n_batches)]
    model = new_model(
        network.n_nodes,
        Architecture(params["dimensions"]),
        params["learning_rate"],
        params["embedding_learning_rate"],
        1,
        Workers(threads),
    )
    return model, batches


def timed(action: Any, *arguments: Any) -> float:
    start = time.perf_counter()
    action(*arguments)
    return time.perf_counter() - start


def products(batch: Batch, params: dict[str, Any]) -> float:
    """Floating-point operations in the LSTMs' matrix products: nine d x 4d products per place in a sequence.

    One recurrent product in the first layer and two in the second going forward, twice that going backward. The input
    projection of the first layer, once per distinct node or walk, is left out.
    """
    places = sum(group.nodes.size + group.walks.size for group in batch.neighborhoods.groups)
    return 9.0 * 2 * 4 * params["dimensions"] ** 2 * places


def matrix_product_speed(threads: int) -> float:
    torch.set_num_threads(threads)
    a = torch.randn(4096, 4096)
    return 2 * 4096.0**3 / min(timed(torch.mm, a, a) for _ in range(4))
