"""What suits a network, chosen on its newest edges: how the table learns, how far walks look back, what is trained.

The newest fifth of the *given* edges is held back, as the evaluation holds back a fifth of all; test edges are not
among them. The older ones train, candidate after candidate; the AUC on the block decides (validation.py). A further
stage of training is taken only if it adds: the start is a candidate like the others. The fit then starts anew on all
edges.
"""

from dataclasses import astuple, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from methods.contract.run import Run
from methods.ehna.export import aggregate_nodes
from methods.ehna.neighborhoods import Past
from methods.ehna.stages import TABLE, new_model, past_of, start, train_pass
from methods.ehna.training import Model, TableSettings
from methods.ehna.validation import ValidationBlock, validation_block
from networks.network import TemporalNetwork

TABLE_PASSES = 20
# A choice on the newest edges costs the same however many older ones there are.
MOST_EDGES = 100_000
# Walks per node when candidates are compared, less than in the final embedding.
WALKS = 20
# What a stage of training must add. Less than .002 is within what another draw of pairs would change; weights that are
# trained on all edges gain less than on the newest ones, so they must show more.
LEAST_GAIN_OF_WEIGHTS, LEAST_GAIN_OF_A_PASS = 0.005, 0.002
VALIDATION_PAIRS, VALIDATION_WALKS = 6, 7


@dataclass(frozen=True)
class Choice:
    margin: float
    ageing: float
    time_scale: float
    weights: bool  # whether the weights of the aggregation are trained
    passes: int  # of the table through z

    @property
    def table_settings(self) -> TableSettings:
        return TableSettings(TABLE_PASSES, self.margin, self.ageing)

    def as_array(self) -> NDArray[np.float64]:
        return np.array(astuple(self), dtype=np.float64)

    @classmethod
    def of_array(cls, array: NDArray[np.float64]) -> "Choice":
        margin, ageing, time_scale, weights, passes = array.tolist()
        return cls(margin, ageing, time_scale, bool(weights), int(passes))


def choose(network: TemporalNetwork, params: dict[str, Any], run: Run) -> Choice:
    """The best of the candidates; the first of every list, and all training asked for, where no edges are held back."""
    margins, ageings, time_scales = (candidates(params[name]) for name in ("margin", "ageing", "time_scale"))
    weights, passes = params["weight_epochs"] > 0, params["epochs"]
    if params["output"] == TABLE:  # without aggregation there are no walks, and nothing to train through z
        time_scales, weights, passes = time_scales[:1], False, 0
    block = validation_block(network, params["validation_fraction"], MOST_EDGES, (run.seed, VALIDATION_PAIRS))
    if block is None:
        return Choice(margins[0], ageings[0], time_scales[0], weights, passes)
    judge = Judge(network, block, params, run)
    best = Choice(margins[0], ageings[0], time_scales[0], weights=False, passes=0)
    # One setting after the other, not all combinations; the margin once more, because it depends on the ageing.
    for name, values in (("margin", margins), ("ageing", ageings), ("margin", margins), ("time_scale", time_scales)):
        best = judge.best([replace(best, **{name: value}) for value in values])  # type: ignore[arg-type]
    best = judge.trained(best, weights, passes)
    run.report(choice=vars(best), validation=judge.seen)
    return best


def candidates(value: float | list[float]) -> list[float]:
    return [float(item) for item in (value if isinstance(value, list) else [value])]


class Judge:
    """Trains candidates on the older edges and remembers their AUC on the block."""

    def __init__(self, network: TemporalNetwork, block: ValidationBlock, params: dict[str, Any], run: Run) -> None:
        self.block, self.params = block, params
        self.run = replace(run, epochs=[], facts={}, journal=None)  # what fit.json tells is of the fit on all edges
        self.span_share = span(block.older) / (span(network) or 1.0)
        self.aucs: dict[Choice, float] = {}

    @property
    def seen(self) -> list[dict[str, Any]]:
        """Every candidate with its AUC, for fit.json."""
        return [vars(choice) | {"auc": round(auc, 4)} for choice, auc in self.aucs.items()]

    def best(self, choices: list[Choice]) -> Choice:
        """The best start of these; a single one needs no judging."""
        if len(choices) > 1:
            for choice in choices:
                if choice not in self.aucs:
                    self.aucs[choice] = self.auc(*self.started(choice))
        return max(choices, key=lambda choice: self.aucs.get(choice, 0.0))

    def trained(self, choice: Choice, weights: bool, passes: int) -> Choice:
        """The choice with as much training on top as adds to it: the weights first, then passes of the table."""
        if not weights and passes == 0:
            return choice
        model, past = self.started(choice)
        best = self.aucs[choice] = self.auc(model, past)
        if weights:
            with_weights = replace(choice, weights=True)
            other = self.started(with_weights)
            self.aucs[with_weights] = self.auc(*other)
            if self.aucs[with_weights] > best + LEAST_GAIN_OF_WEIGHTS:
                choice, best, (model, past) = with_weights, self.aucs[with_weights], other
        for number in range(passes):
            train_pass(model, past, self.params, number, self.run)
            further = replace(choice, passes=number + 1)
            self.aucs[further] = self.auc(model, past)
            if self.aucs[further] < best + LEAST_GAIN_OF_A_PASS:
                break
            choice, best = further, self.aucs[further]
        return choice

    def started(self, choice: Choice) -> tuple[Model, Past]:
        # Scales are per span of the whole network, and the older edges span less.
        past = past_of(self.block.older, self.params, choice.time_scale * self.span_share)
        model = new_model(self.block.older.n_nodes, self.params, self.run.seed)
        table = replace(choice.table_settings, ageing=choice.ageing * self.span_share)
        start(model, past, self.params, table, choice.weights, self.run)
        return model, past

    def auc(self, model: Model, past: Past) -> float:
        nodes = self.block.nodes
        if self.params["output"] == TABLE:
            return self.block.auc(model.vectors[nodes])
        return self.block.auc(aggregate_nodes(model, past, nodes, WALKS, (self.run.seed, VALIDATION_WALKS)))


def span(network: TemporalNetwork) -> float:
    return float(network.time[-1] - network.time[0]) if network.n_edges else 0.0
