"""What GraphMixer sees of a node: how long ago its latest contacts were, and whom it met lately."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from networks.network import TemporalNetwork


@dataclass(frozen=True)
class Past:
    """The contacts of a network, to be looked back at from any of its rows."""

    network: TemporalNetwork

    @cached_property
    def _places(self) -> NDArray[np.int64]:
        """Node and row of every entry of the adjacency as one number, which ascends: one binary search finds both."""
        adjacency = self.network.adjacency
        owners = np.repeat(np.arange(self.network.n_nodes), np.diff(adjacency.offsets))
        return owners * self.network.n_edges + adjacency.edges

    def rows_before(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """How many contacts are strictly earlier than each of these rows."""
        time = self.network.time
        return np.searchsorted(time, time[rows], side="left")

    def elapsed(
        self, nodes: NDArray[np.int32], ends: NDArray[np.int64], times: NDArray[Any], contacts: int
    ) -> NDArray[np.float64]:
        """Time since each node's contacts among the first `ends` rows, the latest first; NaN where there are no more.

        Of shape (nodes, contacts), in the network's own unit.
        """
        adjacency, n_edges = self.network.adjacency, self.network.n_edges
        after = np.searchsorted(self._places, nodes.astype(np.int64) * n_edges + ends)
        places = after[:, None] - 1 - np.arange(contacts)
        there = places >= adjacency.offsets[nodes][:, None]
        # Subtracted in the type of the times: as floats, two late ones could be one.
        since = (times[:, None] - adjacency.times[np.where(there, places, 0)]).astype(np.float64)
        since[~there] = np.nan
        return since

    def met(self, end: int, window: int) -> "Acquaintances":
        """Who met whom in the `window` rows before row `end`."""
        rows = slice(max(0, end - window), end)
        source, target = self.network.source[rows].astype(np.int64), self.network.target[rows].astype(np.int64)
        n = self.network.n_nodes
        return Acquaintances(*np.divmod(np.unique(np.concatenate((source * n + target, target * n + source))), n))


@dataclass(frozen=True)
class Acquaintances:
    """Whom each node met, everyone once: `others` of a node stand together, in the order of `owners`."""

    owners: NDArray[np.int64]
    others: NDArray[np.int64]

    def of(self, nodes: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The acquaintances of these nodes one after the other, and where those of each begin."""
        first = np.searchsorted(self.owners, nodes, side="left")
        count = np.searchsorted(self.owners, nodes, side="right") - first
        begin = np.cumsum(count) - count
        return self.others[np.repeat(first - begin, count) + np.arange(count.sum())], begin
