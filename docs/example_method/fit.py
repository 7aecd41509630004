"""Truncated SVD of the time-decayed adjacency matrix: A[u, v] = sum over contacts of exp(-decay * age)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from sklearn.utils.extmath import randomized_svd

from methods.contract.run import Run
from networks.network import TemporalNetwork


def fit(network: TemporalNetwork, params: dict[str, Any], run: Run) -> NDArray[np.float32]:
    # unit_time() runs from 0 (oldest) to 1 (newest) over the training span, so age is 1 minus it.
    weight = np.exp(-params["decay"] * (1 - network.unit_time()))
    half = coo_array((weight, (network.source, network.target)), shape=(network.n_nodes, network.n_nodes)).tocsr()
    # A network may have fewer nodes than a vector has numbers; the rest of the vector stays zero.
    dimensions = min(params["dimensions"], network.n_nodes)
    embeddings = np.zeros((network.n_nodes, params["dimensions"]), dtype=np.float32)
    with run.epoch(network.n_edges, "edges"):
        left, singular, _ = randomized_svd(half + half.T, dimensions, random_state=run.seed)
        embeddings[:, :dimensions] = left * np.sqrt(singular)
    run.report(largest_singular_value=singular[0])
    return embeddings
