"""HTNE's stochastic gradient descent: gradients of a batch at the tables' values before it, then one step.

The released code sums the loss over a batch of 1000 samples, so the step of a node is the sum of its gradients in the
batch. So it is here: gradients are computed for all samples without touching the tables, and then added to the rows
that they belong to, one row after the other, which is the same step. Threads take batches side by side and add to the
same tables without a lock.
"""

from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

from methods.htne.gradient import sample_gradient
from methods.kernels.random_stream import stream
from methods.kernels.rows import VECTORIZE, aligned_rows, prefetch
from methods.kernels.sampling import draw_many

# How many samples ahead the rate and the history of an event are asked for; its own record twice as many.
AHEAD = 8


class Setting(NamedTuple):
    """What the kernels are told; `sign` and `pad_history` are -1 and False unless the released code's are asked for."""

    negatives: int
    history_length: int
    learning_rate: float
    sign: float
    pad_history: bool
    seed: int


class Batch(NamedTuple):
    """Room for the samples of a batch: row i of every array belongs to sample i.

    `nodes` holds the source, the target, the negatives and the history (oldest first, then node 0 as padding);
    `n_history` counts the places of history that take part, `n_real` those of them that hold a contact.
    """

    nodes: NDArray[np.int32]
    n_history: NDArray[np.int32]
    n_real: NDArray[np.int32]
    elapsed: NDArray[Any]
    gradient: NDArray[Any]
    delta_gradient: NDArray[Any]
    loss: NDArray[np.float64]


def room_for_batch(size: int, setting: Setting, embeddings: NDArray[Any]) -> Batch:
    width, dimensions, dtype = 2 + setting.negatives + setting.history_length, embeddings.shape[1], embeddings.dtype
    return Batch(
        nodes=np.zeros((size, width), dtype=np.int32),
        n_history=np.zeros(size, dtype=np.int32),
        n_real=np.zeros(size, dtype=np.int32),
        elapsed=np.zeros((size, setting.history_length), dtype=dtype),
        gradient=aligned_rows(size * width, dimensions, dtype).reshape(size, width, dimensions),
        delta_gradient=np.zeros(size, dtype=dtype),
        loss=np.zeros(size),
    )


@numba.njit(cache=True, nogil=True)
def train(embeddings, delta, events, order, noise, setting, first_stream, batch):
    """Train on the events `order`, a batch at a time; return the sum of their losses."""
    size = len(batch.loss)
    total = 0.0
    for number in range((len(order) + size - 1) // size):
        batch_events = order[number * size : (number + 1) * size]
        draw_samples(events, delta, batch_events, noise, setting, first_stream + number, batch)
        total += compute_gradients(embeddings, delta, len(batch_events), setting, batch)
        add_gradients(embeddings, delta, len(batch_events), setting, batch)
    return total


@numba.njit(cache=True, nogil=True)
def draw_samples(events, delta, batch_events, noise, setting, stream_index, batch):
    """Fill in nodes and elapsed times of the samples of a batch, and ask for their decay rates."""
    negatives = np.empty(len(batch_events) * setting.negatives, dtype=np.int32)
    draw_many(noise, stream(setting.seed, stream_index), negatives)
    history = 2 + setting.negatives
    for i in range(len(batch_events)):
        if i + 2 * AHEAD < len(batch_events):
            prefetch(events, batch_events[i + 2 * AHEAD])
        if i + AHEAD < len(batch_events):
            prefetch(events, max(events[batch_events[i + AHEAD]].end - 1, 0))
            prefetch(delta, events[batch_events[i + AHEAD]].source)
        event = events[batch_events[i]]
        batch.nodes[i, 0], batch.nodes[i, 1] = event.source, event.target
        for k in range(setting.negatives):
            batch.nodes[i, 2 + k] = negatives[i * setting.negatives + k]
        for j in range(event.n_history):
            past = events[event.end - event.n_history + j]
            batch.nodes[i, history + j] = past.target
            batch.elapsed[i, j] = event.time - past.time
        for j in range(event.n_history, setting.history_length):
            batch.nodes[i, history + j] = 0
            batch.elapsed[i, j] = 0
        batch.n_real[i] = event.n_history
        batch.n_history[i] = setting.history_length if setting.pad_history else event.n_history


@numba.njit(cache=True, nogil=True, fastmath=VECTORIZE)
def compute_gradients(embeddings, delta, n_samples, setting, batch):
    """Gradients of a batch at the present values of the tables; return the sum of losses."""
    n_targets = 1 + setting.negatives
    sign = embeddings.dtype.type(setting.sign)
    m, v = np.empty(embeddings.shape[1], embeddings.dtype), np.empty(embeddings.shape[1], embeddings.dtype)
    scalars = np.empty((4, setting.history_length), embeddings.dtype)
    total = 0.0
    for i in range(n_samples):
        ahead = min(i + 1, n_samples - 1)
        batch.loss[i], batch.delta_gradient[i] = sample_gradient(
            embeddings,
            delta,
            batch.nodes,
            n_targets,
            batch.n_history[i],
            batch.n_real[i],
            batch.elapsed,
            sign,
            batch.gradient,
            i,
            ahead,
            1 + n_targets + batch.n_history[ahead],
            m,
            v,
            scalars,
        )
        total += batch.loss[i]
    return total


@numba.njit(cache=True, nogil=True, fastmath=VECTORIZE)
def add_gradients(embeddings, delta, n_samples, setting, batch):
    """One step of gradient descent on the summed loss of a batch."""
    rate = embeddings.dtype.type(setting.learning_rate)
    for i in range(n_samples):
        ahead = min(i + 1, n_samples - 1)
        for place in range(2 + setting.negatives + batch.n_history[i]):
            prefetch(embeddings, batch.nodes[ahead, place])
            node = batch.nodes[i, place]
            for column in range(embeddings.shape[1]):
                embeddings[node, column] -= rate * batch.gradient[i, place, column]
        delta[batch.nodes[i, 0]] -= rate * batch.delta_gradient[i]
