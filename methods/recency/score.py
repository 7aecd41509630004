"""Recency and popularity: when a pair, or either of its ends, had a contact last, or how many in a window."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from methods.contract.run import Run
from methods.edgebank.score import window_start
from networks.network import TemporalNetwork
from networks.pairs import pair_keys

NEVER = -1.0


def score(
    network: TemporalNetwork,
    source: NDArray[np.int32],
    target: NDArray[np.int32],
    time: NDArray[Any],
    params: dict[str, Any],
    run: Run,
) -> NDArray[np.float64]:
    with run.epoch(len(source), "pairs"):
        weigh = last_contacts if params["by"] == "last" else recent_contacts
        if params["of"] == "pair":
            met = pair_keys(network.source, network.target, network.n_nodes)
            keys, row_of = np.unique(met, return_inverse=True)
            asked = pair_keys(source, target, network.n_nodes)
            place = np.minimum(np.searchsorted(keys, asked), len(keys) - 1)
            value = weigh(network, row_of, len(keys), params["window"])
            nothing = NEVER if params["by"] == "last" else 0.0
            return np.where(keys[place] == asked, value[place], nothing)
        ends = np.stack([network.source, network.target], axis=1).ravel()
        value = weigh(network, ends, network.n_nodes, params["window"])
        return value[source] + value[target]


def last_contacts(network: TemporalNetwork, owner: NDArray[Any], n_owners: int, window: float) -> NDArray[np.float64]:
    """The unit time of each owner's last contact; `owner` names those of every contact in turn, one or two each."""
    last = np.full(n_owners, NEVER)
    # In order of time, and of several values for one place the last one stays.
    last[owner] = np.repeat(network.unit_time(), len(owner) // network.n_edges)
    return last


def recent_contacts(network: TemporalNetwork, owner: NDArray[Any], n_owners: int, window: float) -> NDArray[np.float64]:
    """ln(1 + the number of each owner's contacts in the window before the end)."""
    first = window_start(network.time, window) * (len(owner) // network.n_edges)
    counts: NDArray[np.float64] = np.log1p(np.bincount(owner[first:], minlength=n_owners))
    return counts
