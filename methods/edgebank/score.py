"""EdgeBank: a pair that is in the bank of remembered pairs scores 1, any other 0."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from methods.contract.run import Run
from networks.network import TemporalNetwork
from networks.pairs import pair_keys


def score(
    network: TemporalNetwork,
    source: NDArray[np.int32],
    target: NDArray[np.int32],
    time: NDArray[Any],
    params: dict[str, Any],
    run: Run,
) -> NDArray[np.float64]:
    with run.epoch(len(source), "pairs"):
        first = 0 if params["memory"] == "unlimited" else window_start(network.time, params["window"])
        bank = np.unique(pair_keys(network.source[first:], network.target[first:], network.n_nodes))
        run.report(pairs_remembered=len(bank))
        return np.isin(pair_keys(source, target, network.n_nodes), bank).astype(np.float64)


def window_start(time: NDArray[Any], share: float) -> int:
    """The first contact of the last `share` of the span; contacts exactly that old are still in."""
    age = (time[-1] - time).astype(np.float64)
    return int(np.argmax(age <= share * age[0]))
