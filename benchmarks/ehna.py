"""EHNA's training speed against the literal method in plain torch, on a network of the size of HTNE's DBLP."""

import os
import time
from collections.abc import Callable, Iterator
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
BATCHES = 7
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
    words = {"in_batch": "in-batch", "two_hop": "two-hop"}
    trials = {context: Trial(network, defaults | {"negative_context": context}, threads) for context in words}
    # All sides in turns: on a shared machine the same code is a fifth faster in one minute than in the next.
    for number in range(BATCHES):
        for trial in trials.values():
            trial.train(number)
    for context, trial in trials.items():
        name = f"EHNA / plain torch, both with {words[context]} negatives"
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


class Trial:
    """The same batches, trained on by both implementations from the same weights."""

    def __init__(self, network: TemporalNetwork, params: dict[str, Any], threads: int) -> None:
        self.params, self.threads = params, threads
        self.model, self.batches = prepare(network, params, threads)
        self.plain = PlainEHNA(self.model, params["learning_rate"], params["embedding_learning_rate"])
        self.seconds: list[float] = []
        self.plain_seconds: list[float] = []
        self.losses: list[float] = []
        self.plain_losses: list[float] = []

    def train(self, number: int) -> None:
        """Both sides on one batch; the first ones must have the same loss."""
        batch, margin = self.batches[number], self.params["margin"]
        torch.set_num_threads(1)  # as in fit: the threads take chunks of rows
        spent, (_, loss, _) = timed(train_batch, self.model, batch, margin)
        self.seconds.append(spent)
        torch.set_num_threads(self.threads)
        spent, plain_loss = timed(self.plain.train_batch, batch, margin)
        self.plain_seconds.append(spent)
        if number < COMPARED:
            check_losses(number, loss, plain_loss)
            self.losses.append(loss)
            self.plain_losses.append(plain_loss)

    @property
    def speed(self) -> float:
        """Edges per second."""
        return float(self.params["batch_size"] / min(self.seconds))

    @property
    def plain_speed(self) -> float:
        return float(self.params["batch_size"] / min(self.plain_seconds))

    @property
    def loss(self) -> float:
        """Per edge, mean over the batches that are compared."""
        return float(np.mean(self.losses))

    @property
    def plain_loss(self) -> float:
        return float(np.mean(self.plain_losses))

    @property
    def products_per_second(self) -> float:
        return products(self.batches[0], self.params) / min(self.seconds)


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
