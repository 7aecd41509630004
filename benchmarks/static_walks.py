"""Second-order static walks (p=0.5, q=2) against PecanPy, fastnode2vec and node2vec, on a network of the size of HTNE's
DBLP; all in turns within one run. fastnode2vec walks on one thread, so ours is timed on one for it, too.
"""

import tempfile
import time
from pathlib import Path

import numba
import numpy as np

from benchmarks.measurement import Measurement, in_turns
from benchmarks.peers.environment import peer_in_turns
from methods.kernels.static_graph import StaticGraph, WalkGraph, merged_graph, pairs_once, walk_graph
from methods.kernels.static_walks import static_walks
from networks.synthetic import generate

N_NODES, N_EDGES = 28_085, 206_000  # some 150,000 distinct pairs
WALK_LENGTH, P, Q = 80, 0.5, 2.0
WALKS_PER_NODE = 10


def measure() -> list[Measurement]:
    graph = merged_graph(generate(N_NODES, N_EDGES, seed=1))
    prepared, threads = walk_graph(graph), numba.get_num_threads()
    with tempfile.TemporaryDirectory() as folder:
        edges = Path(folder) / "edges.tsv"
        write_edges(graph, edges)
        with peer_in_turns("walk_peers", edges, WALK_LENGTH, P, Q, threads) as peer:
            turns = in_turns(
                {
                    "ours": lambda: steps_per_second(prepared, threads),
                    "pecanpy": lambda: peer("pecanpy")["rate"],
                    "ours, one thread": lambda: steps_per_second(prepared, 1),
                    "fastnode2vec": lambda: peer("fastnode2vec")["rate"],
                }
            )
            # A turn of it takes a minute, and no swing of the machine hides a factor of hundreds.
            slow = in_turns(
                {"ours": lambda: steps_per_second(prepared, threads), "node2vec": lambda: peer("node2vec")["rate"]},
                rounds=1,
            )
    data = f"generated: {N_NODES} nodes, {len(graph.neighbors) // 2} pairs; p={P}, q={Q}"
    rows = (
        ("PecanPy 2.0.9 SparseOTF", turns, "ours", "pecanpy", threads, 5),
        ("fastnode2vec 0.0.7", turns, "ours, one thread", "fastnode2vec", 1, None),
        ("node2vec 0.5.0", slow, "ours", "node2vec", threads, 40),
    )
    return [
        of.measurement(f"static walks / {name}", ours, peer_name, "steps/s", f"{data}, {used} threads", target)
        for name, of, ours, peer_name, used, target in rows
    ]


def steps_per_second(graph: WalkGraph, threads: int) -> float:
    starts = np.tile(np.arange(N_NODES, dtype=np.int32), WALKS_PER_NODE)
    before = numba.get_num_threads()
    numba.set_num_threads(threads)
    try:
        static_walks(graph, starts[:100], WALK_LENGTH, P, Q, seed=1)
        start = time.perf_counter()
        static_walks(graph, starts, WALK_LENGTH, P, Q, seed=1)
        return len(starts) * (WALK_LENGTH - 1) / (time.perf_counter() - start)
    finally:
        numba.set_num_threads(before)


def write_edges(graph: StaticGraph, path: Path) -> None:
    """Every pair once, `u v weight` with tabs, as all peers read it."""
    np.savetxt(path, np.column_stack(pairs_once(graph)), fmt="%d", delimiter="\t")
