"""`evaluate` in a notebook: vectors and a network in, a table of metrics out."""

import numpy as np
import pytest

from evaluation import evaluate
from evaluation.errors import EvaluationError
from networks.synthetic import generate

NETWORK = generate(40, 400, seed=1)


def test_there_is_a_row_per_protocol_and_operator_and_a_good_vector_scores_well() -> None:
    # The future itself as vectors: the adjacency matrix of the contacts that are to be predicted.
    start = 320
    future = np.zeros((40, 40))
    future[NETWORK.source[start:], NETWORK.target[start:]] = 1
    table = evaluate(future + future.T + np.eye(40), NETWORK, splits=2)
    assert table.index.names == ["protocol", "operator"]
    assert {name for name, _ in table.index} == {"paper", "degree_matched"}
    noise = evaluate(np.random.default_rng(1).normal(size=(40, 40)), NETWORK, splits=2)
    assert table.loc[("paper", "mean"), "auc"] > noise.loc[("paper", "mean"), "auc"]
    assert table["auc"].between(0, 1).all()


@pytest.mark.parametrize(
    ("rows", "protocols", "sentence"),
    [(40, ["papr"], "no protocol named 'papr'; did you mean 'paper'?"), (39, ["paper"], "vectors: ")],
)
def test_a_mistake_is_one_sentence(rows: int, protocols: list[str], sentence: str) -> None:
    with pytest.raises(EvaluationError) as refused:
        evaluate(np.zeros((rows, 4)), NETWORK, protocols)
    assert str(refused.value).startswith(sentence)
