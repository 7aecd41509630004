"""Mini-batches of edges, each with its historical neighborhoods and negatives, made while the one before computes."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numba
import numpy as np
from numpy.typing import NDArray

from datasets.network import TemporalNetwork
from methods.ehna.negatives import batch_noise, draw_negatives, node_noise
from methods.ehna.neighborhoods import Neighborhoods, gather
from methods.walks.backward import History, Walks, backward_walks, build_history, static_walks

T = TypeVar("T")
S = TypeVar("S")

TWO_HOPS = 2


@dataclass(frozen=True)
class Sampling:
    """How the surroundings of an edge are sampled; the names are the parameters in method.yaml."""

    walks: int
    walk_length: int
    p: float
    q: float
    time_scale: float
    walk_kind: str
    negatives: int
    negative_context: str
    batch_size: int
    window_batches: int

    @classmethod
    def of(cls, params: dict[str, Any]) -> "Sampling":
        return cls(**{name: params[name] for name in cls.__dataclass_fields__})


@dataclass
class Source:
    """A network and what sampling from it needs."""

    network: TemporalNetwork
    history: History
    noise: NDArray[np.float64]

    @classmethod
    def of(cls, network: TemporalNetwork, sampling: Sampling) -> "Source":
        return cls(network, build_history(network, sampling.time_scale), node_noise(network.degrees))


@dataclass
class Batch:
    """`source`, `target` and `negatives` are targets of the neighborhoods; see margin_loss."""

    neighborhoods: Neighborhoods
    source: NDArray[np.int64]
    target: NDArray[np.int64]
    negatives: NDArray[np.int64]


def windowed_batches(
    rows: NDArray[np.int64], batch_size: int, window_batches: int, generator: np.random.Generator
) -> list[NDArray[np.int64]]:
    """Batches drawn at random inside windows of consecutive edges.

    Edges of one batch are of nearly one time, so that in-batch negatives do not betray themselves by their age, but not
    neighbors in the file: those often belong to one event (the authors of one paper), and would be pushed apart.
    A last batch of one joins the one before, because batch normalization needs two.
    """
    batches = []
    window = batch_size * window_batches
    for first in range(0, len(rows), window):
        shuffled = generator.permutation(rows[first : first + window])
        batches += [shuffled[at : at + batch_size] for at in range(0, len(shuffled), batch_size)]
    if len(batches) > 1 and len(batches[-1]) == 1:
        last = batches.pop()
        batches[-1] = np.concatenate((batches[-1], last))
    return batches


def make_batch(source: Source, sampling: Sampling, rows: NDArray[np.int64], seed: tuple[int, ...]) -> Batch:
    """Walks for both ends of the edges `rows` as of just before each edge, and negatives with their own context."""
    network, history = source.network, source.history
    seeds = [int(value) for value in np.random.SeedSequence(seed).generate_state(3, np.uint64)]
    n = len(rows)
    xs, ys, times = network.source[rows], network.target[rows], network.time[rows]
    targets, cutoffs = np.concatenate((xs, ys)), np.concatenate((times, times))
    if sampling.negative_context == "in_batch":
        noise = batch_noise(targets, network.degrees)
        negatives = draw_negatives(history, xs, ys, targets, noise, sampling.negatives, seeds[0])
        parts = [(0, walks_of(source, sampling, targets, cutoffs, seeds[1]), True)]
    else:
        everyone = np.arange(network.n_nodes, dtype=np.int32)
        drawn = draw_negatives(history, xs, ys, everyone, source.noise, sampling.negatives, seeds[0]).reshape(-1)
        found = np.flatnonzero(drawn >= 0)
        negatives = np.full(len(drawn), -1, dtype=np.int64)
        negatives[found] = 2 * n + np.arange(len(found))
        negatives = negatives.reshape(2, n, sampling.negatives)
        others = drawn[found].astype(np.int32)
        parts = [(0, walks_of(source, sampling, targets, cutoffs, seeds[1]), True)]
        if sampling.negative_context == "two_hop":
            sample = static_walks(history, others, n_walks=sampling.walks, length=TWO_HOPS, seed=seeds[2])
            parts.append((2 * n, sample, False))
        else:
            same_times = np.tile(np.repeat(times, sampling.negatives), 2)[found]
            parts.append((2 * n, walks_of(source, sampling, others, same_times, seeds[2]), True))
        targets = np.concatenate((targets, others))
    return Batch(
        gather(targets, parts, sampling.walks, network.n_nodes),
        np.arange(n),
        np.arange(n, 2 * n),
        negatives,
    )


def walks_of(
    source: Source,
    sampling: Sampling,
    starts: NDArray[np.int32],
    cutoffs: NDArray[Any],
    seed: int,
    inclusive: bool = False,
) -> Walks:
    if sampling.walk_kind == "static":
        return static_walks(source.history, starts, n_walks=sampling.walks, length=sampling.walk_length, seed=seed)
    return backward_walks(
        source.history,
        starts,
        cutoffs,
        n_walks=sampling.walks,
        length=sampling.walk_length,
        p=sampling.p,
        q=sampling.q,
        seed=seed,
        inclusive=inclusive,
    )


def prepared_ahead(make: Callable[[S], T], items: Iterable[S], threads: int) -> Iterator[T]:
    """make(item) for every item, in order, each in a background thread while the caller works on the one before."""
    with ThreadPoolExecutor(1, initializer=_limit_numba, initargs=(threads,)) as background:
        waiting = None
        for item in items:
            following = background.submit(make, item)
            if waiting is not None:
                yield waiting.result()
            waiting = following
        if waiting is not None:
            yield waiting.result()


def _limit_numba(threads: int) -> None:
    # The setting belongs to the thread that makes it.
    numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))  # type: ignore[attr-defined]
