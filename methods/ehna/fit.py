"""EHNA (Huang et al., ICDE 2020): embeddings from aggregated historical neighborhoods.

A fit is: a table of embeddings e; an aggregation that starts as a mean; training of both through z; one aggregation
over many walks for every node. What is best for the network is chosen first, on its newest edges (choice.py).
"""

from contextlib import nullcontext
from typing import Any

import numba
import numpy as np
import torch
from numpy.typing import NDArray

from methods.contract.run import Run
from methods.ehna.choice import TABLE_PASSES, Choice, choose
from methods.ehna.export import aggregate_nodes
from methods.ehna.stages import TABLE, new_model, past_of, start, train_pass
from methods.ehna.training import Model
from networks.network import TemporalNetwork

EXPORT = 9


def fit(network: TemporalNetwork, params: dict[str, Any], run: Run) -> NDArray[np.float32]:
    """z of every node as of its latest contact; with `output: table`, the table alone."""
    threads_before = torch.get_num_threads(), numba.get_num_threads()
    torch.set_num_threads(run.threads)
    numba.set_num_threads(min(run.threads, numba.config.NUMBA_NUM_THREADS))  # type: ignore[attr-defined]
    try:
        return _fit(network, params, run)
    finally:
        torch.set_num_threads(threads_before[0])
        numba.set_num_threads(threads_before[1])


def _fit(network: TemporalNetwork, params: dict[str, Any], run: Run) -> NDArray[np.float32]:
    stored = run.load_checkpoint()
    choice = Choice.of_array(stored["choice"]) if stored else choose(network, params, run)
    model, done = new_model(network.n_nodes, params, run.seed), 0
    past = past_of(network, params, choice.time_scale)
    if stored and "table" in stored:
        restore(model, stored)
        done = int(stored["passes"])
    else:
        save(run, choice)
        # Epochs are passes through z; where there is none, the training of the table is the only one.
        is_all = not choice.weights and choice.passes == 0
        with run.epoch(TABLE_PASSES * network.n_edges, "edges") if is_all else nullcontext():
            start(model, past, params, choice.table_settings, choice.weights, run)
        save(run, choice, model, 0)
    while done < choice.passes:
        train_pass(model, past, params, done, run)
        done += 1
        save(run, choice, model, done)
    if params["output"] == TABLE:
        return model.vectors
    nodes = np.arange(network.n_nodes, dtype=np.int32)
    with run.progress(len(nodes), "nodes", "final embedding") as bar:
        return aggregate_nodes(model, past, nodes, params["final_walks"], (run.seed, EXPORT), bar.update)


def save(run: Run, choice: Choice, model: Model | None = None, passes: int = 0) -> None:
    """A checkpoint after the choice, the start and every pass; each stage has random numbers of its own."""
    state: dict[str, NDArray[Any]] = {"choice": choice.as_array()}
    if model is not None:
        state |= {"table": model.vectors, "passes": np.array(passes)}
        state |= {f"aggregation.{name}": value.numpy() for name, value in model.aggregation.state_dict().items()}
    run.save_checkpoint(**state)


def restore(model: Model, stored: dict[str, NDArray[Any]]) -> None:
    model.vectors[:] = stored["table"]
    weights = {
        name.removeprefix("aggregation."): torch.from_numpy(array)
        for name, array in stored.items()
        if name.startswith("aggregation.")
    }
    model.aggregation.load_state_dict(weights)
