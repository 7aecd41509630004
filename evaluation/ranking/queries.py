"""Queries: held-out contacts (u, v, t), each with the negatives (u, w, t) that its positive is ranked against.

After TGB (Huang et al., NeurIPS 2023, `hist_rnd`): up to half of the negatives are historical (w met u in training),
the others random. w is a target of some training contact, and neither u nor a node that u meets at t; at another time
u and w may meet. Queries whose ends training never saw are left out, as in link prediction.

Stored as an example set: the positives in order of time, one negative for each of the older half, which trains the
classifier, and `negatives` for each of the newer half, which is ranked.
"""

from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import EvaluationError
from evaluation.examples.command import held_out_rows
from evaluation.examples.example_set import POSITIVE, ExampleSet
from networks.network import TemporalNetwork
from networks.pairs import contains_all, pair_keys, set_of

BLOCK = "ranking"
TRAINING, RANKED = "training", "ranked"

Nodes = NDArray[np.int32]


def make_queries(
    network: TemporalNetwork, start: int, end: int, queries: int, negatives: int, seed: int, draw: int
) -> ExampleSet:
    """At most `queries` ranked contacts of rows [start, end), with at most `negatives` each, but all with as many."""
    network = network.first(end)
    rows = sampled_rows(network, start, queries, seed, draw)
    candidates = Candidates(network, start)
    generator = np.random.default_rng([seed, draw, crc32(b"negatives of queries")])
    excluded = [candidates.excluded(row) for row in rows]
    count = min([negatives, *(candidates.left(nodes) for nodes in excluded)])
    unavailable = {}
    drawn: list[Nodes] = []
    parts = [rows]
    n_training = len(rows) // 2
    if n_training == 0:
        unavailable[RANKED] = "fewer than two held-out contacts have both ends in training: there is nothing to rank"
    elif count == 0:
        unavailable[RANKED] = "some query has no negative: its source meets every possible target at that time"
    else:
        for query, (row, nodes) in enumerate(zip(rows, excluded, strict=True)):
            # One alone is historical for every other contact: the classifier learns from the same mixture.
            of_training = query < n_training
            size, historical = (1, query % 2) if of_training else (count, count // 2)
            drawn.append(candidates.draw(row, nodes, size, historical, generator))
        parts += [rows[:n_training], np.repeat(rows[n_training:], count)]
    at = np.concatenate(parts)
    source, target = network.source[at], network.target[at].copy()
    target[len(rows) :] = np.concatenate([target[:0], *drawn])
    edges = len(rows), len(rows) + n_training, len(at)
    kinds = {POSITIVE: slice(0, edges[0])}
    if not unavailable:
        kinds |= {TRAINING: slice(edges[0], edges[1]), RANKED: slice(edges[1], edges[2])}
    seen = network.first(start).degrees > 0
    trained = set_of(pair_keys(network.source[:start], network.target[:start], network.n_nodes))
    return ExampleSet(
        source=source,
        target=target,
        time=network.time[at],
        repeated=contains_all(trained, pair_keys(source, target, network.n_nodes)),
        unseen=~(seen[source] & seen[target]),
        rows=kinds,
        unavailable=unavailable,
        facts={
            **{"dataset": network.name, "block": BLOCK, "draw": draw, "seed": seed, "start": start, "end": end},
            **{"nodes": network.n_nodes, "edges": network.n_edges, "queries": queries, "negatives": count},
        },
    )


def sampled_rows(network: TemporalNetwork, start: int, queries: int, seed: int, draw: int) -> NDArray[np.int64]:
    """Rows of held-out contacts, in order: twice as many as are ranked, if there are; all ends are seen in training.

    Where fewer than two are, the first held-out contact stands for them, so that the set is never empty.
    """
    seen = network.first(start).degrees > 0
    rows = np.arange(start, network.n_edges)
    usable = rows[seen[network.source[start:]] & seen[network.target[start:]]]
    rows = rows[:1] if len(usable) < 2 else usable
    generator = np.random.default_rng([seed, draw, crc32(b"queries")])
    return np.sort(generator.choice(rows, min(2 * queries, len(rows)), replace=False))


class Candidates:
    """The nodes that can be the target of a negative, query by query; rows of `network` before `start` are training."""

    def __init__(self, network: TemporalNetwork, start: int) -> None:
        self.network, self.start = network, start
        self.is_target = np.zeros(network.n_nodes, dtype=np.bool_)
        self.is_target[network.target[:start]] = True
        self.n_targets = int(np.count_nonzero(self.is_target))

    def excluded(self, row: int) -> Nodes:
        """The source of a query itself, and whom it meets at that time."""
        source, time = self.network.source[row], self.network.time[row]
        contacts = self._contacts(source)
        times = self.network.adjacency.times[contacts]
        first, last = np.searchsorted(times, time, "left"), np.searchsorted(times, time, "right")
        return np.unique(np.append(self.network.adjacency.neighbors[contacts][first:last], source))

    def left(self, excluded: Nodes) -> int:
        return self.n_targets - int(np.count_nonzero(self.is_target[excluded]))

    def draw(self, row: int, excluded: Nodes, size: int, historical: int, generator: np.random.Generator) -> Nodes:
        """Distinct nodes: at most so many partners of training, then others, then more partners if these run out."""
        contacts = self._contacts(self.network.source[row])
        before = int(np.searchsorted(self.network.adjacency.edges[contacts], self.start))
        met = np.unique(self.network.adjacency.neighbors[contacts][:before])
        partners = np.setdiff1d(met[self.is_target[met]], excluded, assume_unique=True)
        generator.shuffle(partners)
        touched = np.concatenate([excluded, partners])
        before_touch = self.is_target[touched]
        self.is_target[touched] = False
        others = np.flatnonzero(self.is_target)
        self.is_target[touched] = before_touch
        n_partners = max(min(historical, len(partners)), size - len(others))
        random = generator.choice(others, size - n_partners, replace=False)
        return np.concatenate([partners[:n_partners], random]).astype(np.int32)

    def _contacts(self, node: int) -> slice:
        offsets = self.network.adjacency.offsets
        return slice(int(offsets[node]), int(offsets[node + 1]))


def check_queries(queries: ExampleSet, network: TemporalNetwork, split: Path | None, path: Path) -> None:
    """Refuse queries of another network or another split: their positives must be the rows that would be drawn here."""
    facts = queries.facts
    if facts.get("block") != BLOCK:
        raise EvaluationError(
            f"{path}: holds no queries to rank; make them with `python -m evaluation ranking-queries`"
        )
    whole = network.first(facts["end"])
    belongs = (facts["nodes"], facts["edges"]) == (network.n_nodes, whole.n_edges)
    if belongs:
        rows = sampled_rows(whole, facts["start"], facts["queries"], facts["seed"], facts["draw"])
        positives = queries.rows[POSITIVE]
        belongs = all(
            np.array_equal(ours[positives], theirs[rows])
            for ours, theirs in (
                (queries.source, whole.source),
                (queries.target, whole.target),
                (queries.time, whole.time),
            )
        )
    if belongs and split is not None:
        belongs = held_out_rows(network, split, "test") == (facts["start"], facts["end"])
    if not belongs:
        raise EvaluationError(f"{path}: made from another network or split than {network.name or 'this one'}'s")
