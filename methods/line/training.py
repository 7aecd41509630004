"""LINE's asynchronous stochastic gradient descent: sampled edges against negatives, on shared tables without a lock.

For an edge (u, v) drawn with probability proportional to its weight, in either direction, and negatives v_1..v_K drawn
from the noise, one step climbs (Tang et al. 2015, Eq. 7; first order with the vertex table on both sides)

    log sigmoid(c_v . x_u) + sum_k log sigmoid(-c_{v_k} . x_u)

where x are vertex vectors and c the vectors of the other side: vertex vectors again (first order) or context vectors
(second order). As in the authors' program each target moves at once, while the moves of u add up over the 1+K targets
and are applied at the end of the step, and negatives are not compared with u, v or u's neighbors.
"""

from concurrent.futures import Executor
from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from methods.kernels.random_stream import below, stream
from methods.kernels.rows import VECTORIZE, aligned_rows, prefetch
from methods.kernels.sampling import alias_table, draw_many, noise_table
from methods.kernels.static_graph import merged_graph, pairs_once
from networks.network import TemporalNetwork

# Samples are drawn this many at a time, so that their rows are known early enough to be fetched ahead.
BLOCK = 256
# How many samples ahead: one sample takes about as long as memory takes to answer; 1 to 8 measured within noise.
AHEAD = 4
# The learning rate falls to this share of its start and no further.
LEAST_RATE = 1e-4


@dataclass(frozen=True)
class WeightedGraph:
    """The static graph: each pair of nodes once, with its number of contacts, and the tables to draw from."""

    pairs: NDArray[np.int32]
    edge_table: NDArray[np.void]
    noise_table: NDArray[np.void]

    @property
    def n_edges(self) -> int:
        return len(self.pairs)


def weighted_graph(network: TemporalNetwork) -> WeightedGraph:
    """Each pair that met, whichever end was named first; the degree of the noise is the sum of weights at a node.

    Parallel contacts drawn apart and one edge of their summed weight are the same distribution; the latter is smaller.
    """
    pairs, weights = pairs_once(merged_graph(network))
    return WeightedGraph(pairs, alias_table(weights), noise_table(network.degrees))


@dataclass(frozen=True)
class Half:
    """One order's tables: the vertex vectors, and the side that targets are read from (the same table in order 1)."""

    order: int
    vertex: NDArray[np.float32]
    other: NDArray[np.float32]


def initial_half(order: int, n_nodes: int, dimensions: int, seed: int) -> Half:
    """Vertex vectors uniform in (-0.5, 0.5) / dimensions; context vectors 0."""
    vertex = aligned_rows(n_nodes, dimensions)
    np.random.default_rng((seed, order)).random(out=vertex, dtype=np.float32)
    vertex -= np.float32(0.5)
    vertex /= np.float32(dimensions)
    return Half(order, vertex, vertex if order == 1 else aligned_rows(n_nodes, dimensions))


def load_kernel(half: Half, graph: WeightedGraph) -> None:
    """Compile the kernel, or load it from numba's cache, so that the first epoch is timed like the others."""
    train_samples(half.vertex, half.other, graph.pairs, graph.edge_table, graph.noise_table, 0, 1, 0.0, 0, 1, 1, 0, 0)


def train_epoch(
    half: Half,
    graph: WeightedGraph,
    epoch: int,
    n_epochs: int,
    negatives: int,
    learning_rate: float,
    seed: int,
    threads: int,
    pool: Executor,
) -> None:
    """Train on as many samples as the graph has edges, shared out among the threads.

    Every thread has its own random stream, so one thread gives the same bytes for the same seed. Several update the
    same tables at once and sometimes lose each other's updates, as in the original.
    """
    bounds = np.linspace(0, graph.n_edges, threads + 1).astype(np.int64)
    first_sample, total = epoch * graph.n_edges, n_epochs * graph.n_edges
    shares = [
        pool.submit(
            train_samples,
            half.vertex,
            half.other,
            graph.pairs,
            graph.edge_table,
            graph.noise_table,
            int(bounds[thread + 1] - bounds[thread]),
            negatives,
            learning_rate,
            first_sample,
            threads,
            total,
            seed,
            (epoch * 2 + half.order - 1) * threads + thread,
        )
        for thread in range(threads)
    ]
    for share in shares:
        share.result()


@numba.njit(cache=True, nogil=True, fastmath=VECTORIZE)
def train_samples(
    vertex,
    other,
    pairs,
    edge_table,
    noise,
    n_samples,
    negatives,
    learning_rate,
    first_sample,
    pace,
    total_samples,
    seed,
    stream_index,
):
    """One thread's samples; it takes the others to be as far as itself: each of its samples stands for `pace`."""
    state = stream(seed, stream_index)
    dimensions = vertex.shape[1]
    move_of_u = np.empty(dimensions, dtype=np.float32)
    edges = np.empty(BLOCK, dtype=np.int32)
    sources = np.empty(BLOCK, dtype=np.int32)
    targets = np.empty((BLOCK, 1 + negatives), dtype=np.int32)
    drawn = np.empty(BLOCK * negatives, dtype=np.int32)
    for done in range(0, n_samples, BLOCK):
        n_block = min(BLOCK, n_samples - done)
        progress = (first_sample + done * pace) / (total_samples + 1)
        rate = np.float32(learning_rate * max(1.0 - progress, LEAST_RATE))

        state = draw_many(edge_table, state, edges[:n_block])
        for j in range(n_block):
            prefetch(pairs, edges[j])
        state = draw_many(noise, state, drawn[: n_block * negatives])
        for j in range(n_block):
            state, direction = below(state, 2)
            sources[j], targets[j, 0] = pairs[edges[j], direction], pairs[edges[j], 1 - direction]
            for k in range(negatives):
                targets[j, 1 + k] = drawn[j * negatives + k]

        for j in range(n_block):
            step(vertex, sources, other, targets, j, min(j + AHEAD, n_block - 1), rate, move_of_u)


@numba.njit(cache=True, nogil=True, fastmath=VECTORIZE)
def step(vertex, sources, other, targets, at, ahead, rate, move_of_u):
    """One edge and its negatives: targets[at, 0] is v, the others are noise. float32 throughout.

    Rows of sample `ahead` are asked for one at a time: a processor has some twenty requests under way and stops when
    there are more, and all rows of a sample together are 28. Rows are indexed where they stand: a view,
    `c_v = other[v]`, would cost two atomic counts of references.
    """
    one = np.float32(1.0)
    dimensions = vertex.shape[1]
    u = sources[at]
    prefetch(vertex, sources[ahead])
    for i in range(dimensions):
        move_of_u[i] = np.float32(0.0)
    for k in range(targets.shape[1]):
        v = targets[at, k]
        prefetch(other, targets[ahead, k])
        product = np.float32(0.0)
        for i in range(dimensions):
            product += vertex[u, i] * other[v, i]
        label = one if k == 0 else np.float32(0.0)
        # The exact sigmoid costs a tenth more than the authors' table of 1000 entries and does not saturate at 6.
        pull = rate * (label - one / (one + np.exp(-product)))
        for i in range(dimensions):
            move_of_u[i] += pull * other[v, i]
            other[v, i] += pull * vertex[u, i]
    for i in range(dimensions):
        vertex[u, i] += move_of_u[i]
