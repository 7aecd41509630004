"""Node degree as an embedding of one dimension: log(1 + number of contacts)."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from methods.contract.run import Run
from networks.network import TemporalNetwork


def fit(network: TemporalNetwork, params: dict[str, Any], run: Run) -> NDArray[np.float32]:
    with run.epoch(network.n_edges, "edges"):
        return np.log1p(network.degrees).astype(np.float32)[:, np.newaxis]
