"""EHNA at the sizes of the paper's networks: cost per edge over some batches and peak memory; one thread, CPU time.

A whole epoch of Tmall's size takes hours, so this trains a few batches of the newer half of the edges, where walks are
longest, then does what follows an epoch: writes a checkpoint, and aggregates some nodes once more for the final
embedding. Nothing that a longer training does takes more memory.
"""

import multiprocessing
import resource
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from benchmarks.ehna import describe, prepare
from benchmarks.measurement import Measurement
from datasets.network import TemporalNetwork
from datasets.synthetic import generate
from methods.ehna.batches import Sampling, Source
from methods.ehna.export import aggregate_nodes
from methods.ehna.fit import Progress, save
from methods.ehna.training import train_batch
from methods.registry import load_method
from methods.run import Run

SIZES = {"DBLP (HTNE)": (28_085, 236_894), "Digg": (279_630, 1_731_653), "Tmall": (577_314, 4_807_545)}
SMALLEST, LARGEST = "DBLP (HTNE)", "Tmall"
FLAT = 1 / 1.2  # the target: no more than 20% dearer per edge
LIMIT_GB = 8
BATCHES = 9  # the first is not timed
EXPORTED = 8192


@dataclass(frozen=True)
class Cost:
    edge_ms: float  # training
    node_ms: float  # final embedding
    peak_gb: float


def measure() -> Iterator[Measurement]:
    settings = describe(load_method("ehna").defaults)
    smallest = cost_at(SIZES[SMALLEST])
    for name in list(SIZES)[1:]:
        cost = cost_at(SIZES[name])
        data = f"generated: the size of {name} (ours) and of {SMALLEST} (peer); {settings}; {BATCHES - 1} batches"
        for item, unit in (("edge_ms", "CPU ms per edge trained on"), ("node_ms", "CPU ms per node exported")):
            ours, peer = getattr(cost, item), getattr(smallest, item)
            yield Measurement(f"EHNA at {name}'s size: {unit}", ours, peer, unit, data, FLAT, True)
        if name == LARGEST:
            data = f"generated: the size of {LARGEST}; {settings}; peer is the limit"
            yield Measurement(f"peak memory: EHNA at {LARGEST}'s size", cost.peak_gb, LIMIT_GB, "GB", data, 1, True)


def cost_at(size: tuple[int, int]) -> Cost:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "network.arrow"
        generate(*size, seed=1).save(path)
        # A process of its own, because a peak never falls.
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as process:
            return process.submit(train_some, path).result()


def train_some(path: Path) -> Cost:
    torch.set_num_threads(1)
    network, params = TemporalNetwork.load(path), load_method("ehna").defaults
    model, batches = prepare(network, params, threads=1, n_batches=BATCHES)
    train_batch(model, batches[0], params["margin"])
    start = time.process_time()
    for batch in batches[1:]:
        train_batch(model, batch, params["margin"])
    edge_seconds = (time.process_time() - start) / sum(len(batch.source) for batch in batches[1:])

    save(model, Progress(), Run(seed=1, folder=path.parent))
    sampling = Sampling.of(params)
    source = Source.of(network, sampling)
    start = time.process_time()
    nodes = np.random.default_rng(1).choice(network.n_nodes, EXPORTED, replace=False).astype(np.int32)
    aggregate_nodes(model, source, sampling, nodes, (1,))
    node_seconds = (time.process_time() - start) / EXPORTED
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return Cost(edge_seconds * 1e3, node_seconds * 1e3, peak / 1e9)
