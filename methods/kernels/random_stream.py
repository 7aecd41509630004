"""One random stream per walk, so that walks do not depend on the number of threads.

SplitMix64 (Steele, Lea, Flood 2014): the state advances by a constant and a mix of it is the output, so any
(seed, index) pair starts a stream at the cost of two multiplications, inside a parallel loop, without a lock.
"""

import numba
import numpy as np

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_TO_UNIT = 1.0 / 9007199254740992.0  # 2**-53: the 53 high bits become a float64 in [0, 1)


@numba.njit(cache=True, inline="always")
def mix(state):
    """Scramble 64 bits so that neighbouring states give unrelated outputs."""
    state = (state ^ (state >> np.uint64(30))) * _MIX_1
    state = (state ^ (state >> np.uint64(27))) * _MIX_2
    return state ^ (state >> np.uint64(31))


@numba.njit(cache=True, inline="always")
def stream(seed, index):
    """The starting state of stream number `index` of a run with this seed."""
    return mix(mix(np.uint64(seed) + _STEP) + np.uint64(index) * _STEP)


@numba.njit(cache=True, inline="always")
def uniform(state):
    """Advance the stream; return (new state, float64 in [0, 1))."""
    state = state + _STEP
    return state, (mix(state) >> np.uint64(11)) * _TO_UNIT


@numba.njit(cache=True, inline="always")
def below(state, n):
    """Advance the stream; return (new state, integer in 0..n-1)."""
    state, value = uniform(state)
    return state, np.int64(value * n)
