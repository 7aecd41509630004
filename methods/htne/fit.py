"""HTNE with attention: neighborhoods that form as a Hawkes process, trained by negative sampling."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from methods.contract.run import Run
from methods.htne.events import events_of
from methods.htne.training import Setting, room_for_batch, train
from methods.kernels.rows import aligned_rows
from methods.kernels.sampling import noise_table
from networks.network import TemporalNetwork

# Events per call of the kernel, in whole batches: often enough for the progress bar, seldom enough to cost nothing.
EVENTS_PER_CALL = 200_000


def fit(network: TemporalNetwork, params: dict[str, Any], run: Run) -> NDArray[np.float32]:
    """An epoch is every contact once from either end, in random order."""
    setting = Setting(
        negatives=params["negatives"],
        history_length=params["history_length"],
        learning_rate=params["learning_rate"],
        sign=1.0 if params["released_sign"] else -1.0,
        pad_history=params["released_padding"],
        seed=run.seed,
    )
    events = events_of(network, params["history_length"], history_of_ties=params["released_ties"])
    noise = noise_table(network.degrees)
    embeddings, delta = initial_tables(network.n_nodes, params["dimensions"], run.seed)
    losses: list[float] = []
    state = run.load_checkpoint()
    if state is not None:
        embeddings[:], delta[:], losses = state["embeddings"], state["delta"], state["losses"].tolist()

    batches = [room_for_batch(min(params["batch_size"], len(events)), setting, embeddings) for _ in range(run.threads)]
    # Compiled, or loaded from numba's cache, before the first epoch is timed.
    train(embeddings, delta, events, np.empty(0, np.int32), noise, setting, 0, batches[0])
    with (
        ThreadPoolExecutor(max_workers=run.threads) as pool,
        run.progress(params["epochs"] * network.n_edges, "edges", "HTNE") as bar,
    ):
        bar.update(len(losses) * network.n_edges)
        for epoch in range(len(losses), params["epochs"]):
            loss = 0.0
            with run.epoch(network.n_edges, "edges"):
                order = np.random.default_rng((run.seed, epoch + 1)).permutation(np.arange(len(events), dtype=np.int32))
                for shares in shares_of(len(events), params["batch_size"], run.threads):
                    parts = [
                        # A stream per batch: no two batches of a fit begin at the same event of the same epoch.
                        pool.submit(
                            train,
                            embeddings,
                            delta,
                            events,
                            order[share],
                            noise,
                            setting,
                            epoch * len(events) + share.start,
                            batch,
                        )
                        for share, batch in zip(shares, batches, strict=False)
                    ]
                    loss += sum(part.result() for part in parts)
                    bar.update(sum(share.stop - share.start for share in shares) / 2)
            losses.append(loss / len(events))
            run.report(loss_per_epoch=losses)
            run.save_checkpoint(embeddings=embeddings, delta=delta, losses=np.array(losses))
    embeddings[network.degrees == 0] = 0
    return embeddings


def shares_of(n_events: int, batch_size: int, threads: int) -> Iterator[list[slice]]:
    """Cut an epoch into rounds, and each round into one share of whole batches per thread."""
    step = max(1, EVENTS_PER_CALL // batch_size) * batch_size
    # No longer than it takes to give every thread something to do.
    step = min(step, -(-n_events // (threads * batch_size)) * batch_size)
    starts = range(0, n_events, step)
    for round_ in range(0, len(starts), threads):
        yield [slice(start, min(start + step, n_events)) for start in starts[round_ : round_ + threads]]


def initial_tables(n_nodes: int, dimensions: int, seed: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Vectors uniform within 1/sqrt(number of nodes), as released; decay rates 1."""
    embeddings = aligned_rows(n_nodes, dimensions)
    np.random.default_rng((seed, 0)).random(out=embeddings, dtype=np.float32)
    embeddings *= np.float32(2)
    embeddings -= np.float32(1)
    embeddings /= np.float32(np.sqrt(n_nodes))
    return embeddings, np.ones(n_nodes, dtype=np.float32)
