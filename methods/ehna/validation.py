"""The validation block: the newest edges of the given network, by which settings and passes are chosen.

They are judged as in the evaluation: vectors in one unit, logistic regression with C = 1 and a penalized bias, on pairs
that meet later against pairs that never do, drawn uniformly and with the ends of the positives. What counts is the mean
AUC over Hadamard, L1 and L2 and both kinds of negatives.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from networks.network import TemporalNetwork

FEWEST_PAIRS = 50
MOST_PAIRS = 4000
# Draws for one negative that is wanted, before the search is given up.
TRIES = 20


@dataclass(frozen=True)
class ValidationBlock:
    """Pairs that meet later, and as many of each kind that never do; `fold` halves them for the classifier."""

    older: TemporalNetwork  # what is left to train on
    positive: NDArray[np.int32]  # (pairs, 2)
    negatives: tuple[NDArray[np.int32], ...]  # the same shape each: uniform, matched in degree
    fold: NDArray[np.bool_]  # (pairs,)

    @property
    def nodes(self) -> NDArray[np.int32]:
        return np.unique(np.concatenate((self.positive, *self.negatives)))

    def auc(self, vectors: NDArray[np.float32]) -> float:
        """Mean AUC over operators, kinds of negatives, and which half trains; vectors[i] belongs to nodes[i]."""
        scaled = vectors.astype(np.float64) / np.sqrt(np.mean(np.square(vectors, dtype=np.float64)))
        nodes = self.nodes
        meets = np.repeat([True, False], len(self.positive))
        training = np.tile(self.fold, 2)
        found = []
        for negative in self.negatives:
            pairs = np.searchsorted(nodes, np.concatenate((self.positive, negative)))
            x, y = scaled[pairs[:, 0]], scaled[pairs[:, 1]]
            for features in (x * y, np.abs(x - y), (x - y) ** 2):
                rows = np.column_stack((features, np.ones(len(features))))
                for half in (training, ~training):
                    # LIBLINEAR's objective, bias penalized like any weight, in a tenth of its time.
                    classifier = LogisticRegression(C=1.0, solver="newton-cholesky", fit_intercept=False)
                    classifier.fit(rows[half], meets[half])
                    found.append(roc_auc_score(meets[~half], classifier.decision_function(rows[~half])))
        return float(np.mean(found))


def validation_block(
    network: TemporalNetwork, fraction: float, most_edges: int, seed: tuple[int, ...]
) -> ValidationBlock | None:
    """Cut off the newest `fraction` of edges, never within one time; None where too little is left to judge by.

    At most `most_edges` of the edges before are kept to train on, the newest. Pairs of which an end has none of these
    are left out: its vector would still be random.
    """
    cut = int(network.n_edges * (1 - fraction))
    if fraction == 0 or cut >= network.n_edges:
        return None
    cut = int(np.searchsorted(network.time, network.time[cut], side="left"))
    older = newest(network.first(cut), most_edges)
    known = older.degrees > 0
    generator = np.random.default_rng(seed)
    later = np.flatnonzero(known[network.source[cut:]] & known[network.target[cut:]]) + cut
    if len(later) < FEWEST_PAIRS:
        return None
    later = np.sort(generator.choice(later, min(len(later), MOST_PAIRS), replace=False))
    positive = np.column_stack((network.source[later], network.target[later]))
    everyone = np.flatnonzero(known).astype(np.int32)
    uniform = never_met(network, everyone, everyone, len(positive), generator)
    matched = never_met(network, positive[:, 0], positive[:, 1], len(positive), generator)
    if uniform is None or matched is None:
        return None
    fold = generator.permutation(len(positive)) < len(positive) // 2
    return ValidationBlock(older, positive, (uniform, matched), fold)


def newest(network: TemporalNetwork, n_edges: int) -> TemporalNetwork:
    """The newest `n_edges` contacts, over the same nodes."""
    rows = slice(max(0, network.n_edges - n_edges), None)
    return TemporalNetwork(network.source[rows], network.target[rows], network.time[rows], network.labels)


def never_met(
    network: TemporalNetwork,
    sources: NDArray[np.int32],
    targets: NDArray[np.int32],
    n: int,
    generator: np.random.Generator,
) -> NDArray[np.int32] | None:
    """n pairs drawn from `sources` and `targets` that meet nowhere in the network, or None if they cannot be found."""
    drawn = np.column_stack((generator.choice(sources, TRIES * n), generator.choice(targets, TRIES * n)))
    low, high = np.minimum(network.source, network.target), np.maximum(network.source, network.target)
    met = np.unique(low.astype(np.int64) * network.n_nodes + high)
    keys = drawn.min(1).astype(np.int64) * network.n_nodes + drawn.max(1)
    found = drawn[(drawn[:, 0] != drawn[:, 1]) & ~np.isin(keys, met)]
    return found[:n] if len(found) >= n else None
