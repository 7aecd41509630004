"""One epoch of training: every edge once, in windowed batches."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from methods.ehna.batches import Batch, Sampling, Source, make_batch, prepared_ahead, windowed_batches
from methods.ehna.loss import margin_loss
from methods.ehna.model import Model
from methods.ehna.probe import role_auc
from methods.run import Run

PROBED_BATCHES = 8


@dataclass
class EpochReport:
    loss: float  # Eq. 7 per edge, mean over the epoch
    active: float  # share of hinge terms above 0
    role_auc: float | None


def train_epoch(
    model: Model,
    source: Source,
    sampling: Sampling,
    margin: float,
    rows: NDArray[np.int64],
    seed: tuple[int, ...],
    run: Run,
    description: str,
) -> EpochReport:
    batches = windowed_batches(rows, sampling.batch_size, sampling.window_batches, np.random.default_rng(seed))

    def prepare(number: int) -> Batch:
        # From 1, because to numpy (*seed, 0) is `seed`, the stream of the order.
        return make_batch(source, sampling, batches[number], (*seed, number + 1))

    losses = np.zeros(len(batches))
    actives = np.zeros(len(batches))
    probed: list[tuple[NDArray[np.float32], NDArray[np.float32]]] = []
    model.aggregation.train()
    with run.progress(len(rows), "edges", description) as bar:
        prepared = prepared_ahead(prepare, range(len(batches)), model.workers.threads)
        for number, batch in enumerate(prepared):
            z, losses[number], actives[number] = train_batch(model, batch, margin)
            if number >= len(batches) - PROBED_BATCHES:
                probed.append(roles(z, batch))
            bar.set_postfix(loss=f"{losses[number]:.3f}", refresh=False)
            bar.update(len(batches[number]))
    weights = np.array([len(batch) for batch in batches]) / len(rows)
    targets, negatives = (np.concatenate(parts) for parts in zip(*probed, strict=True))
    return EpochReport(float(losses @ weights), float(actives @ weights), role_auc(targets, negatives))


def train_batch(model: Model, batch: Batch, margin: float) -> tuple[NDArray[np.float32], float, float]:
    """Forward, backward, and one step of both optimizers; returns z of all targets, the loss, the active share."""
    device = model.table.device
    rows = torch.from_numpy(batch.neighborhoods.nodes).to(device)
    embeddings = model.table[rows].requires_grad_()
    z = model.aggregation(embeddings, batch.neighborhoods, model.workers)
    source, target, negatives = (
        torch.from_numpy(array).to(device) for array in (batch.source, batch.target, batch.negatives)
    )
    loss, active = margin_loss(z, source, target, negatives, margin)
    loss.backward()  # type: ignore[no-untyped-call]
    assert embeddings.grad is not None
    with torch.no_grad():
        model.optimizer.step()
        model.table_optimizer.step(rows, embeddings.grad)
    return z.detach().cpu().numpy(), loss.item(), active.item()


def roles(z: NDArray[np.float32], batch: Batch) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """z in the role of a target, and as many in the role of a negative, for the probe."""
    targets = np.concatenate((batch.source, batch.target))
    negatives = batch.negatives[:, :, 0].reshape(-1)
    negatives = negatives[negatives >= 0]
    return z[targets], z[negatives]
