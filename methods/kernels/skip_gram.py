"""Skip-gram with negative sampling on walks: blocks of walks stream to gensim, vectors of nodes come back.

Walks are drawn twice and never stored: once to count how often each node occurs, which gensim needs before it starts
(noise distribution, sub-sampling), and once to train. Every walk has its own random numbers, so both passes see the
same walks, and memory does not grow with their number.

Blocks go to gensim as lists of integers, not as its `corpus_file`, which costs the same time per token (within 10%, one
and two workers) but with several workers lets the learning rate fall only by a share of 1/workers, and starts workers
in the middle of a line, where a cut number names another node.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from gensim.models import Word2Vec
from numpy.typing import NDArray

from methods.contract.errors import MethodError
from methods.contract.run import Run

ENDED = -1  # fills the row of a walk that ended before its full length
ROWS_AT_ONCE = 1000  # rows turned into Python lists at a time
LONGEST_WALK = 10_000  # gensim drops what a sentence has beyond this

Blocks = Callable[[], Iterator[NDArray[np.int32]]]


@contextmanager
def walking_threads(threads: int) -> Iterator[None]:
    """Let the walk kernels use so many threads, or as many as there are; walks do not depend on it."""
    before = numba.get_num_threads()
    numba.set_num_threads(min(threads, numba.config.NUMBA_NUM_THREADS))  # type: ignore[attr-defined]
    try:
        yield
    finally:
        numba.set_num_threads(before)


def skip_gram(
    blocks: Blocks, n_nodes: int, work: Callable[[], int], unit: str, params: dict[str, Any], run: Run
) -> NDArray[np.float32]:
    """Train on the walks that `blocks()` yields as rows, anew and the same at every call.

    An epoch handles `work()` items of a `unit`, asked for when the walks are drawn; its time covers walking and
    training, the first one's also the pass that counts. A node in no walk gets the zero vector; the share of such nodes
    is reported.
    """
    if params["final_learning_rate"] > params["learning_rate"]:
        raise MethodError(
            f"final_learning_rate is {params['final_learning_rate']:g}, but the rate falls, and learning_rate is "
            f"{params['learning_rate']:g}; make final_learning_rate at most that"
        )
    vectors = np.zeros((n_nodes, params["dimensions"]), dtype=np.float32)
    _count(np.empty((0, 1), dtype=np.int32), np.empty(0, dtype=np.int64))  # compiled before an epoch is timed
    with walking_threads(run.threads):
        with run.epoch(0, unit) as first:
            counts = count_tokens(blocks(), n_nodes)
            first.work = work()
            by_frequency = np.argsort(-counts, kind="stable")[: np.count_nonzero(counts)]
            model = word2vec(counts[by_frequency], params, run) if len(by_frequency) else None
            if model is not None:
                _train_epoch(model, blocks(), by_frequency, 0, params, run)
        for epoch in range(1, params["epochs"]):
            with run.epoch(work(), unit):
                if model is not None:
                    _train_epoch(model, blocks(), by_frequency, epoch, params, run)
    if model is not None:
        vectors[by_frequency] = model.wv.vectors
    run.report(tokens=int(counts.sum()), nodes_without_vector_share=float(np.mean(counts == 0)) if n_nodes else 0.0)
    return vectors


def count_tokens(blocks: Iterator[NDArray[np.int32]], n_nodes: int) -> NDArray[np.int64]:
    """How often each node occurs in the walks."""
    counts = np.zeros(n_nodes, dtype=np.int64)
    for walks in blocks:
        _count(walks, counts)
    return counts


@numba.njit(cache=True)
def _count(walks, counts):
    for row in range(walks.shape[0]):
        for step in range(walks.shape[1]):
            if walks[row, step] == ENDED:
                break
            counts[walks[row, step]] += 1


def word2vec(counts: NDArray[np.int64], params: dict[str, Any], run: Run) -> Word2Vec:
    """An untrained skip-gram model of words 0, 1, … with these counts, the most frequent first.

    Words are numbers equal to their place in the vocabulary. gensim takes a number for a place where it draws up the
    noise distribution and for a word elsewhere; any other numbering would give words each other's noise.
    """
    model = Word2Vec(
        vector_size=params["dimensions"],
        window=params["window"],
        shrink_windows=True,  # a window of 1 to `window`, drawn for every token, as in word2vec
        sg=1,
        hs=0,
        negative=params["negatives"],
        ns_exponent=0.75,
        sample=params["subsampling"],
        alpha=params["learning_rate"],
        min_alpha=params["final_learning_rate"],
        epochs=params["epochs"],
        min_count=1,
        sorted_vocab=0,  # sorted already
        batch_words=LONGEST_WALK,
        seed=run.seed % 2**32,
        workers=run.threads,
    )
    model.build_vocab_from_freq(dict(enumerate(counts.tolist())))
    return model


@dataclass(frozen=True)
class Sentences:
    """A block of walks as gensim reads it: one list of words per walk; `word[node]` is a node's word."""

    walks: NDArray[np.int32]
    word: NDArray[np.int32]

    def __iter__(self) -> Iterator[list[int]]:
        for first in range(0, len(self.walks), ROWS_AT_ONCE):
            walks = self.walks[first : first + ROWS_AT_ONCE]
            lengths = np.count_nonzero(walks != ENDED, axis=1).tolist()
            for words, length in zip(self.word[walks].tolist(), lengths, strict=True):
                yield words[:length]


def _train_epoch(
    model: Word2Vec,
    blocks: Iterator[NDArray[np.int32]],
    by_frequency: NDArray[np.int64],
    epoch: int,
    params: dict[str, Any],
    run: Run,
) -> None:
    """Train on every block once; the learning rate falls linearly over the tokens of all epochs.

    Walks are drawn here and not inside gensim, whose feeding thread would swallow an error and wait for ever.
    """
    highest, lowest = params["learning_rate"], params["final_learning_rate"]
    tokens_per_epoch = int(model.wv.expandos["count"].sum())
    done, total = epoch * tokens_per_epoch, params["epochs"] * tokens_per_epoch
    word = np.zeros(by_frequency.max() + 1, dtype=np.int32)
    word[by_frequency] = np.arange(len(by_frequency))
    with run.progress(tokens_per_epoch, "tokens", f"epoch {epoch + 1} of {params['epochs']}") as bar:
        for walks in blocks:
            tokens = int(np.count_nonzero(walks != ENDED))
            if tokens == 0:
                continue
            model.train(
                corpus_iterable=Sentences(walks, word),
                total_words=tokens,
                epochs=1,
                start_alpha=highest - (highest - lowest) * done / total,
                end_alpha=highest - (highest - lowest) * (done + tokens) / total,
            )
            done += tokens
            bar.update(tokens)
