"""ProNE (Zhang et al. 2019): factorise a sparse matrix of log-ratios, then let the vectors spread along the edges."""

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse
import scipy.special
from numpy.typing import NDArray
from sklearn.utils.extmath import randomized_svd

from methods.contract.run import Run
from methods.kernels.static_graph import merged_graph
from networks.network import TemporalNetwork

Vectors = NDArray[np.float64]
Matrix = Any  # a scipy.sparse.csr_array, which has no types


def fit(network: TemporalNetwork, params: dict[str, Any], run: Run) -> NDArray[np.float32]:
    with run.epoch(network.n_edges, "edges"):
        graph = merged_graph(network)
        size = (network.n_nodes, network.n_nodes)
        weights = scipy.sparse.csr_array((graph.weights.astype(np.float64), graph.neighbors, graph.offsets), shape=size)
        rank = min(params["dimensions"], network.n_nodes)
        vectors = factorised(log_ratios(weights, params["negatives"]), rank, params["power_iterations"], run.seed)
        if params["terms"] > 1:
            vectors = propagated(weights, vectors, params["terms"], params["mu"], params["theta"])
            left, values, _ = scipy.linalg.svd(vectors, full_matrices=False)
            vectors = unit_rows(left * np.sqrt(values))
        padded = np.zeros((network.n_nodes, params["dimensions"]), dtype=np.float32)
        padded[:, :rank] = vectors
        # What the decomposition leaves of a row of zeros is noise of the last digit.
        padded[network.degrees == 0] = 0
        return padded


def log_ratios(weights: Matrix, negatives: float) -> Matrix:
    """ln p(j | i) - ln(negatives * P(j)) for every edge (i, j), 0 elsewhere.

    p(j | i) is the share of j in the weight of i; P(j), how often j is noise, is proportional to
    (sum_i p(j | i))^0.75.
    """
    shares = row_shares(weights)
    noise = np.asarray(shares.sum(axis=0)).ravel() ** 0.75
    noise /= noise.sum()
    ratios = shares.copy()
    ratios.data = np.log(shares.data) - np.log(negatives * noise[shares.indices])
    return ratios


def factorised(matrix: Matrix, rank: int, power_iterations: int, seed: int) -> Vectors:
    """U sqrt(S) of the randomised decomposition U S V', its rows of length 1."""
    left, values, _ = randomized_svd(matrix, n_components=rank, n_iter=power_iterations, random_state=seed)
    return unit_rows(left * np.sqrt(values))


def propagated(weights: Matrix, vectors: Vectors, terms: int, mu: float, theta: float) -> Vectors:
    """(I + A)(X - f(L) X), with the filter f(L) = exp(-theta ((L - mu)^2 / 2 - 1)) and L = I - D^-1 A.

    A has self loops in it. The exponential is a sum of Chebyshev polynomials T_i of N = (L - mu)^2 / 2 - 1:
    exp(-theta N) = I_0(theta) + 2 sum_i (-1)^i I_i(theta) T_i(N), with the modified Bessel functions I_i.
    """
    looped = scipy.sparse.csr_array(weights + scipy.sparse.eye_array(weights.shape[0]))
    shifted = scipy.sparse.csr_array((1 - mu) * scipy.sparse.eye_array(weights.shape[0]) - row_shares(looped))

    def n_times(given: Vectors) -> Vectors:
        product: Vectors = 0.5 * (shifted @ (shifted @ given)) - given
        return product

    last, current = vectors, n_times(vectors)
    filtered = scipy.special.iv(0, theta) * last - 2 * scipy.special.iv(1, theta) * current
    for i in range(2, terms):
        last, current = current, 2 * n_times(current) - last
        filtered += 2 * (-1) ** i * scipy.special.iv(i, theta) * current
    spread: Vectors = looped @ (vectors - filtered)
    return spread


def row_shares(matrix: Matrix) -> Matrix:
    """Every row divided by its sum; a row without entries stays as it is."""
    shares = matrix.copy()
    shares.data = shares.data / np.repeat(np.asarray(matrix.sum(axis=1)).ravel(), np.diff(matrix.indptr))
    return shares


def unit_rows(vectors: Vectors) -> Vectors:
    """Rows of length 1; a row of zeros stays one."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.where(lengths > 0, lengths, 1)
