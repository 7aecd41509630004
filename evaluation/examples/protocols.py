"""Protocols: which negatives stand beside the positives, and how the examples are split for the classifier."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import EvaluationError
from evaluation.examples.negatives import PER_PAIR, STRATEGIES
from networks.pairs import pair_keys

Rows = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pairs:
    """The examples that a split divides: their ends and times."""

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    time: NDArray[np.int64] | NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.source)


def iid(pairs: Pairs, generator: np.random.Generator) -> tuple[Rows, Rows]:
    """The paper's: a random half of the examples trains. A pair that meets often can be on both sides."""
    order = generator.permutation(len(pairs))
    return np.sort(order[: len(pairs) // 2]), np.sort(order[len(pairs) // 2 :])


def pair_grouped(pairs: Pairs, generator: np.random.Generator) -> tuple[Rows, Rows]:
    """Random, but all examples of an unordered pair are on one side; the training side is at most half."""
    n_nodes = 1 + max(int(pairs.source.max()), int(pairs.target.max()))
    _, group, sizes = np.unique(pair_keys(pairs.source, pairs.target, n_nodes), return_inverse=True, return_counts=True)
    order = generator.permutation(len(sizes))
    in_training = np.zeros(len(sizes), dtype=np.bool_)
    in_training[order[np.cumsum(sizes[order]) <= len(pairs) // 2]] = True
    return np.flatnonzero(in_training[group]), np.flatnonzero(~in_training[group])


def older_newer(pairs: Pairs, generator: np.random.Generator) -> tuple[Rows, Rows]:
    """The older half trains. The border is the change of time nearest to the middle: equal times stay together."""
    times = np.sort(pairs.time)
    borders = 1 + np.flatnonzero(times[1:] != times[:-1])
    if len(borders) == 0:
        raise EvaluationError("older_newer: all held-out contacts have the same time, so there is no older half")
    border = borders[np.argmin(np.abs(borders - len(pairs) / 2))]
    return np.flatnonzero(pairs.time < times[border]), np.flatnonzero(pairs.time >= times[border])


def node_disjoint(pairs: Pairs, generator: np.random.Generator) -> tuple[Rows, Rows]:
    """A stress test: nodes are halved at random, training pairs lie in one half, test pairs in the other.

    Pairs across are left out (about half of them), so what the classifier learns about a node never helps it.
    """
    n_nodes = 1 + max(int(pairs.source.max()), int(pairs.target.max()))
    training_node = generator.random(n_nodes) < 0.5
    source, target = training_node[pairs.source], training_node[pairs.target]
    return np.flatnonzero(source & target), np.flatnonzero(~source & ~target)


CLASSIFIER_SPLITS: dict[str, Callable[[Pairs, np.random.Generator], tuple[Rows, Rows]]] = {
    "iid": iid,
    "pair_grouped": pair_grouped,
    "older_newer": older_newer,
    "node_disjoint": node_disjoint,
}


@dataclass(frozen=True)
class Protocol:
    name: str
    negatives: str
    classifier_split: str
    description: str

    @property
    def is_random(self) -> bool:
        """Whether repeating the classifier split gives another split."""
        return self.classifier_split != "older_newer"


PROTOCOLS = {
    protocol.name: protocol
    for protocol in (
        Protocol("paper", "uniform", "iid", "as the paper: uniform negatives, a random half trains the classifier"),
        Protocol("pair_grouped", "uniform", "pair_grouped", "no pair on both sides of the classifier split"),
        Protocol("older_newer", "uniform", "older_newer", "the classifier trains on the older half of the block"),
        Protocol("node_disjoint", "uniform", "node_disjoint", "no node on both sides of the classifier split"),
        Protocol(
            "degree_matched_pairs",
            "degree_matched_pairs",
            "iid",
            "the strict one: every held-out pair once, with degree-matched negatives; no pair is on both sides",
        ),
        # One thing changes at a time: these differ from the paper's protocol in the negatives alone.
        *(
            Protocol(strategy, strategy, "iid", f"as the paper, but with {strategy.replace('_', ' ')} negatives")
            for strategy in STRATEGIES
            if strategy not in ("uniform", *PER_PAIR)
        ),
    )
}


# The protocol that stands beside the paper's on the board, in figures and in the README: the first that a run has.
STRICT = ("degree_matched_pairs", "degree_matched", "pair_grouped")


def strict_protocol(protocols: Sequence[str]) -> str | None:
    """The strict one of a run's protocols; None if the run has none, or has nothing else."""
    return next((name for name in STRICT if name in protocols[1:]), None)


def classifier_split(protocol: Protocol, pairs: Pairs, seed: int, draw: int, split: int) -> tuple[Rows, Rows]:
    """(training rows, test rows), the same for every method, operator and training seed."""
    if len(pairs) == 0:
        raise EvaluationError("no example is left without a node that training never saw")
    generator = np.random.default_rng([seed, draw, split, crc32(protocol.classifier_split.encode())])
    return CLASSIFIER_SPLITS[protocol.classifier_split](pairs, generator)
