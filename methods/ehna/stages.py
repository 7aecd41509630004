"""The stages of a fit, each with random numbers of its own: the start, and passes through z.

Both the choice on the older edges and the final fit on all edges go through them.
"""

from typing import Any

from methods.contract.run import Run
from methods.ehna.aggregation import Aggregation, Architecture
from methods.ehna.neighborhoods import Past, WalkSettings
from methods.ehna.table import random_table
from methods.ehna.training import Model, TableSettings, learn_table, train_table_through_z, train_weights
from networks.network import TemporalNetwork

TABLE = "table"
# The second number of a stage's random stream; the first is the seed of the run.
RANDOM_TABLE, RANDOM_WEIGHTS, LEARN_TABLE, LEARN_WEIGHTS, PASS = 1, 2, 3, 4, 5


def new_model(n_nodes: int, params: dict[str, Any], seed: int) -> Model:
    """A random table, and the aggregation as it starts; a table that is the output has the width of z."""
    architecture = Architecture(params["dimensions"], params["attention"], params["layers"], params["levels"])
    width = params["dimensions"] if params["output"] == TABLE else architecture.width
    return Model(
        random_table(n_nodes, width, (seed, RANDOM_TABLE)),
        Aggregation(architecture, params["history_share"], params["activity_share"], (seed << 8) + RANDOM_WEIGHTS),
    )


def past_of(network: TemporalNetwork, params: dict[str, Any], time_scale: float) -> Past:
    return Past.of(network, WalkSettings.of(params | {"time_scale": time_scale}))


def start(model: Model, past: Past, params: dict[str, Any], table: TableSettings, with_weights: bool, run: Run) -> None:
    """A trained table, and with it the weights if they are to be trained."""
    if past.network.n_edges == 0:
        return
    if with_weights:
        rate, seed = params["learning_rate"], (run.seed, LEARN_WEIGHTS)
        loss = train_weights(model, past, params["walks"], rate, table, seed, run)
        run.report(weights_loss=None if loss is None else round(loss, 4))
    else:
        learn_table(model, past.network, table, (run.seed, LEARN_TABLE), run)


def train_pass(model: Model, past: Past, params: dict[str, Any], number: int, run: Run) -> None:
    """Pass `number` of the table through z."""
    if past.network.n_edges:
        loss = train_table_through_z(
            model, past, params["walks"], params["embedding_learning_rate"], (run.seed, PASS, number), run
        )
        run.report(loss=[*run.facts.get("loss", []), round(loss, 4)])
