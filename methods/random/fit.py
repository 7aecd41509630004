"""Random vectors: the floor of every table, independent of the network."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from methods.contract.run import Run
from networks.network import TemporalNetwork


def fit(network: TemporalNetwork, params: dict[str, Any], run: Run) -> NDArray[np.float32]:
    with run.epoch(network.n_nodes, "nodes"):
        return np.random.default_rng(run.seed).standard_normal(
            (network.n_nodes, params["dimensions"]), dtype=np.float32
        )
