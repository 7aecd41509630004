"""Link prediction: one logistic regression per operator, protocol and classifier split, and its metrics per subset.

Memory holds the feature rows of one operator and one strategy of negatives at a time; all splits share them and run in
parallel threads.
"""

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from evaluation.classifier import FeatureRows, decision_values, empty_rows, fit_logistic_regression
from evaluation.embeddings import apply_unseen_policy, to_common_unit
from evaluation.errors import EvaluationError
from evaluation.examples import POSITIVE, ExampleSet
from evaluation.metrics import METRICS, Outcome, metrics_of_subsets
from evaluation.operators import OPERATORS, fill_features
from evaluation.protocols import Pairs, Protocol, classifier_split

SUBSETS = ("all", "repeated", "new", "seen_nodes", "unseen_nodes")
SCORE = "score"  # the operator's name for methods that score pairs without an embedding

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class Cell:
    """One number of one repeat; without a value, `status` and `reason` say why. Split 0: no split was run."""

    draw: int
    protocol: str
    split: int
    operator: str
    subset: str
    metric: str
    value: float | None
    status: str = "ok"
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Selection:
    """The positives, then the negatives of one strategy."""

    pairs: Pairs
    positive: NDArray[np.bool_]
    repeated: NDArray[np.bool_]
    unseen: NDArray[np.bool_]

    def subsets(self, rows: Rows) -> dict[str, NDArray[np.bool_]]:
        """Which of these rows each subset takes.

        `repeated` and `new` part the positives by whether training saw the pair, against all negatives. `seen_nodes`
        and `unseen_nodes` part both classes by whether both ends have a training contact.
        """
        positive, repeated, unseen = self.positive[rows], self.repeated[rows], self.unseen[rows]
        return {
            "all": np.ones(len(rows), dtype=np.bool_),
            "repeated": repeated | ~positive,
            "new": ~repeated | ~positive,
            "seen_nodes": ~unseen,
            "unseen_nodes": unseen,
        }


def select(
    examples: ExampleSet, strategy: str, unseen_node: NDArray[np.bool_], drop_unseen: bool
) -> tuple[Selection, Rows]:
    """The examples of a protocol with these negatives, and their rows in the example set.

    Where examples with unseen nodes are dropped, the classes lose unequal numbers of them. The larger one is thinned at
    random, so that there are as many negatives as positives, as F1 and precision suppose.
    """
    unseen = unseen_node[examples.source] | unseen_node[examples.target]
    rows = np.r_[examples.rows[POSITIVE], examples.rows[strategy]]
    if drop_unseen:
        kept = rows[~unseen[rows]]
        classes = kept[kept < examples.n_positive], kept[kept >= examples.n_positive]
        size = min(len(rows) for rows in classes)
        generator = np.random.default_rng([examples.facts["seed"], examples.facts["draw"]])
        rows = np.concatenate([np.sort(generator.choice(rows, size, replace=False)) for rows in classes])
    selection = Selection(
        pairs=Pairs(examples.source[rows], examples.target[rows], examples.time[rows]),
        positive=rows < examples.n_positive,
        repeated=examples.repeated[rows],
        unseen=unseen[rows],
    )
    return selection, rows


def evaluate_embeddings(
    vectors: NDArray[np.floating],
    unseen_node: NDArray[np.bool_],
    examples: ExampleSet,
    protocols: Sequence[Protocol],
    splits: int = 10,
    threads: int = 1,
    unseen_policy: str = "drop",
) -> list[Cell]:
    """All operators, protocols and splits of one draw; `unseen_node` marks nodes without training contact."""
    vectors = to_common_unit(apply_unseen_policy(vectors, unseen_node, unseen_policy), unseen_node)
    possible, cells = _available(examples, protocols, tuple(OPERATORS))
    rows = empty_rows(2 * examples.n_positive if possible else 0, vectors.shape[1])
    with _Repeats(examples, splits, threads, len(OPERATORS), possible) as repeats:
        for operator in OPERATORS:
            for strategy in dict.fromkeys(protocol.negatives for protocol in possible):
                selection, _ = select(examples, strategy, unseen_node, unseen_policy == "drop")
                pairs = selection.pairs
                fill_features(operator, vectors, pairs.source, pairs.target, rows.values[: len(pairs)])
                cells += repeats.run(operator, selection, strategy, rows)
    return cells


def evaluate_scores(
    scores: NDArray[np.float64],
    unseen_node: NDArray[np.bool_],
    examples: ExampleSet,
    protocols: Sequence[Protocol],
    splits: int = 10,
    threads: int = 1,
    unseen_policy: str = "drop",
) -> list[Cell]:
    """The same for a method that scores pairs: scores[i] belongs to row i of the example set.

    The score itself ranks. For F1, precision and recall it is the only feature of the same classifier, scaled to mean
    0 and variance 1 so that the penalty does not depend on the unit of the score.
    """
    possible, cells = _available(examples, protocols, (SCORE,))
    with _Repeats(examples, splits, threads, 1, possible) as repeats:
        for strategy in dict.fromkeys(protocol.negatives for protocol in possible):
            selection, chosen = select(examples, strategy, unseen_node, unseen_policy == "drop")
            score = scores[chosen]
            rows = empty_rows(len(score), 1)
            if len(score):
                rows.values[:, 0] = (score - score.mean()) / (score.std() or 1.0)
            cells += repeats.run(SCORE, selection, strategy, rows, score)
    return cells


def cells_without_value(
    draw: int, protocols: Sequence[Protocol], operators: Sequence[str], status: str, reason: str
) -> list[Cell]:
    """One cell for each number that cannot be had, with the reason."""
    return [
        Cell(draw, protocol.name, 0, operator, subset, metric, None, status, reason)
        for protocol in protocols
        for operator in operators
        for subset in SUBSETS
        for metric in METRICS
    ]


def _available(
    examples: ExampleSet, protocols: Sequence[Protocol], operators: Sequence[str]
) -> tuple[list[Protocol], list[Cell]]:
    """The protocols whose negatives are there, and cells with the reason for the others."""
    possible, cells = [], []
    for protocol in protocols:
        if protocol.negatives in examples.rows:
            possible.append(protocol)
        else:
            reason = examples.unavailable.get(
                protocol.negatives, f"the example set has no {protocol.negatives} negatives"
            )
            cells += cells_without_value(examples.facts["draw"], [protocol], operators, "undefined", reason)
    return possible, cells


class _Repeats:
    """Runs the classifier splits of one example set in parallel threads, with one progress bar for all of them."""

    def __init__(
        self, examples: ExampleSet, splits: int, threads: int, n_operators: int, protocols: Sequence[Protocol]
    ) -> None:
        self.seed, self.draw = examples.facts["seed"], examples.facts["draw"]
        self.tasks = [
            (protocol, split) for protocol in protocols for split in range(1, 1 + (splits if protocol.is_random else 1))
        ]
        self.pool = ThreadPoolExecutor(threads)
        self.bar = tqdm(
            total=n_operators * len(self.tasks), desc=f"draw {self.draw}", unit=" fits", disable=None, file=sys.stderr
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.shutdown(cancel_futures=True)
        self.bar.close()

    def run(
        self,
        operator: str,
        selection: Selection,
        strategy: str,
        rows: FeatureRows,
        score: NDArray[np.float64] | None = None,
    ) -> list[Cell]:
        """All splits of the protocols with these negatives; `score` ranks the examples if the classifier does not."""
        tasks = [task for task in self.tasks if task[0].negatives == strategy]

        def run_one(task: tuple[Protocol, int]) -> list[Cell]:
            protocol, split = task
            try:
                halves = classifier_split(protocol, selection.pairs, self.seed, self.draw, split)
                outcomes = _outcomes(rows, selection, *halves, score)
            except EvaluationError as error:
                outcomes = dict.fromkeys(SUBSETS, dict.fromkeys(METRICS, Outcome(None, str(error))))
            self.bar.update()
            return [
                Cell(
                    self.draw, protocol.name, split, operator, subset, metric, outcome.value,
                    "ok" if outcome.value is not None else "undefined", outcome.reason,
                )
                for subset, metrics in outcomes.items()
                for metric, outcome in metrics.items()
            ]  # fmt: skip

        return [cell for cells in self.pool.map(run_one, tasks) for cell in cells]


def _outcomes(
    rows: FeatureRows, selection: Selection, training: Rows, test: Rows, score: NDArray[np.float64] | None
) -> dict[str, dict[str, Outcome]]:
    """Train on one half, and measure on the other."""
    if len(test) == 0:
        raise EvaluationError("the test half of the classifier split is empty")
    weights = fit_logistic_regression(rows, training, selection.positive[training])
    decision = decision_values(rows, test, weights)
    ranking = decision if score is None else score[test]
    return metrics_of_subsets(ranking, decision > 0, selection.positive[test], selection.subsets(test))
