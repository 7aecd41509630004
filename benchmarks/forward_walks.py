"""Time-respecting forward walks (CTDNE) against tempest-rw on the CPU, in turns within one run.

Both begin at a uniform contact, in either direction, and go on by a uniform later one; every contact has a time of its
own, so that both draw from the same law. That they do is seen from the mean length of their walks, which must agree.
"""

import tempfile
import time
from pathlib import Path

import numba
import numpy as np

from benchmarks.measurement import Measurement, in_turns
from benchmarks.peers.environment import peer_in_turns
from harness.errors import UserError
from methods.kernels.forward_walks import TimeOrder, forward_walks, time_order
from networks.synthetic import generate

N_NODES, N_EDGES = 28_085, 236_894  # as HTNE's DBLP
WALK_LENGTH, N_WALKS = 80, 1_000_000
SAME_LENGTH = 0.02  # of the mean number of steps; both are means over a million walks


def measure() -> list[Measurement]:
    network = generate(N_NODES, N_EDGES, seed=1)
    order, mean_steps = time_order(network, allow_ties=False), {}
    with tempfile.TemporaryDirectory() as folder:
        contacts = Path(folder) / "contacts.npz"
        np.savez(contacts, source=network.source, target=network.target, time=network.time)
        with peer_in_turns("temporal_walk_peer", contacts, WALK_LENGTH, N_WALKS) as peer:

            def ours() -> float:
                rate, mean_steps["ours"] = steps_per_second(order)
                return rate

            def theirs() -> float:
                found = peer("tempest")
                mean_steps["peer"] = found["mean_steps"]
                return found["rate"]

            turns = in_turns({"ours": ours, "peer": theirs})
    refuse_other_walks(mean_steps)
    threads = numba.get_num_threads()
    data = f"generated: {N_NODES} nodes, {N_EDGES} edges; {mean_steps['ours']:.2f} steps a walk, {threads} threads"
    return [turns.measurement("forward walks / tempest-rw 1.0.6 on the CPU", "ours", "peer", "steps/s", data, None)]


def steps_per_second(order: TimeOrder) -> tuple[float, float]:
    """Steps per second, and steps of a walk on average."""
    numbers = np.arange(N_WALKS)
    forward_walks(order, numbers[:100], WALK_LENGTH, seed=1)
    start = time.perf_counter()
    walks = forward_walks(order, numbers, WALK_LENGTH, seed=1)
    seconds = time.perf_counter() - start
    n_steps = int(np.count_nonzero(walks[:, 1:] >= 0))
    return n_steps / seconds, n_steps / N_WALKS


def refuse_other_walks(mean_steps: dict[str, float]) -> None:
    ours, peer = mean_steps["ours"], mean_steps["peer"]
    if abs(ours - peer) > SAME_LENGTH * ours:
        raise UserError(f"forward walks: {ours:.3f} steps a walk, but the peer's have {peer:.3f}: not the same walks")
