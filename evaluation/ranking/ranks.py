"""MRR and Hits@10 over queries: the rank of each positive among its own negatives, ties at the middle rank.

    rank = 1 + negatives with a higher score + half of the negatives with the same score
    MRR = mean of 1 / rank,   Hits@10 = share of ranks up to 10

The score of a pair is what link prediction ranks by. A method that scores pairs gives it; for vectors it is w.f(x, y),
the operator's features under a logistic regression that the older half of the queries trains. A dot product would need
no training, but it suits only methods that are trained by dot products (HTNE and EHNA are trained by distances), and
TGB's models have a trained decoder, too.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from evaluation.embeddings import to_common_unit
from evaluation.errors import EvaluationError
from evaluation.examples.example_set import POSITIVE, ExampleSet
from evaluation.link_prediction.classifier import decision_values, train_classifier
from evaluation.link_prediction.evaluate import SCORE, Cell
from evaluation.link_prediction.features import PairFeatures
from evaluation.link_prediction.newton import fit_by_newton
from evaluation.link_prediction.operators import OPERATORS
from evaluation.ranking.queries import RANKED, TRAINING

PROTOCOL = "ranking"  # what stands for a protocol in the repeats
METRICS = {"mrr": "MRR", "hits_at_10": "Hits@10"}
SUBSETS = ("all", "repeated", "new")

FloatArray = NDArray[np.float64]


def mid_ranks(positive: FloatArray, negatives: FloatArray) -> FloatArray:
    """The rank of positive[i] among it and the scores negatives[i]."""
    score = positive[:, None]
    higher, equal = (np.count_nonzero(marked, axis=1) for marked in (negatives > score, negatives == score))
    ranks: FloatArray = 1 + higher + equal / 2
    return ranks


def rank_vectors(vectors: NDArray[np.floating], unseen_node: NDArray[np.bool_], queries: ExampleSet) -> list[Cell]:
    """All operators; `unseen_node` marks nodes without training contact."""
    if RANKED not in queries.rows:
        return cells_without_value(queries, tuple(OPERATORS), "undefined", queries.unavailable[RANKED])
    vectors = to_common_unit(vectors, unseen_node)
    of_training = np.r_[queries.rows[TRAINING]]
    training = np.concatenate([np.arange(len(of_training)), of_training])
    positives, negatives = ranked_parts(queries)
    ranked = np.r_[positives, negatives]
    cells: list[Cell] = []
    with threadpool_limits(1, user_api="blas"):  # so that no number depends on how many threads there are
        for operator in OPERATORS:
            features = PairFeatures(operator, vectors, queries.source, queries.target)
            try:
                weights = train_classifier(fit_by_newton, features, training, training < len(of_training))
            except EvaluationError as error:
                cells += cells_without_value(queries, (operator,), "undefined", str(error))
                continue
            scores = decision_values(features, ranked, weights)
            cells += cells_of_scores(queries, operator, *np.split(scores, [positives.stop - positives.start]))
    return cells


def rank_scores(scores: FloatArray, queries: ExampleSet) -> list[Cell]:
    """The same for a method that scores pairs: scores[i] belongs to row i of the queries."""
    if RANKED not in queries.rows:
        return cells_without_value(queries, (SCORE,), "undefined", queries.unavailable[RANKED])
    return list(cells_of_scores(queries, SCORE, *(scores[part] for part in ranked_parts(queries))))


def ranked_parts(queries: ExampleSet) -> tuple[slice, slice]:
    """The rows of the positives that are ranked, and of their negatives."""
    training = queries.rows[TRAINING]
    return slice(training.stop - training.start, queries.rows[POSITIVE].stop), queries.rows[RANKED]


def cells_of_scores(queries: ExampleSet, operator: str, positive: FloatArray, negatives: FloatArray) -> Iterator[Cell]:
    ranks = mid_ranks(positive, negatives.reshape(len(positive), -1))
    repeated = queries.repeated[ranked_parts(queries)[0]]
    parts = {"all": np.ones(len(ranks), dtype=np.bool_), "repeated": repeated, "new": ~repeated}
    for subset, part in parts.items():
        for metric, values in (("mrr", 1 / ranks[part]), ("hits_at_10", ranks[part] <= 10)):
            value = float(np.mean(values)) if part.any() else None
            status, reason = ("ok", "") if part.any() else ("undefined", "the subset has no query")
            yield Cell(queries.facts["draw"], PROTOCOL, 1, operator, subset, metric, value, status, reason)


def cells_without_value(queries: ExampleSet, operators: Sequence[str], status: str, reason: str) -> list[Cell]:
    """One cell for each number that cannot be had, with the reason."""
    return [
        Cell(queries.facts["draw"], PROTOCOL, 0, operator, subset, metric, None, status, reason)
        for operator in operators
        for subset in SUBSETS
        for metric in METRICS
    ]
