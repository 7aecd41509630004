"""Historical neighborhoods: the walks of a batch of target nodes into their past, as the aggregation reads them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from methods.kernels.backward_walks import NO_NODE, History, backward_walks, build_history, untimed_walks
from networks.network import TemporalNetwork


@dataclass(frozen=True)
class Neighborhoods:
    """`owners` are the places in `targets` of those with any history; only they have walks.

    Position 0 of a walk is its start; step s leads to position s + 1 at `times[..., s]`, in [0, 1] over the network.
    """

    targets: Tensor  # (n,)
    owners: Tensor  # (m,)
    nodes: Tensor  # (m, walks, steps + 1)
    times: Tensor  # (m, walks, steps)


@dataclass(frozen=True)
class WalkSettings:
    """How walks are drawn; the names are the parameters in method.yaml."""

    walk_length: int
    p: float
    q: float
    time_scale: float
    walk_kind: str

    @classmethod
    def of(cls, params: dict[str, Any]) -> "WalkSettings":
        return cls(**{name: params[name] for name in cls.__dataclass_fields__})


@dataclass(frozen=True)
class Past:
    """A network and the contacts of its nodes, ready to be walked."""

    network: TemporalNetwork
    history: History
    settings: WalkSettings

    @classmethod
    def of(cls, network: TemporalNetwork, settings: WalkSettings) -> "Past":
        return cls(network, build_history(network, settings.time_scale), settings)

    def before(
        self, targets: NDArray[np.int32], times: NDArray[Any], n_walks: int, seed: int, inclusive: bool = False
    ) -> Neighborhoods:
        """`n_walks` walks of each target over contacts before its time (`inclusive`: up to it)."""
        settings, common = self.settings, {"n_walks": n_walks, "length": self.settings.walk_length, "seed": seed}
        if settings.walk_kind == "static":
            walks = untimed_walks(self.history, targets, times, inclusive=inclusive, **common)
        else:
            walks = backward_walks(
                self.history, targets, times, p=settings.p, q=settings.q, inclusive=inclusive, **common
            )
        owners = np.flatnonzero(walks.nodes[::n_walks, 1] != NO_NODE)
        shape = (len(targets), n_walks, -1)
        return Neighborhoods(
            torch.from_numpy(targets.astype(np.int64)),
            torch.from_numpy(owners),
            torch.from_numpy(walks.nodes.reshape(shape)[owners].astype(np.int64)),
            torch.from_numpy(walks.times.reshape(shape)[owners]),
        )

    def latest(self, nodes: NDArray[np.int32], n_walks: int, seed: int) -> Neighborhoods:
        """Walks of each node over all its contacts, up to and including its latest."""
        history = self.history
        times = np.zeros(len(nodes), dtype=history.times.dtype)
        if len(history.times):  # a node without a contact has no walks, whatever its time
            times = history.times[np.maximum(history.offsets[nodes + 1] - 1, 0)]
        return self.before(nodes, times, n_walks, seed, inclusive=True)
