"""Steps per second of PecanPy, fastnode2vec and node2vec on a weighted edge list; runs in the environment of the peers.

All are timed at their best: only the walking, nothing of reading, tables of probabilities, compilation, or the
translation of walks into names. PecanPy walks on all threads that numba has, fastnode2vec on one (its walks come from a
loop in Python), node2vec on one or on as many as are given, whichever is faster.
"""

import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

import networkx as nx
from fastnode2vec import Graph  # type: ignore[import-not-found]
from fastnode2vec.graph import _random_walk_weighted  # type: ignore[import-not-found]
from node2vec import Node2Vec  # type: ignore[import-not-found]
from pecanpy.pecanpy import SparseOTF  # type: ignore[import-not-found]
from turns import answer_in_turns  # type: ignore[import-not-found]

WALKS_PER_NODE = 2
Measure = Callable[[], dict[str, float]]


def pecanpy(edges: str, walk_length: int, p: float, q: float) -> Measure:
    graph = SparseOTF(p=p, q=q, workers=1, verbose=False, random_state=1)
    graph.read_edg(edges, weighted=True, directed=False)
    # PecanPy makes these functions anew, and so compiles anew, at every call.
    move_forward, has_neighbors = graph.get_move_forward(), graph.get_has_nbrs()
    graph.get_move_forward = lambda: move_forward
    graph.get_has_nbrs = lambda: has_neighbors
    graph._map_walk = len
    graph.simulate_walks(1, 1)

    def measure() -> dict[str, float]:
        start = time.perf_counter()
        graph.simulate_walks(WALKS_PER_NODE, walk_length - 1)  # PecanPy's length counts steps, not nodes
        return {"rate": graph.num_nodes * WALKS_PER_NODE * (walk_length - 1) / (time.perf_counter() - start)}

    return measure


def fastnode2vec(edges: str, walk_length: int, p: float, q: float) -> Measure:
    with Path(edges).open() as file:
        rows = [(u, v, float(weight)) for u, v, weight in (line.split() for line in file)]
    graph = Graph(rows, directed=False, weighted=True, verbose=False)
    arrays = graph.indptr, graph.indices, graph.data
    starts = list(range(len(graph.indptr) - 1)) * WALKS_PER_NODE
    random.Random(1).shuffle(starts)
    _random_walk_weighted(*arrays, walk_length, p, q, 0)

    def measure() -> dict[str, float]:
        start = time.perf_counter()
        steps = sum(len(_random_walk_weighted(*arrays, walk_length, p, q, node)) - 1 for node in starts)
        return {"rate": steps / (time.perf_counter() - start)}

    return measure


def node2vec(edges: str, walk_length: int, p: float, q: float, threads: int) -> Measure:
    graph = nx.read_weighted_edgelist(edges, delimiter="\t")
    peer = Node2Vec(graph, walk_length=2, num_walks=1, p=p, q=q, workers=1, quiet=True, seed=1)
    peer.walk_length = walk_length

    def rate(workers: int) -> float:
        peer.num_walks = peer.workers = workers
        start = time.perf_counter()
        walks = peer._generate_walks()
        return sum(len(walk) - 1 for walk in walks) / (time.perf_counter() - start)

    return lambda: {"rate": max(rate(workers) for workers in {1, threads})}


def main() -> None:
    edges, walk_length, p, q, threads = sys.argv[1], int(sys.argv[2]), *map(float, sys.argv[3:5]), int(sys.argv[5])
    answer_in_turns(
        {
            "pecanpy": lambda: pecanpy(edges, walk_length, p, q),
            "fastnode2vec": lambda: fastnode2vec(edges, walk_length, p, q),
            "node2vec": lambda: node2vec(edges, walk_length, p, q, threads),
        }
    )


if __name__ == "__main__":
    main()
