"""Second-order static walks (p=0.5, q=2) against PecanPy and node2vec, on a network of the size of HTNE's DBLP."""

import tempfile
from pathlib import Path

import numba
import numpy as np

from benchmarks.measurement import Measurement, best_seconds
from benchmarks.peers.environment import run_peer
from methods.kernels.static_graph import StaticGraph, WalkGraph, merged_graph, pairs_once, walk_graph
from methods.kernels.static_walks import static_walks
from networks.synthetic import generate

N_NODES, N_EDGES = 28_085, 206_000  # some 150,000 distinct pairs
WALK_LENGTH, P, Q = 80, 0.5, 2.0
WALKS_PER_NODE = 10


def measure() -> list[Measurement]:
    graph = merged_graph(generate(N_NODES, N_EDGES, seed=1))
    threads = numba.get_num_threads()
    with tempfile.TemporaryDirectory() as folder:
        edges = Path(folder) / "edges.tsv"
        write_edges(graph, edges)
        peers = run_peer("walk_peers", edges, WALK_LENGTH, P, Q, threads)
    ours = steps_per_second(walk_graph(graph))
    data = f"generated: {N_NODES} nodes, {len(graph.neighbors) // 2} pairs; p={P}, q={Q}, {threads} threads"
    return [
        Measurement("static walks / PecanPy 2.0.9 SparseOTF", ours, peers["pecanpy"], "steps/s", data, target=5),
        Measurement("static walks / node2vec 0.5.0", ours, peers["node2vec"], "steps/s", data, target=40),
    ]


def steps_per_second(graph: WalkGraph) -> float:
    starts = np.tile(np.arange(N_NODES, dtype=np.int32), WALKS_PER_NODE)
    static_walks(graph, starts[:100], WALK_LENGTH, P, Q, seed=1)
    seconds = best_seconds(lambda: static_walks(graph, starts, WALK_LENGTH, P, Q, seed=1), repeats=5)
    return len(starts) * (WALK_LENGTH - 1) / seconds


def write_edges(graph: StaticGraph, path: Path) -> None:
    """Every pair once, `u v weight` with tabs, as both peers read it."""
    np.savetxt(path, np.column_stack(pairs_once(graph)), fmt="%d", delimiter="\t")
