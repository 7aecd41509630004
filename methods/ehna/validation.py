"""The validation block: the newest edges of the network that was given, by which the number of epochs is chosen."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from datasets.network import TemporalNetwork
from methods.ehna.probe import auc

FEWEST_PAIRS = 50
MOST_PAIRS = 5000


@dataclass(frozen=True)
class ValidationBlock:
    """`train_rows` older edges to train on, and as many pairs that meet later as pairs that never do."""

    train_rows: int
    source: NDArray[np.int32]
    target: NDArray[np.int32]
    meets: NDArray[np.bool_]

    @property
    def nodes(self) -> NDArray[np.int32]:
        return np.unique(np.concatenate((self.source, self.target)))

    def auc(self, nodes: NDArray[np.int32], z: NDArray[np.float32]) -> float:
        """AUC of the distance in the embedding: the closer, the likelier to meet. z[i] belongs to nodes[i]."""
        source, target = np.searchsorted(nodes, self.source), np.searchsorted(nodes, self.target)
        distance = np.square(z[source] - z[target]).sum(axis=1)
        return auc(self.meets, -distance)


def validation_block(network: TemporalNetwork, fraction: float, seed: tuple[int, ...]) -> ValidationBlock | None:
    """Cut off the newest `fraction` of edges, never within one time; None where too little is left to judge by.

    Pairs of which an end has no older edge are left out: its vector is still random.
    """
    cut = int(network.n_edges * (1 - fraction))
    if fraction == 0 or cut >= network.n_edges:
        return None
    cut = int(np.searchsorted(network.time, network.time[cut], side="left"))
    older = network.first(cut)
    known = older.degrees > 0
    generator = np.random.default_rng(seed)
    later = np.flatnonzero(known[network.source[cut:]] & known[network.target[cut:]]) + cut
    if len(later) < FEWEST_PAIRS:
        return None
    later = np.sort(generator.choice(later, min(len(later), MOST_PAIRS), replace=False))
    pairs = network.source.astype(np.int64) * network.n_nodes + network.target
    mirrored = network.target.astype(np.int64) * network.n_nodes + network.source
    met = np.unique(np.concatenate((pairs, mirrored)))
    nodes = np.flatnonzero(known)
    drawn = generator.choice(nodes, (20 * len(later), 2))
    never = drawn[(drawn[:, 0] != drawn[:, 1]) & ~np.isin(drawn[:, 0] * network.n_nodes + drawn[:, 1], met)]
    never = never[: len(later)]
    if len(never) < FEWEST_PAIRS:
        return None
    return ValidationBlock(
        cut,
        np.concatenate((network.source[later], never[:, 0])).astype(np.int32),
        np.concatenate((network.target[later], never[:, 1])).astype(np.int32),
        np.repeat([True, False], [len(later), len(never)]),
    )
