"""Draws from a fixed discrete distribution in constant time: Walker's alias method, and the noise of negative sampling.

An alias table cuts the distribution into n slices of equal probability, each shared by at most two outcomes: slice i
gives i below its threshold and its alias above. One random number names the slice and the height within it.
"""

import numba
import numpy as np
from numpy.typing import ArrayLike, NDArray

from methods.kernels.random_stream import uniform
from methods.kernels.rows import prefetch

# Threshold and alias stand side by side: a draw touches one cache line, and a table of 5 million edges takes 40 MB.
SLICE = np.dtype([("threshold", np.float32), ("alias", np.int32)])

# Negatives are drawn with P(v) ~ degree(v)^0.75 (Mikolov et al. 2013), in LINE, HTNE and EHNA alike.
NOISE_EXPONENT = 0.75


def alias_table(weights: ArrayLike) -> NDArray[np.void]:
    """The table of P(i) = weights[i] / sum(weights); an outcome of weight 0 is never drawn."""
    weights = np.asarray(weights, dtype=np.float64)
    if not (len(weights) > 0 and np.all(np.isfinite(weights)) and np.all(weights >= 0) and weights.sum() > 0):
        raise ValueError("an alias table needs finite weights of at least 0, not all 0")
    table = np.empty(len(weights), dtype=SLICE)
    _fill(weights * (len(weights) / weights.sum()), int(np.argmax(weights)), table)
    return table


def noise_table(degrees: ArrayLike) -> NDArray[np.void]:
    """The table of the noise distribution P(v) ~ degree(v)^0.75; a node without a contact is never a negative."""
    return alias_table(np.asarray(degrees, dtype=np.float64) ** NOISE_EXPONENT)


@numba.njit(cache=True)
def _fill(share, heaviest, table):
    """Pair each outcome whose share is below a slice with one whose share is above, which gives up the difference."""
    n = len(share)
    waiting = np.empty(n, dtype=np.int32)  # outcomes below one slice from the left, above one from the right
    below, above = 0, n
    for i in range(n):
        if share[i] < 1.0:
            waiting[below] = i
            below += 1
        else:
            above -= 1
            waiting[above] = i
    while below > 0 and above < n:
        below -= 1
        poor, rich = waiting[below], waiting[above]
        table[poor].threshold = share[poor]
        table[poor].alias = rich
        share[rich] -= 1.0 - share[poor]
        if share[rich] < 1.0:
            above += 1
            waiting[below] = rich
            below += 1
    # What is left fills its slice up to rounding; a weight of 0 that rounding left over must still not be drawn.
    for at in range(below):
        table[waiting[at]].threshold = 0.0 if share[waiting[at]] == 0.0 else 1.0
        table[waiting[at]].alias = heaviest
    for at in range(above, n):
        table[waiting[at]].threshold = 1.0
        table[waiting[at]].alias = waiting[at]


@numba.njit(cache=True, inline="always")
def draw(table, state):
    """Advance the stream; return (new state, outcome)."""
    state, value = uniform(state)
    height = value * len(table)
    slice_ = np.int64(height)
    if height - slice_ < table[slice_].threshold:
        return state, slice_
    return state, np.int64(table[slice_].alias)


@numba.njit(cache=True)
def draw_many(table, state, outcomes):
    """Fill `outcomes` with the draws that as many calls of `draw` would give; return the new state.

    All slices are asked for before the first is read, so that the waits for memory overlap.
    """
    heights = np.empty(len(outcomes), dtype=np.float64)
    for at in range(len(outcomes)):
        state, value = uniform(state)
        heights[at] = value * len(table)
        prefetch(table, np.int64(heights[at]))
    for at in range(len(outcomes)):
        slice_ = np.int64(heights[at])
        outcomes[at] = slice_ if heights[at] - slice_ < table[slice_].threshold else table[slice_].alias
    return state
