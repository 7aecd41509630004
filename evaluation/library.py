"""Evaluation for notebooks and scripts: link prediction of vectors in one call."""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from evaluation.embeddings import checked_vectors
from evaluation.errors import EvaluationError
from evaluation.examples.example_set import make_examples
from evaluation.examples.protocols import PROTOCOLS
from evaluation.link_prediction.evaluate import evaluate_embeddings
from evaluation.link_prediction.operators import OPERATORS
from harness.schema import nearest
from networks.network import TemporalNetwork
from networks.split import split_rows


def evaluate(
    vectors: NDArray[np.floating],
    network: TemporalNetwork,
    protocols: Sequence[str] = ("paper", "degree_matched"),
    test_fraction: float = 0.2,
    splits: int = 10,
) -> pd.DataFrame:
    """Metrics by protocol and operator, means over the classifier splits, on the newest part of the contacts.

    Row i of `vectors` is node i. They must come from the older part (`networks.training_part(network)`), or what is
    measured is memory.
    """
    for name in protocols:
        if name not in PROTOCOLS:
            raise EvaluationError(f"no protocol named {name!r}{nearest(name, PROTOCOLS)}")
    wanted = [PROTOCOLS[name] for name in protocols]
    start = split_rows(network, test_fraction, validation_fraction=0).train_end
    examples = make_examples(
        network, start, network.n_edges, [protocol.negatives for protocol in wanted], seed=1, draw=1
    )
    unseen = network.first(start).degrees == 0
    checked = checked_vectors(vectors, network, "vectors")
    cells = evaluate_embeddings(checked, unseen, examples, wanted, splits, classifier="newton")
    rows = pd.DataFrame([vars(cell) for cell in cells if cell.subset == "all"])
    metrics = list(dict.fromkeys(rows["metric"]))
    table = rows.pivot_table(index=["protocol", "operator"], columns="metric", values="value", dropna=False)
    order = pd.MultiIndex.from_product([protocols, OPERATORS], names=["protocol", "operator"])
    return table.reindex(index=order, columns=metrics)
