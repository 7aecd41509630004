"""EHNA (Huang et al., ICDE 2020): embeddings from aggregated historical neighborhoods."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from datasets.network import TemporalNetwork
from methods.ehna.aggregation import Architecture
from methods.ehna.batches import Sampling, Source
from methods.ehna.export import aggregate_nodes
from methods.ehna.model import Arrays, Model, new_model
from methods.ehna.parallel import Workers
from methods.ehna.training import EpochReport, train_epoch
from methods.ehna.validation import ValidationBlock, validation_block
from methods.run import Run

# The second number of every random stream says what it is for; the first is the seed of the run.
TRAINING, VALIDATION, EXPORT = 1, 2, 3


@dataclass
class Progress:
    """What has been trained so far: one row per epoch, and the state after the best one."""

    epochs: list[list[float]] = field(default_factory=list)  # loss, active share, role AUC, validation AUC
    best: Arrays = field(default_factory=dict)
    finished: bool = False  # the newest edges have been trained on, too

    @property
    def validation_auc(self) -> list[float]:
        return [row[3] for row in self.epochs]

    @property
    def best_epoch(self) -> int:
        return int(np.argmax(self.validation_auc))

    def stale(self, patience: int) -> bool:
        return len(self.epochs) > patience and len(self.epochs) - 1 - self.best_epoch >= patience


def fit(network: TemporalNetwork, params: dict[str, Any], run: Run) -> NDArray[np.float32]:
    """Train on the older edges until the newest are predicted no better, go back to the best epoch, train on the newest
    edges, then aggregate once more for every node.
    """
    threads_before = torch.get_num_threads()
    torch.set_num_threads(1)  # the threads take chunks of rows instead: see parallel.py
    try:
        return _fit(network, params, run)
    finally:
        torch.set_num_threads(threads_before)


def _fit(network: TemporalNetwork, params: dict[str, Any], run: Run) -> NDArray[np.float32]:
    sampling = Sampling.of(params)
    model = new_model(
        network.n_nodes,
        Architecture(params["dimensions"], params["attention"], params["layers"], params["levels"]),
        params["learning_rate"],
        params["embedding_learning_rate"],
        run.seed,
        Workers(run.threads, torch.device(run.device)),
    )
    block = validation_block(network, params["validation_fraction"], run.seed)
    progress = resume(model, run)
    whole = Source.of(network, sampling)
    older = whole if block is None else Source.of(network.first(block.train_rows), sampling)

    def one_epoch(source: Source, rows: NDArray[np.int64], number: int, description: str) -> EpochReport:
        with run.epoch(len(rows), "edges"):
            return train_epoch(
                model, source, sampling, params["margin"], rows, (run.seed, TRAINING, number), run, description
            )

    while not progress.finished and len(progress.epochs) < params["epochs"]:
        if block and progress.stale(params["patience"]):
            break
        number = len(progress.epochs)
        description = f"epoch {number + 1} of {params['epochs']}"
        report = one_epoch(older, np.arange(older.network.n_edges), number, description)
        auc = np.nan if block is None else validation_auc(model, older, sampling, block, run.seed)
        role = np.nan if report.role_auc is None else report.role_auc
        progress.epochs.append([report.loss, report.active, role, auc])
        if block and progress.best_epoch == number:
            progress.best = model.arrays()
        save(model, progress, run)
        tell(progress, run)
    if block and not progress.finished:
        model.restore(progress.best)
        one_epoch(whole, np.arange(block.train_rows, network.n_edges), params["epochs"], "newest edges")
        progress.finished = True
        save(model, progress, run)
    return aggregate_nodes(model, whole, sampling, np.arange(network.n_nodes, dtype=np.int32), (run.seed, EXPORT))


def validation_auc(model: Model, older: Source, sampling: Sampling, block: ValidationBlock, seed: int) -> float:
    return block.auc(block.nodes, aggregate_nodes(model, older, sampling, block.nodes, (seed, VALIDATION)))


def save(model: Model, progress: Progress, run: Run) -> None:
    run.save_checkpoint(
        epochs=np.array(progress.epochs),
        finished=np.array(progress.finished),
        **{f"model.{name}": array for name, array in model.arrays().items()},
        **{f"best.{name}": array for name, array in progress.best.items()},
    )


def resume(model: Model, run: Run) -> Progress:
    """Take up what an interrupted fit left, if there is any."""
    stored = run.load_checkpoint()
    if stored is None:
        return Progress()
    model.restore({name[6:]: array for name, array in stored.items() if name.startswith("model.")})
    best = {name[5:]: array for name, array in stored.items() if name.startswith("best.")}
    return Progress(stored["epochs"].tolist(), best, bool(stored["finished"]))


def tell(progress: Progress, run: Run) -> None:
    columns = zip(*progress.epochs, strict=True)
    names = ("loss", "active_share", "role_probe_auc", "validation_auc")
    run.report(
        **{
            name: [None if np.isnan(value) else round(value, 4) for value in column]
            for name, column in zip(names, columns, strict=True)
        }
    )
