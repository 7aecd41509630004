"""Reciprocity: how often contacts go both ways."""

import numpy as np
import pandas as pd

from datasets.network import TemporalNetwork


def reciprocity(network: TemporalNetwork) -> float:
    """Of the distinct ordered pairs (u, v), as the source names them, the share whose reverse (v, u) occurs too.

    By hashing, so that the cost is linear in the rows.
    """
    n_nodes = network.n_nodes
    ordered = pd.unique(network.source.astype(np.int64) * n_nodes + network.target)
    reverse = ordered % n_nodes * n_nodes + ordered // n_nodes
    return float(pd.Series(reverse).isin(ordered).mean())
