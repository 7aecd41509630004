"""A small town for the tests of EHNA, its parameters, and models and pasts made of them."""

from typing import Any

import numpy as np

from methods.contract.parameters import complete_parameters
from methods.contract.registry import load_method
from methods.ehna.neighborhoods import Past
from methods.ehna.stages import new_model, past_of
from methods.ehna.training import Model
from networks.network import TemporalNetwork
from tests.conftest import network_of

PEOPLE = 40
HALF = np.arange(PEOPLE) < PEOPLE // 2


def town(n_edges: int = 400, n_nodes: int = PEOPLE) -> TemporalNetwork:
    """Forty people in two halves who mostly meet within their half, one contact a minute; further nodes meet nobody."""
    rng = np.random.default_rng(0)
    contacts: list[tuple[int, int, float]] = []
    while len(contacts) < n_edges:
        u, v = (int(person) for person in rng.integers(0, PEOPLE, 2))
        if u != v and (HALF[u] == HALF[v] or rng.random() < 0.05):
            contacts.append((u, v, 1_082_008_561 + 60 * len(contacts)))
    return network_of(contacts, n_nodes)


def separation(vectors: np.ndarray) -> float:
    """Mean cosine of people of one half, minus that of people of different halves."""
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    similar = units @ units.T
    same = (HALF[:, None] == HALF[None]) & ~np.eye(PEOPLE, dtype=bool)
    return float(similar[same].mean() - similar[HALF][:, ~HALF].mean())


def parameters(**changes: Any) -> dict[str, Any]:
    """The small ones of `conformance:`, changed."""
    method = load_method("ehna")
    return complete_parameters(method.parameters, method.conformance | changes, "ehna", method.defaults)


def model_and_past(network: TemporalNetwork, **changes: Any) -> tuple[Model, Past]:
    """As a fit begins; `time_scale` is one number here."""
    params = parameters(**{"time_scale": 5} | changes)
    return new_model(network.n_nodes, params, seed=1), past_of(network, params, params["time_scale"])
