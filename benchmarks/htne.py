"""HTNE's speed and loss against plain torch with sparse embeddings."""

import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import torch
from numpy.typing import NDArray

from benchmarks.measurement import Measurement
from benchmarks.peers.plain_htne import PlainHTNE
from methods.htne.events import events_of
from methods.htne.fit import initial_tables, shares_of
from methods.htne.training import Batch, Setting, draw_samples, room_for_batch, train
from methods.kernels.sampling import noise_table
from networks.network import TemporalNetwork
from networks.synthetic import generate

N_NODES, N_EDGES = 28_085, 206_000  # some 150,000 distinct pairs, as HTNE's DBLP
DIMENSIONS, HISTORY, BATCH_SIZE = 128, 5, 1000
SETTING = Setting(negatives=5, history_length=HISTORY, learning_rate=0.01, sign=-1.0, pad_history=False, seed=1)
PEER_BATCHES = 100
REPEATS = 4


class Trial:
    """A network, the tables at their start, and the events of one epoch in random order."""

    def __init__(self, network: TemporalNetwork, n_events: int) -> None:
        self.n_nodes = network.n_nodes
        self.events = events_of(network, HISTORY, history_of_ties=False)
        self.noise = noise_table(network.degrees)
        self.order = np.random.default_rng(1).permutation(len(self.events)).astype(np.int32)[:n_events]

    def train(self, threads: int, clock: Callable[[], float] = time.perf_counter) -> tuple[float, float]:
        """Seconds per edge (two samples) and mean loss of a sample, from the start."""
        embeddings, delta = initial_tables(self.n_nodes, DIMENSIONS, seed=1)
        rooms = [room_for_batch(BATCH_SIZE, SETTING, embeddings) for _ in range(threads)]

        def work(share: slice, room: Batch) -> float:
            batch_events: NDArray[np.int32] = self.order[share]
            loss: float = train(embeddings, delta, self.events, batch_events, self.noise, SETTING, share.start, room)
            return loss

        work(slice(0, 0), rooms[0])
        with ThreadPoolExecutor(threads) as pool:
            start = clock()
            loss = sum(sum(pool.map(work, shares, rooms)) for shares in shares_of(len(self.order), BATCH_SIZE, threads))
            seconds = clock() - start
        return 2 * seconds / len(self.order), loss / len(self.order)

    def train_plain(self, threads: int) -> tuple[float, float]:
        """The same by torch, one batch after the other, drawn by our kernel outside the measured time."""
        torch.set_num_threads(threads)
        embeddings, delta = initial_tables(self.n_nodes, DIMENSIONS, seed=1)
        plain = PlainHTNE(embeddings, delta, SETTING.learning_rate)
        room = room_for_batch(BATCH_SIZE, SETTING, embeddings)
        seconds = loss = 0.0
        for number, first in enumerate(range(0, len(self.order), BATCH_SIZE)):
            batch_events = self.order[first : first + BATCH_SIZE]
            draw_samples(self.events, delta, batch_events, self.noise, SETTING, number, room)
            batch = [torch.tensor(array[: len(batch_events)]) for array in (room.nodes, room.elapsed, room.n_real)]
            start = time.perf_counter()
            loss += plain.step(batch[0], batch[1], batch[2], SETTING.negatives)
            seconds += time.perf_counter() - start
        return 2 * seconds / len(self.order), loss / len(self.order)


def measure() -> list[Measurement]:
    threads = os.cpu_count() or 1
    setting = f"{DIMENSIONS} dimensions, history of {HISTORY}, {SETTING.negatives} negatives, batches of {BATCH_SIZE}"
    data = f"generated: {N_NODES} nodes, {N_EDGES} contacts; {setting}, {threads} threads"
    trial = Trial(generate(N_NODES, N_EDGES, seed=1), PEER_BATCHES * BATCH_SIZE)
    plain = trial.train_plain(threads)
    ours = [trial.train(threads) for _ in range(REPEATS)]
    single = trial.train(1)
    return [
        Measurement("HTNE / plain torch", 1 / min(ours)[0], 1 / plain[0], "edges/s", data, target=15),
        Measurement(
            "HTNE / plain torch, mean loss over the first batches",
            single[1],
            plain[1],
            "nats/sample",
            data.replace(f"{threads} threads", f"1 thread, {PEER_BATCHES} batches"),
            target=0.999,
            lower_is_better=True,
        ),
        Measurement(
            "HTNE / plain torch, mean loss over the first batches, updates without a lock",
            ours[0][1],
            plain[1],
            "nats/sample",
            f"{data}, {PEER_BATCHES} batches",
            target=0.99,
            lower_is_better=True,
        ),
    ]
