"""Link prediction: one logistic regression per operator, protocol and classifier split, and its metrics per subset.

Splits run in parallel threads, each fit with one BLAS thread, so that no number depends on how many there are.
"""

import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock
from typing import Self

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from evaluation.embeddings import to_common_unit
from evaluation.errors import EvaluationError
from evaluation.examples.example_set import ExampleSet
from evaluation.examples.negatives import first_contacts
from evaluation.examples.protocols import Pairs, Protocol, classifier_split
from evaluation.link_prediction.classifier import CLASSIFIERS, Fit, decision_values, train_classifier
from evaluation.link_prediction.features import Features, PairFeatures, TableFeatures
from evaluation.link_prediction.metrics import METRICS, Outcome, metrics_of_subsets
from evaluation.link_prediction.operators import OPERATORS
from networks.pairs import pair_keys

SUBSETS = ("all", "distinct_pairs", "repeated", "new")
SCORE = "score"  # the operator's name for methods that score pairs without an embedding

Rows = NDArray[np.int64]
OfSubsets = dict[str, dict[str, Outcome]]  # by subset, then by metric


@dataclass(frozen=True)
class Cell:
    """One number of one repeat; without a value, `status` and `reason` say why. Split 0: no split was run.

    `by_liblinear` is the same number with the paper's classifier, where another one was checked against it.
    """

    draw: int
    protocol: str
    split: int
    operator: str
    subset: str
    metric: str
    value: float | None
    status: str = "ok"
    reason: str = ""
    by_liblinear: float | None = None


@dataclass(frozen=True, eq=False)
class Selection:
    """The positives, then the negatives of one strategy."""

    pairs: Pairs
    positive: NDArray[np.bool_]
    repeated: NDArray[np.bool_]
    first_of_pair: NDArray[np.bool_]

    def subsets(self, rows: Rows) -> dict[str, NDArray[np.bool_]]:
        """Which of these rows each subset takes.

        `distinct_pairs` has of every positive pair its first contact in the block alone, so that one that meets often
        does not count more. `repeated` and `new` part the positives by whether training saw the pair, against all
        negatives.
        """
        positive, repeated, first_of_pair = self.positive[rows], self.repeated[rows], self.first_of_pair[rows]
        return {
            "all": np.ones(len(rows), dtype=np.bool_),
            "distinct_pairs": first_of_pair | ~positive,
            "repeated": repeated | ~positive,
            "new": ~repeated | ~positive,
        }


def select(examples: ExampleSet, strategy: str, unseen_node: NDArray[np.bool_]) -> tuple[Selection, Rows]:
    """The examples of a protocol with these negatives, and their rows in the example set.

    Pairs with an end that has no training contact are left out. The classes lose unequal numbers of them, so the larger
    one is thinned at random: there are as many negatives as positives, as F1 and precision suppose.
    """
    unseen = unseen_node[examples.source] | unseen_node[examples.target]
    rows = np.concatenate([examples.positives(strategy), np.r_[examples.rows[strategy]]])
    kept = rows[~unseen[rows]]
    classes = kept[kept < examples.n_positive], kept[kept >= examples.n_positive]
    size = min(len(rows) for rows in classes)
    generator = np.random.default_rng([examples.facts["seed"], examples.facts["draw"]])
    rows = np.concatenate([np.sort(generator.choice(rows, size, replace=False)) for rows in classes])
    keys = pair_keys(examples.source[rows], examples.target[rows], examples.facts["nodes"])
    first_of_pair = np.zeros(len(rows), dtype=np.bool_)
    first_of_pair[first_contacts(keys)] = True
    selection = Selection(
        pairs=Pairs(examples.source[rows], examples.target[rows], examples.time[rows]),
        positive=rows < examples.n_positive,
        repeated=examples.repeated[rows],
        first_of_pair=first_of_pair,
    )
    return selection, rows


def evaluate_embeddings(
    vectors: NDArray[np.floating],
    unseen_node: NDArray[np.bool_],
    examples: ExampleSet,
    protocols: Sequence[Protocol],
    splits: int = 10,
    threads: int = 1,
    classifier: str = "newton_checked",
) -> list[Cell]:
    """All operators, protocols and splits of one draw; `unseen_node` marks nodes without training contact."""
    vectors = to_common_unit(vectors, unseen_node)
    possible, cells = _available(examples, protocols, tuple(OPERATORS))
    with _Repeats(examples, splits, threads, len(OPERATORS), possible, classifier) as repeats:
        for operator in OPERATORS:
            for strategy in dict.fromkeys(protocol.negatives for protocol in possible):
                selection, _ = select(examples, strategy, unseen_node)
                pairs = selection.pairs
                features = PairFeatures(operator, vectors, pairs.source, pairs.target)
                cells += repeats.run(operator, selection, strategy, features)
    return cells


def evaluate_scores(
    scores: NDArray[np.float64],
    unseen_node: NDArray[np.bool_],
    examples: ExampleSet,
    protocols: Sequence[Protocol],
    splits: int = 10,
    threads: int = 1,
    classifier: str = "newton_checked",
) -> list[Cell]:
    """The same for a method that scores pairs: scores[i] belongs to row i of the example set.

    The score itself ranks. For F1, precision and recall it is the only feature of the same classifier, scaled to mean
    0 and variance 1 so that the penalty does not depend on the unit of the score.
    """
    possible, cells = _available(examples, protocols, (SCORE,))
    with _Repeats(examples, splits, threads, 1, possible, classifier) as repeats:
        for strategy in dict.fromkeys(protocol.negatives for protocol in possible):
            selection, example_rows = select(examples, strategy, unseen_node)
            score = scores[example_rows]
            scaled = (score - score.mean()) / (score.std() or 1.0) if len(score) else score
            cells += repeats.run(SCORE, selection, strategy, TableFeatures(scaled[:, None]), score)
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
        self,
        examples: ExampleSet,
        splits: int,
        threads: int,
        n_operators: int,
        protocols: Sequence[Protocol],
        classifier: str,
    ) -> None:
        self.seed, self.draw = examples.facts["seed"], examples.facts["draw"]
        self.fit = CLASSIFIERS[classifier]
        self.is_checked = classifier == "newton_checked" and self.draw == 1
        self.one_check = Lock()  # LIBLINEAR needs 16 bytes for every value of its rows
        self.tasks = [
            (protocol, split) for protocol in protocols for split in range(1, 1 + (splits if protocol.is_random else 1))
        ]
        self.pool = ThreadPoolExecutor(threads)
        self.bar = tqdm(
            total=n_operators * len(self.tasks), desc=f"draw {self.draw}", unit=" fits", disable=None, file=sys.stderr
        )

    def __enter__(self) -> Self:
        self.one_blas_thread = threadpool_limits(1, user_api="blas")
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.shutdown(cancel_futures=True)
        self.one_blas_thread.restore_original_limits()
        self.bar.close()

    def run(
        self,
        operator: str,
        selection: Selection,
        strategy: str,
        features: Features,
        score: NDArray[np.float64] | None = None,
    ) -> list[Cell]:
        """All splits of the protocols with these negatives; `score` ranks the examples if the classifier does not."""
        tasks = [task for task in self.tasks if task[0].negatives == strategy]

        def run_one(task: tuple[Protocol, int]) -> list[Cell]:
            protocol, split = task
            by_liblinear: OfSubsets = {}
            try:
                halves = classifier_split(protocol, selection.pairs, self.seed, self.draw, split)
                outcomes = _outcomes(self.fit, features, selection, *halves, score)
                if self.is_checked and split == 1:
                    with self.one_check:
                        by_liblinear = _outcomes(CLASSIFIERS["liblinear"], features, selection, *halves, score)
            except EvaluationError as error:
                outcomes = dict.fromkeys(SUBSETS, dict.fromkeys(METRICS, Outcome(None, str(error))))
            self.bar.update()
            return [
                Cell(
                    self.draw, protocol.name, split, operator, subset, metric, outcome.value,
                    "ok" if outcome.value is not None else "undefined", outcome.reason,
                    by_liblinear[subset][metric].value if by_liblinear else None,
                )
                for subset, metrics in outcomes.items()
                for metric, outcome in metrics.items()
            ]  # fmt: skip

        return [cell for cells in self.pool.map(run_one, tasks) for cell in cells]


def _outcomes(
    fit: Fit,
    features: Features,
    selection: Selection,
    training: Rows,
    test: Rows,
    score: NDArray[np.float64] | None,
) -> OfSubsets:
    """Train on one half, and measure on the other."""
    if len(test) == 0:
        raise EvaluationError("the test half of the classifier split is empty")
    weights = train_classifier(fit, features, training, selection.positive[training])
    decision = decision_values(features, test, weights)
    ranking = decision if score is None else score[test]
    return metrics_of_subsets(ranking, decision > 0, selection.positive[test], selection.subsets(test))
