"""Time-respecting forward walks (CTDNE; Nguyen et al. 2018, Section 4): every step uses a later contact than the last.

A walk starts on a contact drawn uniformly from all contacts, crossed in either direction with equal probability. At
each node the next contact is drawn uniformly from the node's contacts that are later than the one just used; the walk
ends where there is none, or at `walk_length` nodes.

With `allow_ties` contacts at the same time may follow one another too (times never decrease instead of always
increasing), which coarse timestamps such as years or days call for. The contact just used is then left out, or the walk
would go back and forth over it without end; an older contact of the same time may be used again.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from methods.kernels.random_stream import below, stream
from methods.kernels.rows import CROSSING, prefetch
from methods.kernels.skip_gram import ENDED
from networks.network import TemporalNetwork

TRIED_AT_ONCE = 2**16  # row numbers of a block fit 16 bits
DRAWN_AGAIN_AT_ONCE = 50_000
LEAST_SUCCESS = 0.01
GROUP = 256  # walks that a thread takes in step with each other, so that their waits for memory overlap


class TimeOrder(NamedTuple):
    """Where a walk may go on after each contact, in either direction.

    `crossings` stand in the order of the time-ordered adjacency, so that the contacts of a node that are later than the
    one just used are one stretch of it. With ties the contact just used, at `back`, is within that stretch and does not
    count in `n_next`; without ties it is not, and `back` is `n_next`. `position[row]` tells where the crossings of a
    contact stand that lead from its source and from its target.
    """

    crossings: NDArray[np.void]
    position: NDArray[np.uint32]


def time_order(network: TemporalNetwork, allow_ties: bool) -> TimeOrder:
    """Look up once for every contact which ones may follow it."""
    crossings = np.empty(2 * network.n_edges, dtype=CROSSING)
    position = np.empty((network.n_edges, 2), dtype=np.uint32)
    _fill_crossings(network.source, network.adjacency, allow_ties, position, crossings)
    return TimeOrder(crossings, position)


@numba.njit(cache=True)
def _fill_crossings(source, adjacency, allow_ties, position, crossings):
    for node in range(len(adjacency.offsets) - 1):
        for at in range(adjacency.offsets[node], adjacency.offsets[node + 1]):
            edge = adjacency.edges[at]
            position[edge, 0 if source[edge] == node else 1] = at
    for node in range(len(adjacency.offsets) - 1):
        end = adjacency.offsets[node + 1]
        first_of_time = first_later = adjacency.offsets[node]
        for at in range(adjacency.offsets[node], end):
            if adjacency.times[at] != adjacency.times[first_of_time]:
                first_of_time = at
            while first_later < end and adjacency.times[first_later] <= adjacency.times[at]:
                first_later += 1
            edge = adjacency.edges[at]
            # A walk comes to this node by the contact's other direction.
            crossing = crossings[position[edge, 1 if source[edge] == node else 0]]
            crossing.neighbor = node
            crossing.first_next = first_of_time if allow_ties else first_later
            crossing.n_next = end - first_of_time - 1 if allow_ties else end - first_later
            crossing.back = at - first_of_time if allow_ties else crossing.n_next


def forward_walks(order: TimeOrder, numbers: NDArray[np.int64], walk_length: int, seed: int) -> NDArray[np.int32]:
    """Walks as rows of `walk_length` nodes, those that ended early filled up with -1; at least two nodes are real.

    `numbers` says which of a seed's walks to draw: each number has its own random numbers, so that groups, blocks and
    threads do not change a walk, and a walk can be drawn again.
    """
    walks = np.empty((len(numbers), walk_length), dtype=np.int32)
    _forward_walks(order, seed, numbers, walks)
    return walks


@dataclass
class BudgetedWalks:
    """Walks of at least `window` nodes, until they hold as many context windows as wanted.

    A walk of n nodes holds n - window + 1 context windows; one with fewer nodes than the window holds none and is
    discarded. The last walk is cut so that the budget is met exactly. If less than 1% of the walks are kept, the search
    is given up, or a network of short time-respecting paths would keep it going for ever.
    """

    order: TimeOrder
    windows_wanted: int
    walk_length: int
    window: int
    seed: int
    tried: int = 0
    windows: int = 0
    kept: list[NDArray[np.uint16]] = field(default_factory=list)  # rows kept of each block of TRIED_AT_ONCE walks
    surplus: int = 0  # nodes to cut off the very last walk
    searched: bool = False

    @property
    def discarded_share(self) -> float:
        return 1 - sum(len(rows) for rows in self.kept) / self.tried if self.tried else 0.0

    def blocks(self) -> Iterator[NDArray[np.int32]]:
        """The kept walks; the first call searches for them, later ones draw only these again."""
        return self._draw_again() if self.searched else self._search()

    def _search(self) -> Iterator[NDArray[np.int32]]:
        """Try block after block; two bytes per kept walk are remembered, because most walks are discarded."""
        n_kept = 0
        while self.windows < self.windows_wanted and not _hopeless(n_kept, self.tried):
            numbers = np.arange(self.tried, self.tried + TRIED_AT_ONCE)
            walks = forward_walks(self.order, numbers, self.walk_length, self.seed)
            lengths = np.count_nonzero(walks != ENDED, axis=1)
            rows = np.flatnonzero(lengths >= self.window)
            windows = np.cumsum(lengths[rows] - self.window + 1)
            needed = self.windows_wanted - self.windows
            last = int(np.searchsorted(windows, needed))
            if last < len(rows):
                rows = rows[: last + 1]
                self.surplus = int(windows[last]) - needed
                walks[rows[last], lengths[rows[last]] - self.surplus :] = ENDED
                self.tried += int(rows[last]) + 1
                self.windows = self.windows_wanted
            else:
                self.tried += TRIED_AT_ONCE
                self.windows += int(windows[-1]) if len(windows) else 0
            n_kept += len(rows)
            self.kept.append(rows.astype(np.uint16))
            yield walks[rows]
        self.searched = True

    def _draw_again(self) -> Iterator[NDArray[np.int32]]:
        """The kept walks, several blocks of the search at once where few were kept of each."""
        waiting: list[NDArray[np.int64]] = []
        for block, rows in enumerate(self.kept):
            waiting.append(block * TRIED_AT_ONCE + rows.astype(np.int64))
            is_last = block == len(self.kept) - 1
            if is_last or sum(map(len, waiting)) >= DRAWN_AGAIN_AT_ONCE:
                numbers = np.concatenate(waiting)
                walks = forward_walks(self.order, numbers, self.walk_length, self.seed)
                if is_last and self.surplus:
                    walks[-1, np.count_nonzero(walks[-1] != ENDED) - self.surplus :] = ENDED
                waiting = []
                yield walks


def _hopeless(n_kept: int, n_tried: int) -> bool:
    """Is the share of kept walks below 1%, judged by the 95% quantile of its posterior from a uniform prior?

    The rule that stellargraph stops by.
    """
    return bool(beta.ppf(0.95, 1 + n_kept, 1 + n_tried - n_kept) < LEAST_SUCCESS)


@numba.njit(parallel=True, cache=True)
def _forward_walks(order, seed, numbers, walks):
    """Walks that still go on stand first in `row`, `random` and `at`, the crossing that each takes next."""
    crossings, position = order.crossings, order.position
    n_walks, walk_length = walks.shape
    for group in numba.prange((n_walks + GROUP - 1) // GROUP):
        first = group * GROUP
        n_walking = min(n_walks - first, GROUP)
        row = np.empty(GROUP, dtype=np.int64)
        random = np.empty(GROUP, dtype=np.uint64)
        at = np.empty(GROUP, dtype=np.int64)
        at_start = np.empty(GROUP, dtype=np.int64)
        for i in range(n_walking):
            random[i], at[i] = below(stream(seed, numbers[first + i]), len(position))
            prefetch(position, at[i])
        for i in range(n_walking):
            edge, row[i] = at[i], first + i
            random[i], reverse = below(random[i], 2)
            at[i] = position[edge, reverse]
            prefetch(crossings, at[i])
            at_start[i] = position[edge, 1 - reverse]
            prefetch(crossings, at_start[i])
        for i in range(n_walking):
            walks[row[i], 0] = crossings[at_start[i]].neighbor
        for step in range(1, walk_length):
            still = 0
            for i in range(n_walking):
                crossing = crossings[at[i]]
                walks[row[i], step] = crossing.neighbor
                if crossing.n_next > 0:
                    random[still], drawn = below(random[i], crossing.n_next)
                    # The contact just used is skipped.
                    at[still] = crossing.first_next + drawn + (1 if drawn >= crossing.back else 0)
                    row[still] = row[i]
                    prefetch(crossings, at[still])
                    still += 1
                else:
                    for rest in range(step + 1, walk_length):
                        walks[row[i], rest] = ENDED
            n_walking = still
