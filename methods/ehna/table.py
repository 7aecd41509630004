"""The embedding table e: Eq. 7 on unit vectors by stochastic gradient descent, before anything is aggregated.

For an edge (x, y) and, for each of its ends, negatives v_1..v_Q drawn from P_n(v) ~ degree^0.75, one step descends

    sum_q [m + |e_x - e_y|^2 - |e_x - e_q|^2]_+

and then the same around y. Every row that moved goes back to the unit sphere. The rate falls to 0, or to a floor where
training goes on later. Threads share the table without a lock, as in LINE: one thread gives the same bytes for the same
seed, several do not.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
from numpy.typing import NDArray

from methods.kernels.random_stream import stream
from methods.kernels.rows import VECTORIZE, aligned_rows, prefetch
from methods.kernels.sampling import draw_many, noise_table
from networks.network import TemporalNetwork

NEGATIVES = 5
RATE = 0.1
# Edges whose rows and negatives are asked for before the first of them is computed.
BLOCK = 64


def random_table(n_nodes: int, width: int, seed: tuple[int, ...]) -> NDArray[np.float32]:
    """Unit vectors in random directions."""
    table = aligned_rows(n_nodes, width)
    table[:] = np.random.default_rng(seed).standard_normal((n_nodes, width), dtype=np.float32)
    table /= np.linalg.norm(table, axis=1, keepdims=True)
    return table


def train_table(
    table: NDArray[np.float32],
    network: TemporalNetwork,
    passes: int,
    margin: float,
    ageing: float,
    seed: tuple[int, ...],
    threads: int,
    last_rate: float = 0.0,
    tell: Callable[[int], object] = lambda n_done: None,
) -> None:
    """`passes` times as many edges as the network has, in random order; `tell` hears of the edges done.

    With `ageing`, edges are drawn with weight exp(ageing * unit time), Eq. 1's kernel: newer ones more often. Without,
    every edge comes once in a pass.
    """
    if network.n_edges == 0:
        return
    generator = np.random.default_rng(seed)
    noise = noise_table(network.degrees)
    law = np.cumsum(np.exp(ageing * (network.unit_time() - 1))) if ageing else None
    rates = np.linspace(RATE, last_rate, passes + 1)
    first_stream = int(generator.integers(2**62))
    with ThreadPoolExecutor(threads) as pool:
        for number in range(passes):
            if law is None:
                order = generator.permutation(network.n_edges).astype(np.int32)
            else:
                drawn = np.searchsorted(law, generator.random(network.n_edges) * law[-1], side="right")
                order = np.minimum(drawn, network.n_edges - 1).astype(np.int32)
            shares = [
                pool.submit(
                    _train,
                    table,
                    network.source,
                    network.target,
                    part,
                    noise,
                    np.float32(margin),
                    rates[number],
                    rates[number + 1],
                    np.uint64(first_stream),
                    number * threads + thread,
                )
                for thread, part in enumerate(np.array_split(order, threads))
            ]
            for share in shares:
                share.result()
            tell(network.n_edges)


@numba.njit(cache=True, nogil=True)
def _train(table, source, target, order, noise, margin, first_rate, last_rate, seed, stream_index):
    state = stream(seed, stream_index)
    slope = np.empty(table.shape[1], dtype=np.float32)
    drawn = np.empty(BLOCK * 2 * NEGATIVES, dtype=np.int32)
    for begin in range(0, len(order), BLOCK):
        end = min(begin + BLOCK, len(order))
        # The step of Eq. 7 is twice the rate: d|a - b|^2 / da = 2 (a - b).
        rate = np.float32(2.0 * (first_rate + (last_rate - first_rate) * begin / len(order)))
        state = draw_many(noise, state, drawn)
        for i in range(begin, end):
            x, y = source[order[i]], target[order[i]]
            if i + 1 < end:
                prefetch(table, source[order[i + 1]])
                prefetch(table, target[order[i + 1]])
                for k in range(2 * NEGATIVES):
                    prefetch(table, drawn[(i + 1 - begin) * 2 * NEGATIVES + k])
            first = (i - begin) * 2 * NEGATIVES
            step(table, x, y, drawn, first, margin, rate, slope)
            step(table, y, x, drawn, first + NEGATIVES, margin, rate, slope)


@numba.njit(cache=True, nogil=True, fastmath=VECTORIZE)
def step(table, x, y, drawn, first, margin, rate, slope):
    """One end x of an edge (x, y) against the nodes drawn[first : first + Q]; a draw that is x or y is left out.

    No loop over a row both takes a sum and writes (tests/unit/methods/test_kernel_layout.py).
    """
    width = table.shape[1]
    near = np.float32(0.0)
    for j in range(width):
        near += (table[x, j] - table[y, j]) * (table[x, j] - table[y, j])
    for j in range(width):
        slope[j] = np.float32(0.0)
    active = 0
    for k in range(first, first + NEGATIVES):
        v = drawn[k]
        if v in (x, y):
            continue
        far = np.float32(0.0)
        for j in range(width):
            far += (table[x, j] - table[v, j]) * (table[x, j] - table[v, j])
        if margin + near - far <= 0:
            continue
        active += 1
        for j in range(width):
            slope[j] += table[v, j] - table[y, j]
        for j in range(width):
            table[v, j] -= rate * (table[x, j] - table[v, j])
        to_sphere(table, v)
    if active:
        pull = rate * np.float32(active)
        for j in range(width):
            table[y, j] -= pull * (table[y, j] - table[x, j])
        for j in range(width):
            table[x, j] -= rate * slope[j]
        to_sphere(table, x)
        to_sphere(table, y)


@numba.njit(cache=True, nogil=True, fastmath=VECTORIZE, inline="always")
def to_sphere(table, row):
    square = np.float32(0.0)
    for j in range(table.shape[1]):
        square += table[row, j] * table[row, j]
    shorter = np.float32(1.0) / np.sqrt(square)
    for j in range(table.shape[1]):
        table[row, j] *= shorter
