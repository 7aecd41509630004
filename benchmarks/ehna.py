"""EHNA's training speed against the literal method in plain torch, on a network of the size of HTNE's DBLP."""

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from threadpoolctl import threadpool_info, threadpool_limits
from torch import Tensor

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
BATCHES = 5
# By how much, of itself, the loss of the first batches may differ. The first step of Adam moves even a weight whose
# gradient is nothing but rounding by the whole rate: 1e-7 (in-batch) and 2e-5 (two-hop negatives, batches of 192)
# measured after it, 0 before.
TOLERANCES = (1e-6, 1e-3)
COMPARED = len(TOLERANCES)


def measure() -> Iterator[Measurement]:
    network = generate(N_NODES, N_EDGES, seed=1)
    defaults = load_method("ehna").defaults
    threads = os.cpu_count() or 1
    data = f"generated: {N_NODES} nodes, {N_EDGES} edges; {describe(defaults)}; {threads} threads; {blas_kernels()}"
    trials = {}
    for context, words in (("in_batch", "in-batch"), ("two_hop", "two-hop")):
        trial = trials[context] = Trial.of(network, defaults | {"negative_context": context}, threads)
        name = f"EHNA / plain torch, both with {words} negatives"
        yield Measurement(name, trial.speed, trial.plain_speed, "edges/s", data)
        batches = f"{data}; mean of {COMPARED} batches"
        yield Measurement(f"{name}: loss", trial.loss, trial.plain_loss, "loss/edge", batches, 0.999, True)
    yield Measurement(
        "EHNA, default settings / literal method in plain torch",
        trials["in_batch"].speed,
        trials["two_hop"].plain_speed,
        "edges/s",
        data + "; the literal method aggregates ten negatives per edge",
        target=8,
    )
    for dimensions in (32, defaults["dimensions"]):
        smaller = defaults | {"dimensions": dimensions}
        together, alone = (training_speed(network, smaller, number) for number in (threads, 1))
        yield Measurement(
            "EHNA with all threads / with one",
            together,
            alone,
            "edges/s",
            f"generated: {N_NODES} nodes, {N_EDGES} edges; {describe(smaller)}; {threads} threads",
        )
    yield Measurement(
        "EHNA training / matrix product of 4096 x 4096",
        trials[defaults["negative_context"]].products_per_second / 1e9,
        matrix_product_speed(threads) / 1e9,
        "GFLOP/s in matrix products",
        data,
        target=0.6,
    )


@dataclass(frozen=True)
class Trial:
    """The same batches, trained on by both implementations from the same weights."""

    speed: float  # edges per second
    plain_speed: float
    loss: float  # per edge, mean over the batches that both had
    plain_loss: float
    products_per_second: float

    @classmethod
    def of(cls, network: TemporalNetwork, params: dict[str, Any], threads: int) -> "Trial":
        model, batches = prepare(network, params, threads)
        plain = PlainEHNA(model, params["learning_rate"], params["embedding_learning_rate"])
        seconds, plain_seconds, losses, plain_losses = [], [], [], []
        for number, batch in enumerate(batches):
            torch.set_num_threads(1)  # as in fit: the threads take chunks of rows
            spent, (_, loss, _) = timed(train_batch, model, batch, params["margin"])
            seconds.append(spent)
            torch.set_num_threads(threads)
            spent, plain_loss = timed(plain.train_batch, batch, params["margin"])
            plain_seconds.append(spent)
            if number < COMPARED:
                check_losses(number, loss, plain_loss)
                losses.append(loss)
                plain_losses.append(plain_loss)
        return cls(
            params["batch_size"] / min(seconds),
            params["batch_size"] / min(plain_seconds),
            float(np.mean(losses)),
            float(np.mean(plain_losses)),
            products(batches[0], params) / min(seconds),
        )


def training_speed(network: TemporalNetwork, params: dict[str, Any], threads: int) -> float:
    """Edges per second of ours alone, the best of some batches."""
    torch.set_num_threads(1)
    model, batches = prepare(network, params, threads)
    return float(params["batch_size"] / min(timed(train_batch, model, batch, params["margin"])[0] for batch in batches))


def check_losses(number: int, ours: float, plain: float) -> None:
    if not abs(ours - plain) <= TOLERANCES[number] * plain:
        raise AssertionError(
            f"batch {number + 1}: our loss is {ours:.8g}, that of plain torch {plain:.8g}; they differ by more than "
            f"{TOLERANCES[number]:g} of it, so a ratio of speeds would mean nothing"
        )


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


def timed(action: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Seconds that the action took, and what it returned."""
    start = time.perf_counter()
    result = action(*arguments)
    return time.perf_counter() - start, result


def products(batch: Batch, params: dict[str, Any]) -> float:
    """Floating-point operations in the LSTMs' matrix products: nine d x 4d products per place in a sequence.

    One recurrent product in the first layer and two in the second going forward, twice that going backward. The input
    projection of the first layer, once per distinct node or walk, is left out.
    """
    places = sum(group.nodes.size + group.walks.size for group in batch.neighborhoods.groups)
    return 9.0 * 2 * 4 * params["dimensions"] ** 2 * places


def matrix_product_speed(threads: int) -> float:
    """Operations per second by the faster of two libraries: that of torch leaves out AVX-512 on some processors."""
    torch.set_num_threads(threads)
    a = torch.randn(4096, 4096)
    with threadpool_limits(threads, user_api="blas"):
        seconds = [timed(multiply, a, a)[0] for _ in range(4) for multiply in (torch.mm, by_numpy)]
    return 2 * 4096.0**3 / min(seconds)


def by_numpy(a: Tensor, b: Tensor) -> None:
    np.dot(a.numpy(), b.numpy())


def blas_kernels() -> str:
    """Which kernels the library of EHNA's products took: by the processor, or by OPENBLAS_CORETYPE if it is set."""
    names = {library["architecture"] for library in threadpool_info() if library["internal_api"] == "openblas"}
    return f"OpenBLAS for {' and '.join(sorted(names))}"
