"""Node2Vec against PecanPy's walks with gensim: AUC of link prediction, same settings, same examples, same seeds.

On CollegeMsg, and on whichever other networks have been fetched (`python -m networks fetch NAME`).
"""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measurement import Measurement
from benchmarks.peers.environment import run_peer
from benchmarks.static_walks import write_edges
from evaluation.examples.example_set import ExampleSet, make_examples
from evaluation.examples.protocols import PROTOCOLS
from evaluation.link_prediction.evaluate import evaluate_embeddings
from evaluation.link_prediction.operators import OPERATORS
from methods.contract.registry import load_method
from methods.contract.run import Run
from methods.kernels.static_graph import merged_graph
from methods.node2vec.fit import fit
from networks.catalog import DOWNLOADS, load_catalog
from networks.network import TemporalNetwork
from networks.prepare import prepare_entry
from networks.split import split_rows

NETWORKS = ("college_msg", "email_eu", "bitcoin_otc", "mathoverflow", "dblp_htne")
SEEDS = range(1, 6)
WITHIN = 0.01
# p and q so that both factors matter; a quarter of the walks and half the dimensions, because there are 50 fits.
OTHER_THAN_DEFAULT = {"p": 0.5, "q": 2.0, "walks_per_node": 5, "walk_length": 40, "dimensions": 64}


def measure() -> Iterator[Measurement]:
    entries = [load_catalog()[name] for name in NETWORKS]
    here = [entry for entry in entries if entry.package or entry.raw_path(DOWNLOADS).exists()]  # type: ignore[union-attr]
    for entry in here:
        yield from compare(prepare_entry(entry, DOWNLOADS))


def compare(network: TemporalNetwork) -> list[Measurement]:
    split = split_rows(network)
    train = network.first(split.train_end)
    examples = make_examples(network, split.train_end, network.n_edges, [PROTOCOLS["paper"].negatives], seed=1, draw=1)
    params = load_method("node2vec").defaults | OTHER_THAN_DEFAULT
    ours, theirs = [], []
    with tempfile.TemporaryDirectory() as folder:
        edges, vectors = Path(folder) / "edges.tsv", Path(folder) / "vectors.npy"
        write_edges(merged_graph(train), edges)
        for seed in SEEDS:
            ours.append(auc(fit(train, params, Run(seed=seed)), train, examples))
            run_peer("pecanpy_vectors", edges, vectors, network.n_nodes, seed, *peer_arguments(params))
            theirs.append(auc(np.load(vectors), train, examples))
    settings = ", ".join(f"{name}={value}" for name, value in OTHER_THAN_DEFAULT.items())
    data = f"{network.name}, test block, {settings}, mean of {len(SEEDS)} seeds"
    rows = []
    for place, operator in enumerate(OPERATORS):
        mine, peer = (float(np.mean([each[place] for each in runs])) for runs in (ours, theirs))
        name = f"Node2Vec / PecanPy and gensim, AUC on {network.name}, {operator}"
        rows.append(Measurement(name, mine, peer, "AUC", data, target=1 - WITHIN / peer))
    return rows


def auc(vectors: NDArray[np.float32], train: TemporalNetwork, examples: ExampleSet) -> list[float]:
    """Mean over ten splits, by operator."""
    cells = evaluate_embeddings(vectors, train.degrees == 0, examples, [PROTOCOLS["paper"]])
    return [
        float(
            np.mean([cell.value for cell in cells if (cell.operator, cell.metric, cell.subset) == (name, "auc", "all")])
        )
        for name in OPERATORS
    ]


def peer_arguments(params: dict[str, Any]) -> list[Any]:
    names = (
        "dimensions", "walks_per_node", "walk_length", "p", "q", "window", "negatives", "subsampling", "epochs",
        "learning_rate", "final_learning_rate",
    )  # fmt: skip
    return [params[name] for name in names]
