"""Network reconstruction: which of the most similar node pairs are edges, over all pairs of a sample of nodes.

Precision@P = (1/P) sum_{i=1}^{P} mu_i, where mu_i = 1 if the pair at rank i is an edge (section V-D of the paper).
Pairs of equal similarity have no order; the precision is then the expected one under a random order of the tied pairs,
so that constant embeddings reach the share of edges among all pairs and no artefact of storage order.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from networks.network import TemporalNetwork

SIMILARITIES = ("dot", "cosine", "euclidean")
DOT, COSINE, EUCLIDEAN = range(3)

# Rows of the similarity matrix in work at a time: 256 x 10,000 float64 are 20 MB per thread.
BLOCK_ROWS = 256
# The buffer holds this many times the largest P: a larger one is cleared less often, but falls out of the cache.
BUFFER_FACTOR = 3


@dataclass(frozen=True)
class Sample:
    """Nodes of one draw, and their edges as positions (row < column) in `nodes`, sorted by row."""

    nodes: NDArray[np.int64]
    edge_rows: NDArray[np.int64]
    edge_columns: NDArray[np.int64]

    @property
    def n_pairs(self) -> int:
        return len(self.nodes) * (len(self.nodes) - 1) // 2

    @property
    def n_edges(self) -> int:
        return len(self.edge_rows)


@dataclass(frozen=True)
class Ranking:
    """The most similar pairs: values above `threshold` in falling order, and how many pairs stand exactly at it."""

    values: NDArray[np.float64]
    threshold: float
    tied: int
    edge_values: NDArray[np.float64]


def sample_nodes(network: TemporalNetwork, n_nodes: int, draw_seed: int, draw: int) -> Sample:
    """Draw nodes uniformly without replacement (all of them if there are no more than asked for).

    The choice depends on the network's size, the seed and the draw only, so every method is judged on the same nodes.
    """
    n_nodes = min(n_nodes, network.n_nodes)
    random = np.random.default_rng([draw_seed, draw])
    nodes = np.sort(random.choice(network.n_nodes, size=n_nodes, replace=False))
    position = np.full(network.n_nodes, -1, dtype=np.int64)
    position[nodes] = np.arange(n_nodes)
    source, target = position[network.source], position[network.target]
    inside = (source >= 0) & (target >= 0)
    row, column = np.minimum(source, target)[inside], np.maximum(source, target)[inside]
    pairs = np.unique(row * n_nodes + column)
    return Sample(nodes, pairs // max(n_nodes, 1), pairs % max(n_nodes, 1))


def precision_of_draws(
    embeddings: NDArray[np.float32], samples: Sequence[Sample], pairs: Sequence[int], threads: int = 1
) -> NDArray[np.float64]:
    """Precision@P of every draw, similarity and P; NaN where P exceeds the number of pairs. One thread per draw."""
    with threadpool_limits(limits=1, user_api="blas"), ThreadPoolExecutor(max_workers=threads) as workers:
        return np.array(list(workers.map(lambda sample: precision_of_draw(embeddings, sample, pairs), samples)))


def precision_of_draw(embeddings: NDArray[np.float32], sample: Sample, pairs: Sequence[int]) -> NDArray[np.float64]:
    """Precision@P of one draw: one row per similarity, one column per P."""
    vectors = embeddings[sample.nodes].astype(np.float64)
    rankings = rank_pairs(vectors, sample, max(pairs))
    return np.array([[expected_precision(ranking, count, sample.n_pairs) for count in pairs] for ranking in rankings])


def ceiling(sample: Sample, count: int) -> float:
    """The best Precision@P that any method can reach: no more edges can be found than there are."""
    return min(1.0, sample.n_edges / count)


def expected_precision(ranking: Ranking, count: int, n_pairs: int) -> float:
    """Precision@P averaged over all orders of the pairs that tie with the pair at rank P."""
    if count > n_pairs:
        return float("nan")
    if count <= len(ranking.values):
        cut = ranking.values[count - 1]
        # The values fall, so their negatives are sorted as searchsorted wants them.
        above = int(np.searchsorted(-ranking.values, -cut, side="left"))
        tied = int(np.searchsorted(-ranking.values, -cut, side="right")) - above
    else:
        cut, above, tied = ranking.threshold, len(ranking.values), ranking.tied
    edges_above = np.count_nonzero(ranking.edge_values > cut)
    edges_tied = np.count_nonzero(ranking.edge_values == cut)
    return float((edges_above + edges_tied * (count - above) / tied) / count)


def rank_pairs(vectors: NDArray[np.float64], sample: Sample, count: int) -> list[Ranking]:
    """Rank all pairs by each similarity and keep the first `count` of them (with a count of those tied at the end).

    All three similarities follow from one matrix of dot products, computed a block of rows at a time. Only values are
    kept, never which pair they belong to: the edges' values come from the same blocks, and comparing values is enough.
    """
    squared = np.einsum("ij,ij->i", vectors, vectors)
    inverse = np.divide(1.0, np.sqrt(squared), out=np.zeros_like(squared), where=squared > 0)
    best = [_Best(min(count, sample.n_pairs), len(vectors)) for _ in SIMILARITIES]
    edge_values = np.empty((len(SIMILARITIES), sample.n_edges))
    for start in range(0, len(vectors), BLOCK_ROWS):
        stop = min(start + BLOCK_ROWS, len(vectors))
        products = vectors[start:stop] @ vectors[start:].T
        first, last = np.searchsorted(sample.edge_rows, [start, stop])
        rows, columns = sample.edge_rows[first:last], sample.edge_columns[first:last]
        for similarity in range(len(SIMILARITIES)):
            best[similarity].add(products, start, squared, inverse, similarity)
            _edge_values(
                products, start, squared, inverse, similarity, rows, columns, edge_values[similarity, first:last]
            )
    return [state.ranking(edge_values[similarity]) for similarity, state in enumerate(best)]


class _Best:
    """The largest `count` values seen so far: a buffer of values above a rising threshold."""

    def __init__(self, count: int, row_length: int) -> None:
        self.count = count
        self.threshold = -np.inf
        self.tied = 0
        self.buffer = np.empty(BUFFER_FACTOR * count + row_length)
        self.used = 0

    def add(
        self,
        products: NDArray[np.float64],
        start: int,
        squared: NDArray[np.float64],
        inverse: NDArray[np.float64],
        similarity: int,
    ) -> None:
        row = 0
        while row < len(products):
            row, self.used, tied = _collect(
                products, row, start, squared, inverse, similarity, self.threshold, self.buffer, self.used
            )
            self.tied += tied
            if row < len(products):
                self.raise_threshold()

    def raise_threshold(self) -> None:
        """Make the value at rank `count` the threshold; what stands below it can never come back."""
        seen = self.buffer[: self.used]
        seen.partition(self.used - self.count)
        self.threshold = seen[self.used - self.count]
        top = seen[self.used - self.count :]
        self.tied = int(np.count_nonzero(seen == self.threshold))
        kept = top[top > self.threshold]
        self.buffer[: len(kept)] = kept
        self.used = len(kept)

    def ranking(self, edge_values: NDArray[np.float64]) -> Ranking:
        values = np.sort(self.buffer[: self.used])[::-1]
        return Ranking(values, float(self.threshold), self.tied, edge_values)


@numba.njit(cache=True, nogil=True, inline="always")
def _similarity(product, squared_u, squared_v, inverse_u, inverse_v, similarity):
    """Dot product, cosine, or the negative squared distance (same order as the distance), to the precision of float32.

    Embeddings are float32, so further digits are noise, and noise would order pairs that tie: the same dot product
    summed in another order differs in the last bits of float64. Veltkamp's splitting keeps the upper 24 bits at any
    magnitude. A distance below the rounding error of its two squares is 0. The cosine with a zero vector is 0.
    """
    if similarity == DOT:
        value = product
    elif similarity == COSINE:
        value = product * inverse_u * inverse_v
    else:
        total = squared_u + squared_v
        distance = total - 2.0 * product
        value = -distance if distance > 1e-13 * total else 0.0
    scaled = value * 536870913.0  # 2^29 + 1: 53 bits minus 29 leave 24
    return scaled - (scaled - value)


@numba.njit(cache=True, nogil=True)
def _collect(products, row, start, squared, inverse, similarity, threshold, buffer, used):
    """Append the values above the threshold, row by row, until the buffer has no room for one more row.

    Returns the row to go on with, the entries in use, and how many values stood exactly at the threshold.
    """
    tied = 0
    n_columns = products.shape[1]
    while row < len(products) and used + n_columns <= len(buffer):
        squared_u, inverse_u = squared[start + row], inverse[start + row]
        for column in range(row + 1, n_columns):
            value = _similarity(
                products[row, column],
                squared_u,
                squared[start + column],
                inverse_u,
                inverse[start + column],
                similarity,
            )
            if value > threshold:
                buffer[used] = value
                used += 1
            elif value == threshold:
                tied += 1
        row += 1
    return row, used, tied


@numba.njit(cache=True, nogil=True)
def _edge_values(products, start, squared, inverse, similarity, rows, columns, values):
    for edge in range(len(rows)):
        u, v = rows[edge], columns[edge]
        values[edge] = _similarity(
            products[u - start, v - start], squared[u], squared[v], inverse[u], inverse[v], similarity
        )
