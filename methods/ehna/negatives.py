"""Negative nodes for both sides of an edge (Eq. 7), from the noise distribution P_n(v) ~ degree^0.75."""

import numba
import numpy as np
from numpy.typing import NDArray

from methods.sampling import NOISE_EXPONENT
from methods.walks.backward import History
from methods.walks.random_stream import stream, uniform

MOST_TRIES = 10


def node_noise(degrees: NDArray[np.int64]) -> NDArray[np.float64]:
    """Cumulative weights of all nodes under P_n."""
    return np.cumsum(degrees.astype(np.float64) ** NOISE_EXPONENT)


def batch_noise(nodes: NDArray[np.int32], degrees: NDArray[np.int64]) -> NDArray[np.float64]:
    """Cumulative weights of a batch's end points: they occur about as often as their degree says, so degree^-0.25."""
    return np.cumsum(degrees[nodes].astype(np.float64) ** (NOISE_EXPONENT - 1))


def draw_negatives(
    history: History,
    source: NDArray[np.int32],
    target: NDArray[np.int32],
    candidates: NDArray[np.int32],
    cumulative: NDArray[np.float64],
    n: int,
    seed: int,
) -> NDArray[np.int64]:
    """(2, edges, n) places in `candidates`: n around each source, then n around each target.

    A draw that is an end of the edge, or a neighbor of the end it is drawn for, is drawn again, at most ten times; then
    it is -1 and left out of the loss.
    """
    drawn = np.empty((2, len(source), n), dtype=np.int64)
    _draw(history, np.stack((source, target)), candidates, cumulative, np.uint64(seed), drawn)
    return drawn


@numba.njit(cache=True, nogil=True)
def _draw(history, ends, candidates, cumulative, seed, drawn):
    _, edges, n = drawn.shape
    for side in range(2):
        for edge in range(edges):
            anchor, other = ends[side, edge], ends[1 - side, edge]
            begin, end = history.offsets[anchor], history.offsets[anchor + 1]
            state = stream(seed, side * edges + edge)
            for q in range(n):
                drawn[side, edge, q] = -1
                for _ in range(MOST_TRIES):
                    state, value = uniform(state)
                    at = np.searchsorted(cumulative, value * cumulative[-1], side="right")
                    if at == len(candidates):
                        continue
                    v = candidates[at]
                    if v in (anchor, other):
                        continue
                    place = begin + np.searchsorted(history.pair_neighbors[begin:end], v)
                    if place < end and history.pair_neighbors[place] == v:
                        continue
                    drawn[side, edge, q] = at
                    break
