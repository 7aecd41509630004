"""Node2Vec by PecanPy (Liu and Krishnan 2021): its second-order walks, and gensim's skip-gram as PecanPy calls it."""

import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from gensim.models import Word2Vec
from numpy.typing import NDArray
from pecanpy.pecanpy import SparseOTF

from methods.contract.run import Run
from methods.kernels.static_graph import merged_graph, pairs_once
from networks.network import TemporalNetwork


def fit(network: TemporalNetwork, params: dict[str, Any], run: Run) -> NDArray[np.float32]:
    """A pair that met three times has an edge of weight 3; nodes without a contact get zero vectors."""
    tokens = int(np.count_nonzero(network.degrees)) * params["walks_per_node"] * params["walk_length"]
    graph = SparseOTF(p=params["p"], q=params["q"], workers=run.threads, verbose=False, random_state=run.seed)
    with tempfile.TemporaryDirectory(dir=run.folder) as folder:
        edges = Path(folder) / "edges.tsv"
        write_weighted_edges(network, edges)
        graph.read_edg(str(edges), weighted=True, directed=False)
    with run.epoch(tokens, "tokens"):
        # PecanPy counts steps, not nodes.
        walks = graph.simulate_walks(params["walks_per_node"], params["walk_length"] - 1)
        model = Word2Vec(
            walks,
            sg=1,
            vector_size=params["dimensions"],
            window=params["window"],
            negative=params["negatives"],
            min_count=0,
            epochs=1,
            workers=run.threads,
            seed=run.seed,
        )
    vectors = np.zeros((network.n_nodes, params["dimensions"]), dtype=np.float32)
    vectors[[int(name) for name in model.wv.index_to_key]] = model.wv.vectors
    return vectors


def write_weighted_edges(network: TemporalNetwork, path: Path) -> None:
    """One line per pair that met: both nodes and the number of contacts."""
    pairs, weights = pairs_once(merged_graph(network))
    np.savetxt(path, np.column_stack([pairs, weights]), fmt="%d", delimiter="\t")
