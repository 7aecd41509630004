"""Training through z, two ways: the table alone, and the weights of the aggregation on edges the table has not seen.

**The table through z** moves e by Eq. 7 on z and leaves the aggregation as it is. Rows go back to the unit sphere.

**The weights** would learn to lean on what the table has memorized, if they were trained on edges that the table knows.
So the table first learns the older half of the edges; then, part by part of the newer half, the weights learn from
edges that are new to the table, and after them the table does.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from methods.contract.run import Run
from methods.ehna.aggregation import Aggregation
from methods.ehna.loss import known_pairs, margin_loss
from methods.ehna.neighborhoods import Past
from methods.ehna.table import train_table
from methods.kernels.sampling import NOISE_EXPONENT
from networks.network import TemporalNetwork

BATCH = 512
POOL = 512
# Batches are drawn at random from this many edges in a row: nearly one time, so that a negative does not betray itself
# by its age, but not the co-authors of one paper against each other.
WINDOW = 32 * BATCH
# Margins through z, where a pair and its negatives are nearer to each other than in the table; see docs/ehna.md.
TABLE_MARGIN, WEIGHTS_MARGIN = 0.5, 0.1
OLDER_SHARE, PARTS, PASSES_PER_PART, RATE_BETWEEN_PARTS = 0.5, 10, 3, 0.02


@dataclass
class Model:
    """What training changes. `table` and `vectors` share their memory."""

    vectors: NDArray[np.float32]
    aggregation: Aggregation

    @property
    def table(self) -> Tensor:
        return torch.from_numpy(self.vectors)


@dataclass(frozen=True)
class TableSettings:
    """How the table is trained by itself."""

    passes: int
    margin: float
    ageing: float


def learn_table(
    model: Model, network: TemporalNetwork, settings: TableSettings, seed: tuple[int, ...], run: Run
) -> None:
    """The table by itself, from where it stands, over all edges of `network`."""
    with run.progress(settings.passes * network.n_edges, "edges", "table") as bar:
        train_table(
            model.vectors,
            network,
            settings.passes,
            settings.margin,
            settings.ageing,
            seed,
            run.threads,
            tell=bar.update,
        )


def train_table_through_z(
    model: Model, past: Past, n_walks: int, rate: float, seed: tuple[int, ...], run: Run
) -> float:
    """One pass of Adam over the edges, each with the past before it; returns the mean loss."""
    generator = np.random.default_rng(seed)
    network = past.network
    law = np.cumsum(network.degrees.astype(np.float64) ** NOISE_EXPONENT)
    table = model.table.requires_grad_()
    optimizer = torch.optim.SparseAdam([table], rate)
    losses = []
    rows = np.arange(network.n_edges)
    model.aggregation.requires_grad_(False)
    with run.epoch(len(rows), "edges"), run.progress(len(rows), "edges", "table through z") as bar:
        for batch in batches(rows, generator):
            pool = np.searchsorted(law, generator.random(POOL) * law[-1], side="right").astype(np.int32)
            optimizer.zero_grad()
            loss = batch_loss(model.aggregation, table, past, batch, pool, n_walks, TABLE_MARGIN, generator)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            moved = table.grad.coalesce().indices()[0]  # type: ignore[union-attr]
            with torch.no_grad():
                table[moved] = torch.nn.functional.normalize(table[moved])
            losses.append(loss.item())
            bar.update(len(batch))
    return float(np.mean(losses))


def train_weights(
    model: Model,
    past: Past,
    n_walks: int,
    rate: float,
    settings: TableSettings,
    seed: tuple[int, ...],
    run: Run,
) -> float | None:
    """One pass of Adam over the newer half, each part before the table learns it; returns the mean loss.

    There is none where all newer edges have an end that the older ones lack. In the end the table learns all edges.
    """
    generator = np.random.default_rng(seed)
    network = past.network
    model.aggregation.requires_grad_(True)
    optimizer = torch.optim.Adam(model.aggregation.parameters(), rate)
    cuts = np.linspace(int(network.n_edges * OLDER_SHARE), network.n_edges, PARTS + 1).astype(int)
    learn_table(model, network.first(cuts[0]), settings, (*seed, 1), run)
    losses = []
    newer = int(network.n_edges - cuts[0])
    with run.epoch(newer, "edges"), run.progress(newer, "edges", "weights") as bar:
        for number, (begin, end) in enumerate(pairwise(cuts)):
            degrees = network.first(begin).degrees
            known = np.flatnonzero(degrees).astype(np.int32)
            new = slice(begin, end)
            rows = begin + np.flatnonzero((degrees[network.source[new]] > 0) & (degrees[network.target[new]] > 0))
            for batch in batches(rows, generator):
                pool = generator.choice(known, POOL)
                optimizer.zero_grad()
                loss = batch_loss(model.aggregation, model.table, past, batch, pool, n_walks, WEIGHTS_MARGIN, generator)
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
                losses.append(loss.item())
            bar.update(int(end - begin))
            between = (*seed, 2, number)
            train_table(
                model.vectors, network.first(end), PASSES_PER_PART, settings.margin, settings.ageing, between,
                run.threads, last_rate=RATE_BETWEEN_PARTS,
            )  # fmt: skip
    learn_table(model, network, settings, (*seed, 3), run)
    return float(np.mean(losses)) if losses else None


def batches(rows: NDArray[np.int64], generator: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """Batches of about equal size drawn at random inside windows of consecutive edges."""
    for first in range(0, len(rows), WINDOW):
        window = generator.permutation(rows[first : first + WINDOW])
        yield from np.array_split(window, -(-len(window) // BATCH))


def batch_loss(
    aggregation: Aggregation,
    table: Tensor,
    past: Past,
    rows: NDArray[np.int64],
    pool: NDArray[np.int32],
    n_walks: int,
    margin: float,
    generator: np.random.Generator,
) -> Tensor:
    """Eq. 7 of the edges `rows`: both ends just before their edge, the pool at times of the batch."""
    network = past.network
    ends = np.concatenate((network.source[rows], network.target[rows]))
    times = network.time[np.concatenate((rows, rows, generator.choice(rows, len(pool))))]
    nodes = np.concatenate((ends, pool))
    z = aggregation(table, past.before(nodes, times, n_walks, int(generator.integers(2**63))))
    return margin_loss(z, len(rows), torch.from_numpy(known_pairs(past.history, ends, nodes)), margin)
