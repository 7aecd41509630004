"""Backward temporal walks, ten of ten steps as in the EHNA paper: biased ones (p=0.25, q=4) against p=q=1."""

import numba
import numpy as np

from benchmarks.measurement import Measurement, best_seconds
from methods.kernels.backward_walks import Walks, backward_walks, build_history
from networks.network import TemporalNetwork
from networks.synthetic import generate

N_NODES, N_EDGES = 28_085, 236_894  # as HTNE's DBLP
N_WALKS, LENGTH = 10, 10
P, Q = 0.25, 4.0
TARGETS = 20_000


def measure() -> list[Measurement]:
    network = generate(N_NODES, N_EDGES, seed=1)
    biased, plain = steps_per_second(network, P, Q), steps_per_second(network, 1.0, 1.0)
    threads = numba.get_num_threads()
    data = f"generated: {N_NODES} nodes, {N_EDGES} edges; {N_WALKS} walks of {LENGTH} steps, {threads} threads"
    return [Measurement(f"backward walks, p={P}, q={Q} / p=q=1", biased, plain, "steps/s", data)]


def steps_per_second(network: TemporalNetwork, p: float, q: float) -> float:
    """Walks from the ends of edges of the newer half, where nodes have history, as of just before each edge."""
    history = build_history(network)
    rows = np.random.default_rng(1).integers(network.n_edges // 2, network.n_edges, TARGETS)

    def walk() -> Walks:
        return backward_walks(
            history, network.source[rows], network.time[rows], n_walks=N_WALKS, length=LENGTH, p=p, q=q, seed=1
        )

    # The first call compiles; nodes without history make no steps.
    n_steps = int(np.count_nonzero(walk().nodes[:, 1:] >= 0))
    return n_steps / best_seconds(walk, repeats=5)
