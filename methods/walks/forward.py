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

import numba
import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from datasets.network import TemporalNetwork
from methods.walks.corpus import ENDED
from methods.walks.random_stream import below, stream

TRIED_AT_ONCE = 2**16  # row numbers of a block fit 16 bits
DRAWN_AGAIN_AT_ONCE = 50_000
LEAST_SUCCESS = 0.01
IN_STEP = 32  # walks that a thread takes in step with each other, so that their waits for memory overlap


def forward_walks(
    network: TemporalNetwork, numbers: NDArray[np.int64], walk_length: int, allow_ties: bool, seed: int
) -> NDArray[np.int32]:
    """Walks as rows of `walk_length` nodes, those that ended early filled up with -1; at least two nodes are real.

    `numbers` says which of a seed's walks to draw: each number has its own random numbers, so that blocks and threads
    do not change a walk, and a walk can be drawn again.
    """
    walks = np.empty((len(numbers), walk_length), dtype=np.int32)
    _forward_walks(network.source, network.target, network.time, network.adjacency, allow_ties, seed, numbers, walks)
    return walks


@dataclass
class BudgetedWalks:
    """Walks of at least `window` nodes, until they hold as many context windows as wanted.

    A walk of n nodes holds n - window + 1 context windows; one with fewer nodes than the window holds none and is
    discarded. The last walk is cut so that the budget is met exactly. If less than 1% of the walks are kept, the search
    is given up, or a network of short time-respecting paths would keep it going for ever.
    """

    network: TemporalNetwork
    windows_wanted: int
    walk_length: int
    window: int
    allow_ties: bool
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
            walks = forward_walks(self.network, numbers, self.walk_length, self.allow_ties, self.seed)
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
                walks = forward_walks(self.network, numbers, self.walk_length, self.allow_ties, self.seed)
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
def _forward_walks(source, target, time, adjacency, allow_ties, seed, numbers, walks):
    n_walks, walk_length = walks.shape
    for batch in numba.prange((n_walks + IN_STEP - 1) // IN_STEP):
        first, last = batch * IN_STEP, min(n_walks, (batch + 1) * IN_STEP)
        rows = range(first, last)
        random = np.empty(IN_STEP, dtype=np.uint64)
        edge = np.empty(IN_STEP, dtype=np.int64)
        now = np.empty(IN_STEP, dtype=time.dtype)
        for i, row in enumerate(rows):
            random[i], edge[i] = below(stream(seed, numbers[row]), len(source))
            random[i], reverse = below(random[i], 2)
            now[i] = time[edge[i]]
            walks[row, 0] = target[edge[i]] if reverse else source[edge[i]]
            if walk_length > 1:
                walks[row, 1] = source[edge[i]] if reverse else target[edge[i]]
        going_on = True
        for step in range(2, walk_length):
            if not going_on:
                walks[first:last, step:] = ENDED
                break
            going_on = False
            for i, row in enumerate(rows):
                walks[row, step] = ENDED
                node = walks[row, step - 1]
                if node != ENDED:
                    random[i], at = next_contact(adjacency, node, now[i], edge[i], allow_ties, random[i])
                    if at >= 0:
                        walks[row, step] = adjacency.neighbors[at]
                        now[i], edge[i] = adjacency.times[at], adjacency.edges[at]
                        going_on = True


@numba.njit(cache=True)
def next_contact(adjacency, node, now, edge, allow_ties, random):
    """Position of the contact after `edge`, which was at time `now`, among those of `node`; -1 if there is none."""
    first = _first_after(adjacency.times, adjacency.offsets[node], adjacency.offsets[node + 1], now, allow_ties)
    # Among contacts no older than the one just used is that one itself.
    candidates = adjacency.offsets[node + 1] - first - (1 if allow_ties else 0)
    if candidates <= 0:
        return random, np.int64(-1)
    random, chosen = below(random, candidates)
    at = first + chosen
    # Contacts of a node are in the order of their rows, so this skips exactly the contact just used.
    if allow_ties and adjacency.edges[at] >= edge:
        at += 1
    return random, at


@numba.njit(cache=True)
def _first_after(times, low, high, now, allow_ties):
    """First position from `low` to `high` (exclusive) whose time is later than `now`, or equal to it if ties count."""
    while low < high:
        middle = (low + high) // 2
        if times[middle] > now or (allow_ties and times[middle] == now):
            high = middle
        else:
            low = middle + 1
    return low
