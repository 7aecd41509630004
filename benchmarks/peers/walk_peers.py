"""Steps per second of PecanPy and node2vec on a weighted edge list; runs in the environment of the peers.

Both are timed at their best: only the walking, nothing of reading, tables of probabilities, compilation, or the
translation of walks into names.
"""

import json
import sys
import time

import networkx as nx
from node2vec import Node2Vec  # type: ignore[import-not-found]
from pecanpy.pecanpy import SparseOTF  # type: ignore[import-not-found]


def pecanpy_steps_per_second(edges: str, walks_per_node: int, walk_length: int, p: float, q: float) -> float:
    graph = SparseOTF(p=p, q=q, workers=1, verbose=False, random_state=1)
    graph.read_edg(edges, weighted=True, directed=False)
    # PecanPy makes these functions anew, and so compiles anew, at every call.
    move_forward, has_neighbors = graph.get_move_forward(), graph.get_has_nbrs()
    graph.get_move_forward = lambda: move_forward
    graph.get_has_nbrs = lambda: has_neighbors
    graph._map_walk = len
    graph.simulate_walks(1, 1)
    start = time.perf_counter()
    graph.simulate_walks(walks_per_node, walk_length - 1)  # PecanPy's length counts steps, not nodes
    return graph.num_nodes * walks_per_node * (walk_length - 1) / (time.perf_counter() - start)


def node2vec_steps_per_second(
    edges: str, walks_per_node: int, walk_length: int, p: float, q: float, threads: int
) -> float:
    graph = nx.read_weighted_edgelist(edges, delimiter="\t")
    peer = Node2Vec(graph, walk_length=2, num_walks=1, p=p, q=q, workers=1, quiet=True, seed=1)
    peer.walk_length, peer.num_walks, peer.workers = walk_length, walks_per_node, threads
    start = time.perf_counter()
    walks = peer._generate_walks()
    return sum(len(walk) - 1 for walk in walks) / (time.perf_counter() - start)


def main() -> None:
    edges, walk_length, p, q, threads = sys.argv[1], int(sys.argv[2]), *map(float, sys.argv[3:5]), int(sys.argv[5])
    rates = {
        "pecanpy": max(pecanpy_steps_per_second(edges, 2, walk_length, p, q) for _ in range(3)),
        "node2vec": max(node2vec_steps_per_second(edges, n, walk_length, p, q, n) for n in {1, threads}),
    }
    print(json.dumps(rates))


if __name__ == "__main__":
    main()
