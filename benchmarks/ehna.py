"""EHNA: a whole fit at the size of HTNE's DBLP, LSTMs in chunks against whole batches, AUC by walks, steps and width.

Chunks are what `methods.ehna.aggregation.ROWS_AT_ONCE` says; the peer is the same code, and torch gets a whole batch.
AUC is that of EHNA untrained on its own validation block, so that a row tells what one more walk, step or dimension
adds to what the aggregation sees; its peer is the default.
"""

import os
import time
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any
from unittest import mock

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.measurement import Measurement
from methods.contract.registry import load_method
from methods.contract.run import Run
from methods.ehna import aggregation
from methods.ehna.choice import MOST_EDGES, VALIDATION_PAIRS, VALIDATION_WALKS, Choice, Judge, choose
from methods.ehna.export import BATCHES_FOR_STATISTICS, NODES_PER_BATCH, aggregate_nodes
from methods.ehna.fit import fit
from methods.ehna.neighborhoods import Past
from methods.ehna.stages import new_model, past_of, start
from methods.ehna.training import BATCH, Model, train_table_through_z
from methods.ehna.validation import newest, validation_block
from networks.catalog import DOWNLOADS, load_catalog
from networks.network import TemporalNetwork
from networks.prepare import prepare_entry
from networks.synthetic import generate

N_NODES, N_EDGES = 28_085, 236_894  # as HTNE's DBLP
MOST_SECONDS = 90
TURNS = 7
TURN_BATCHES, TURN_NODES = 8, 1024
WHOLE_BATCHES = 2**30
TOLERANCE = 1e-4
NETWORK, SEEDS = "college_msg", range(1, 6)
CURVES = {"final_walks": (5, 10, 20, 50, 100), "walk_length": (1, 2, 5, 10), "dimensions": (32, 64, 128)}


def measure() -> Iterator[Measurement]:
    network = generate(N_NODES, N_EDGES, seed=1)
    params, threads = load_method("ehna").defaults, os.cpu_count() or 1
    yield whole_fit(network, params, threads)
    yield from chunks_against_whole_batches(network, params, threads)
    yield from curves(prepare_entry(load_catalog()[NETWORK], DOWNLOADS))


def whole_fit(network: TemporalNetwork, params: dict[str, Any], threads: int) -> Measurement:
    compile_kernels(params, threads)
    run = Run(seed=1, threads=threads)
    seconds, _ = timed(fit, network, params, run)
    data = f"{described(network, threads)}; {choice_text(run)}; peer is the limit"
    return Measurement("EHNA, whole fit", seconds, MOST_SECONDS, "s", data, target=1, lower_is_better=True)


def compile_kernels(params: dict[str, Any], threads: int) -> None:
    """All stages of a fit on few edges: what is compiled or loaded once per process is no part of a fit's seconds."""
    fit(generate(200, 2000, seed=1), params, Run(seed=1, threads=threads))


class Trial:
    """What both sides train and export in turns: the newest edges, each with the whole past before it."""

    def __init__(self, network: TemporalNetwork, params: dict[str, Any], threads: int) -> None:
        self.params, self.run = params, Run(seed=1, threads=threads)
        choice = choose(network, params | {"validation_fraction": 0}, self.run)
        past = past_of(network, params, choice.time_scale)
        self.model = new_model(network.n_nodes, params, seed=1)
        start(self.model, past, params, choice.table_settings, with_weights=False, run=self.run)
        self.past = Past(newest(network, TURN_BATCHES * BATCH), past.history, past.settings)

    def train(self, model: Model, number: int) -> NDArray[np.float64]:
        """The mean loss of a pass."""
        rate, seed = self.params["embedding_learning_rate"], (1, number)
        return np.array(train_table_through_z(model, self.past, self.params["walks"], rate, seed, self.run))

    def export(self, model: Model, number: int) -> NDArray[np.float32]:
        """z of some nodes."""
        nodes = np.random.default_rng(number).integers(len(model.vectors), size=TURN_NODES, dtype=np.int32)
        return aggregate_nodes(model, self.past, nodes, self.params["final_walks"], (1, number))

    def turns(self, action: Callable[[Model, int], NDArray[Any]]) -> tuple[float, float]:
        """Least seconds of the action, in chunks and with whole batches: in turns, because a shared machine is a fifth
        faster in one minute than in the next, and from the same model, because both must find the same.
        """
        sides = (aggregation.ROWS_AT_ONCE, WHOLE_BATCHES)
        seconds: list[list[float]] = []
        for number in range(TURNS):
            spent, found = [], []
            for rows_at_once in sides:
                model = deepcopy(self.model)
                with mock.patch.object(aggregation, "ROWS_AT_ONCE", rows_at_once):
                    spent_here, found_here = timed(action, model, number)
                spent.append(spent_here)
                found.append(found_here)
            check_equal(action.__name__, *found)
            seconds.append(spent)
        ours, peer = np.min(seconds, axis=0)
        return float(ours), float(peer)


def chunks_against_whole_batches(
    network: TemporalNetwork, params: dict[str, Any], threads: int
) -> Iterator[Measurement]:
    trial = Trial(network, params, threads)
    data = f"{described(network, threads)}; best of {TURNS} turns, equal to {TOLERANCE:g}"
    exported = TURN_NODES + BATCHES_FOR_STATISTICS * NODES_PER_BATCH
    threads_before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        for action, items, unit, words in (
            (trial.train, trial.past.network.n_edges, "edges/s", "training of the table through z"),
            (trial.export, exported, "nodes/s", "final embedding"),
        ):
            ours, peer = trial.turns(action)
            name = f"EHNA, {words}: chunks of {aggregation.ROWS_AT_ONCE} sequences / whole batches"
            yield Measurement(name, items / ours, items / peer, unit, data)
    finally:
        torch.set_num_threads(threads_before)


def check_equal(action: str, ours: NDArray[Any], peer: NDArray[Any]) -> None:
    difference = float(np.abs(ours - peer).max() / np.abs(peer).max())
    if not difference <= TOLERANCE:
        raise AssertionError(
            f"{action}: what comes out in chunks differs from whole batches by {difference:.2g} of itself, more than "
            f"{TOLERANCE:g}, so a ratio of speeds would mean nothing"
        )


def curves(network: TemporalNetwork) -> Iterator[Measurement]:
    """One row for every value of every curve but the default."""
    params = load_method("ehna_untrained").defaults
    # One thread: several would train another table every time.
    choice = choose(network, params, Run(seed=1))
    at_default = aucs(network, params, choice)
    for name, values in CURVES.items():
        for value in values:
            if value == params[name]:
                continue
            here = aucs(network, params | {name: value}, choice)
            gain = here - at_default
            error = gain.std(ddof=1) / len(gain) ** 0.5
            data = (
                f"{network.name}, newest {params['validation_fraction']:.0%} of contacts, mean of {len(SEEDS)} seeds; "
                f"difference {gain.mean():+.4f}, standard error {error:.4f}"
            )
            row = f"EHNA untrained, AUC on {network.name}: {name} {value} / {params[name]}"
            yield Measurement(row, float(here.mean()), float(at_default.mean()), "AUC", data)


def aucs(network: TemporalNetwork, params: dict[str, Any], choice: Choice) -> NDArray[np.float64]:
    """Of every seed, on pairs and with a table of its own."""
    found = []
    for seed in SEEDS:
        block = validation_block(network, params["validation_fraction"], MOST_EDGES, (seed, VALIDATION_PAIRS))
        if block is None:
            raise AssertionError(f"{network.name} has too few contacts for a validation block")
        model, past = Judge(network, block, params, Run(seed=seed)).started(choice)
        z = aggregate_nodes(model, past, block.nodes, params["final_walks"], (seed, VALIDATION_WALKS))
        found.append(block.auc(z))
    return np.array(found)


def described(network: TemporalNetwork, threads: int) -> str:
    return f"generated: {network.n_nodes} nodes, {network.n_edges} edges; default settings, {threads} threads"


def choice_text(run: Run) -> str:
    """What a fit's seconds depend on: whether validation chose to train the weights, and how many passes."""
    choice = run.facts["choice"]
    return f"chosen: {'' if choice['weights'] else 'no '}training of the weights, {choice['passes']} passes"


def timed(action: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Seconds that the action took, and what it returned."""
    began = time.perf_counter()
    result = action(*arguments)
    return time.perf_counter() - began, result
