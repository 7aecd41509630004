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
from methods.ehna.training import train_epoch
from methods.ehna.validation import ValidationBlock, validation_block
from methods.run import Run

# The second number of every random stream says what it is for; the first is the seed of the run. Longer ones must not
# differ by zeros at their end alone: to numpy (1, 2) and (1, 2, 0) are one stream.
TRAINING, VALIDATION, EXPORT, VALIDATION_PAIRS = 1, 2, 3, 4


@dataclass
class Progress:
    """What has been trained so far, one row per epoch: loss, active share, role AUC, validation AUC."""

    choosing: list[list[float]] = field(default_factory=list)  # on the older edges, to choose the number of epochs
    final: list[list[float]] = field(default_factory=list)  # on all edges
    model: Arrays = field(default_factory=dict)  # as a checkpoint had it, until a model takes it over

    @property
    def best_epoch(self) -> int:
        return int(np.argmax([row[3] for row in self.choosing]))

    def has_chosen(self, most: int, patience: int) -> bool:
        tried = len(self.choosing)
        return tried == most or (tried > patience and tried - 1 - self.best_epoch >= patience)


def fit(network: TemporalNetwork, params: dict[str, Any], run: Run) -> NDArray[np.float32]:
    """Train on the older edges until the newest are predicted no better; then anew on all edges for as many epochs as
    were best; then aggregate once more for every node.
    """
    threads_before = torch.get_num_threads()
    torch.set_num_threads(1)  # the threads take chunks of rows instead: see parallel.py
    try:
        return _fit(network, params, run)
    finally:
        torch.set_num_threads(threads_before)


def _fit(network: TemporalNetwork, params: dict[str, Any], run: Run) -> NDArray[np.float32]:
    progress = resume(run)
    epochs = params["epochs"]
    block = validation_block(network, params["validation_fraction"], (run.seed, VALIDATION_PAIRS))
    if block is not None:
        choose_epochs(network, block, params, progress, run)
        epochs = progress.best_epoch + 1
    if not progress.final:
        progress.model = {}  # training starts anew
    sampling = Sampling.of(params)
    source = Source.of(network, sampling)
    model = start(network.n_nodes, params, progress, run)
    while len(progress.final) < epochs:
        number = len(progress.final)
        progress.final.append(one_epoch(model, source, params, run, number, f"epoch {number + 1} of {epochs}"))
        keep(model, progress, run)
    nodes = np.arange(network.n_nodes, dtype=np.int32)
    with run.progress(len(nodes), "nodes", "final embedding") as bar:
        return aggregate_nodes(model, source, sampling, nodes, (run.seed, EXPORT), bar.update)


def choose_epochs(
    network: TemporalNetwork, block: ValidationBlock, params: dict[str, Any], progress: Progress, run: Run
) -> None:
    """Train on the edges before the validation block, epoch after epoch, for as long as it is predicted better."""
    if progress.has_chosen(params["epochs"], params["patience"]):
        return
    sampling = Sampling.of(params)
    source = Source.of(network.first(block.train_rows), sampling)
    model = start(network.n_nodes, params, progress, run)
    while not progress.has_chosen(params["epochs"], params["patience"]):
        number = len(progress.choosing)
        row = one_epoch(model, source, params, run, number, f"choosing the number of epochs, {number + 1}")
        z = aggregate_nodes(model, source, sampling, block.nodes, (run.seed, VALIDATION))
        progress.choosing.append([*row[:3], block.auc(block.nodes, z)])
        keep(model, progress, run)


def start(n_nodes: int, params: dict[str, Any], progress: Progress, run: Run) -> Model:
    """A new model, or the one that the checkpoint had."""
    model = new_model(
        n_nodes,
        Architecture(params["dimensions"], params["attention"], params["layers"], params["levels"]),
        params["learning_rate"],
        params["embedding_learning_rate"],
        run.seed,
        Workers(run.threads, torch.device(run.device)),
    )
    if progress.model:
        model.restore(progress.model)
        progress.model = {}
    return model


def one_epoch(
    model: Model, source: Source, params: dict[str, Any], run: Run, number: int, description: str
) -> list[float]:
    rows = np.arange(source.network.n_edges)
    with run.epoch(len(rows), "edges"):
        report = train_epoch(
            model,
            source,
            Sampling.of(params),
            params["margin"],
            rows,
            (run.seed, TRAINING, number),
            run,
            description,
        )
    return [report.loss, report.active, np.nan if report.role_auc is None else report.role_auc, np.nan]


def keep(model: Model, progress: Progress, run: Run) -> None:
    """What fit.json tells of the epochs so far, and a checkpoint."""
    columns = zip(*(progress.choosing + progress.final), strict=True)
    names = ("loss", "active_share", "role_probe_auc", "validation_auc")
    run.report(
        epochs_that_chose=len(progress.choosing),
        **{
            name: [None if np.isnan(value) else round(value, 4) for value in column]
            for name, column in zip(names, columns, strict=True)
        },
    )
    save(model, progress, run)


def save(model: Model, progress: Progress, run: Run) -> None:
    run.save_checkpoint(
        choosing=np.array(progress.choosing),
        final=np.array(progress.final),
        **{f"model.{name}": array for name, array in model.arrays().items()},
    )


def resume(run: Run) -> Progress:
    """Take up what an interrupted fit left, if there is any."""
    stored = run.load_checkpoint()
    if stored is None:
        return Progress()
    model = {name.removeprefix("model."): array for name, array in stored.items() if name.startswith("model.")}
    return Progress(stored["choosing"].tolist(), stored["final"].tolist(), model)
