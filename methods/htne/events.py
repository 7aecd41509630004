"""The samples of HTNE: every contact seen from either end, with the contacts of that end before it."""

import numba
import numpy as np
from numpy.typing import NDArray

from networks.network import TemporalNetwork

# Event p is a contact of `source` with `target` at `time` (0 to 1 over the span of the network). Its history is the
# events p' in end - n_history <= p' < end. One record, because samples come in random order: an event and its history
# lie on two or three cache lines then, instead of one per array.
EVENT = np.dtype(
    [("time", np.float64), ("source", np.int32), ("target", np.int32), ("end", np.int32), ("n_history", np.int32)]
)


def events_of(network: TemporalNetwork, history_length: int, history_of_ties: bool) -> NDArray[np.void]:
    """Two events per contact, grouped by source, oldest first.

    The intensity of a Hawkes process sums over what happened strictly before the moment, so contacts of one moment are
    no history of each other. The released code takes whatever stands before in the file (`history_of_ties`).
    """
    adjacency = network.adjacency
    events = np.empty(len(adjacency.neighbors), dtype=EVENT)
    events["time"] = network.unit_time()[adjacency.edges]
    events["target"] = adjacency.neighbors
    _fill_history(adjacency.offsets, adjacency.times, history_length, history_of_ties, events)
    return events


@numba.njit(cache=True)
def _fill_history(offsets, times, history_length, history_of_ties, events):
    """Ties are told in the network's own type: scaled to [0, 1], two large integers could fall together."""
    for node in range(len(offsets) - 1):
        end = offsets[node]
        for p in range(offsets[node], offsets[node + 1]):
            if history_of_ties or times[p] != times[end]:
                end = p
            events[p].source = node
            events[p].end = end
            events[p].n_history = min(end - offsets[node], history_length)
