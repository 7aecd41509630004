"""Negative examples: for every positive one pair that is no edge, drawn by a named strategy with a declared law.

A contact of the held-out block is a positive; under a strategy of PER_PAIR only the first contact of each pair is.

Every strategy but `historical` draws candidates and rejects self pairs, pairs that meet anywhere in the whole network
(before, in or after the held-out block, in either direction) and pairs drawn before: the declared law, conditioned on
what is left. The cost is linear in edges and examples. Where too few pairs are left (a dense network), the draw
gives up after a fixed number of rounds with a sentence; it never hangs.
"""

from collections.abc import Callable
from dataclasses import dataclass
from zlib import crc32

import numba
import numpy as np
from numpy.typing import NDArray

from evaluation.errors import EvaluationError
from networks.bipartite import sides
from networks.network import TemporalNetwork
from networks.pairs import Keys, contains, contains_all, empty_set, insert, pair_keys, set_of

ROUNDS = 200  # then the draw gives up; a sparse network needs 3 to 6
CANDIDATES = 4096  # at least so many per round, so that the last few rows do not take a round each

IntArray = NDArray[np.int32]
Pairs = tuple[IntArray, IntArray]
# Candidates for these rows of the block: (generator, rows) -> (source, target).
Propose = Callable[[np.random.Generator, NDArray[np.int64]], Pairs]


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The rows [start, end) of a network whose contacts are the positives; training saw the rows before `start`."""

    network: TemporalNetwork
    start: int
    end: int

    @property
    def source(self) -> IntArray:
        return self.network.source[self.start : self.end]

    @property
    def target(self) -> IntArray:
        return self.network.target[self.start : self.end]

    def positives(self, strategy: str) -> NDArray[np.int64]:
        """Rows of the block that stand beside the negatives of a strategy: all, or the first contact of each pair."""
        if strategy not in PER_PAIR:
            return np.arange(self.end - self.start)
        return first_contacts(self.keys(self.start, self.end))

    def nodes(self) -> IntArray:
        """The nodes that have a contact before `end`; a node that appears later does not exist yet."""
        return np.flatnonzero(self.network.first(self.end).degrees).astype(np.int32)

    def keys(self, start: int = 0, end: int | None = None) -> Keys:
        """The pair keys of rows [start, end) of the network."""
        rows = slice(start, end)
        return pair_keys(self.network.source[rows], self.network.target[rows], self.network.n_nodes)


@dataclass(frozen=True, eq=False)
class Negatives:
    """Pairs in the order of the positives, and how many candidates were rejected for which reason."""

    source: IntArray
    target: IntArray
    rejected: dict[str, int]


def draw_negatives(strategy: str, held_out: HeldOut, seed: int, draw: int, known: Keys) -> Negatives:
    """One negative per positive of the strategy; `known` is the set of the pairs of the whole network.

    The random stream depends on seed, draw and strategy alone, so adding a strategy changes no other.
    """
    generator = np.random.default_rng([seed, draw, crc32(strategy.encode())])
    if strategy == "historical":
        return historical(held_out, generator)
    proposals: dict[str, Callable[[HeldOut], Propose]] = {
        "uniform": uniform,
        "degree_matched": degree_matched,
        "degree_matched_pairs": degree_matched_pairs,
        "same_source": same_source,
        "type_respecting": type_respecting,
        "inductive": inductive,
    }
    return rejection_sample(strategy, held_out, proposals[strategy](held_out), generator, known)


STRATEGIES = (
    *("uniform", "degree_matched", "degree_matched_pairs", "same_source", "type_respecting", "historical"),
    "inductive",
)
# Negatives never repeat; here positives do not either, so that no pair can train the classifier and test it.
PER_PAIR = ("degree_matched_pairs",)


def first_contacts(keys: Keys) -> NDArray[np.int64]:
    """The position of the first contact of every pair, in the order of time."""
    return np.sort(np.unique(keys, return_index=True)[1])


def uniform(held_out: HeldOut) -> Propose:
    """The paper's: both ends uniform over all nodes that have a contact, so every non-edge is equally likely."""
    nodes = held_out.nodes()

    def propose(generator: np.random.Generator, rows: NDArray[np.int64]) -> Pairs:
        source, target = nodes[generator.integers(0, len(nodes), size=(2, len(rows)), dtype=np.int32)]
        return source, target

    return propose


def degree_matched(held_out: HeldOut) -> Propose:
    """P(u, v) proportional to (times u is a source of a positive) x (times v is a target of a positive): the ends have
    nearly the degrees of the positives, so popularity alone tells little. Not nothing, because pairs of hubs are often
    edges, and rejected: the product of degrees has an AUC of about .55 on small networks.
    """
    return independent_ends(held_out.source, held_out.target)


def degree_matched_pairs(held_out: HeldOut) -> Propose:
    """As degree_matched, with every held-out pair counted once, however often it meets."""
    first = held_out.positives("degree_matched_pairs")
    return independent_ends(held_out.source[first], held_out.target[first])


def inductive(held_out: HeldOut) -> Propose:
    """As degree_matched, with the ends of *new* positives only: held-out pairs that training never saw.

    In Poursafaei et al. (2022) an inductive negative is such a pair itself, at a time when it is silent. An embedding
    has no time: that pair would be a positive and a negative with equal features, and every method would score the
    same. What carries over is the question: among nodes that form new pairs in the held-out block, which pairs
    form? Neither remembering training pairs nor knowing who is active answers it.
    """
    new = ~contains_all(set_of(held_out.keys(0, held_out.start)), held_out.keys(held_out.start, held_out.end))
    if not new.any():
        raise EvaluationError("inductive negatives need held-out pairs that training has not seen, and there are none")
    return independent_ends(held_out.source[new], held_out.target[new])


def independent_ends(source: IntArray, target: IntArray) -> Propose:
    """Candidates whose source and target are drawn apart from the given ends."""

    def propose(generator: np.random.Generator, rows: NDArray[np.int64]) -> Pairs:
        picks = generator.integers(0, len(source), size=(2, len(rows)))
        return source[picks[0]], target[picks[1]]

    return propose


def same_source(held_out: HeldOut) -> Propose:
    """Keep the positive's source; the target is uniform over the nodes that are a target anywhere in the network.

    A source with more held-out contacts than free partners (a hub of a network with many repeated contacts) runs out of
    them; then the strategy is not available.
    """
    targets = np.unique(held_out.network.target)

    def propose(generator: np.random.Generator, rows: NDArray[np.int64]) -> Pairs:
        return held_out.source[rows], generator.choice(targets, size=len(rows))

    return propose


def type_respecting(held_out: HeldOut) -> Propose:
    """For bipartite networks: the source uniform over the side of the positive's source, the target over the other."""
    side = sides(held_out.network)
    if side is None:
        raise EvaluationError("type-respecting negatives need a bipartite network, and this one is not")
    nodes = held_out.nodes()
    members = [nodes[side[nodes] == which] for which in (0, 1)]

    def propose(generator: np.random.Generator, rows: NDArray[np.int64]) -> Pairs:
        from_first = side[held_out.source[rows]] == 0
        first, second = (generator.choice(nodes, size=len(rows)) for nodes in members)
        return np.where(from_first, first, second), np.where(from_first, second, first)

    return propose


def historical(held_out: HeldOut, generator: np.random.Generator) -> Negatives:
    """Uniform, without replacement, over the distinct pairs that met in training and never from `start` on.

    These are edges of the whole network by nature: the one strategy whose negatives collide with training edges.
    After Poursafaei et al. (2022); a method that only remembers pairs ranks them all above the new positives.
    """
    keys, first_row = np.unique(held_out.keys(0, held_out.start), return_index=True)
    ended = first_row[~contains_all(set_of(held_out.keys(held_out.start)), keys)]
    count = held_out.end - held_out.start
    if len(ended) < count:
        raise EvaluationError(
            f"historical negatives: {count} are needed, but only {len(ended)} distinct training pairs "
            "do not meet again afterwards"
        )
    rows = generator.choice(ended, size=count, replace=False)
    network = held_out.network
    return Negatives(network.source[rows], network.target[rows], {"meets_again": len(keys) - len(ended)})


def rejection_sample(
    strategy: str, held_out: HeldOut, propose: Propose, generator: np.random.Generator, known: Keys
) -> Negatives:
    """Draw candidates for the rows still open until every row has a pair that is fresh."""
    count = len(held_out.positives(strategy))
    source, target = np.empty(count, dtype=np.int32), np.empty(count, dtype=np.int32)
    is_open = np.ones(count, dtype=np.bool_)
    taken = empty_set(count)
    rejected = np.zeros(3, dtype=np.int64)
    for _ in range(ROUNDS):
        rows = np.flatnonzero(is_open)
        if len(rows) == 0:
            break
        rows = np.resize(rows, max(CANDIDATES, len(rows)))
        pairs = propose(generator, rows)
        _accept(rows, *pairs, held_out.network.n_nodes, known, taken, is_open, source, target, rejected)
    missing = int(np.count_nonzero(is_open))
    if missing:
        raise EvaluationError(
            f"{strategy} negatives: {count} are needed, but only {count - missing} pairs without an edge were found; "
            "the network is too dense for this strategy"
        )
    return Negatives(source, target, dict(zip(("self", "edge", "duplicate"), rejected.tolist(), strict=True)))


@numba.njit(cache=True)
def _accept(rows, candidate_source, candidate_target, n_nodes, known, taken, is_open, source, target, rejected):
    """Give each open row its first candidate that is no self pair, no edge and not taken; count the rejections."""
    for i in range(len(rows)):
        row, u, v = rows[i], candidate_source[i], candidate_target[i]
        if not is_open[row]:
            continue
        key = np.int64(min(u, v)) * n_nodes + max(u, v)
        if u == v:
            rejected[0] += 1
        elif contains(known, key):
            rejected[1] += 1
        elif not insert(taken, key):
            rejected[2] += 1
        else:
            source[row], target[row] = u, v
            is_open[row] = False
