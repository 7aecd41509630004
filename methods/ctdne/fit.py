"""CTDNE (Nguyen et al. 2018): skip-gram on time-respecting forward walks, with Node2Vec's budget of context windows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from methods.contract.errors import MethodError
from methods.contract.run import Run
from methods.kernels.forward_walks import BudgetedWalks, forward_walks, time_order
from methods.kernels.skip_gram import skip_gram
from networks.network import TemporalNetwork


def fit(network: TemporalNetwork, params: dict[str, Any], run: Run) -> NDArray[np.float32]:
    """R*N*(L-w+1) context windows, as many as R walks of L nodes from each of N nodes with a contact hold."""
    window, walk_length = params["window"], params["walk_length"]
    if walk_length < window:
        raise MethodError(
            f"walk_length is {walk_length}, but walks shorter than the window ({window}) are discarded; "
            "make walk_length at least window"
        )
    walkers = int(np.count_nonzero(network.degrees))
    walks = BudgetedWalks(
        time_order(network, params["allow_ties"]),
        windows_wanted=params["walks_per_node"] * walkers * (walk_length - window + 1),
        walk_length=walk_length,
        window=window,
        seed=run.seed,
    )
    # Compiled, or loaded from numba's cache, before the first epoch is timed.
    forward_walks(walks.order, np.empty(0, dtype=np.int64), walk_length, run.seed)
    # How many windows were found is known only after the search, which the epoch's time must cover.
    vectors = skip_gram(
        walks.blocks, network.n_nodes, work=lambda: walks.windows, unit="windows", params=params, run=run
    )
    run.report(
        walks_tried=walks.tried,
        walks_discarded_share=walks.discarded_share,
        windows=walks.windows,
        windows_share_of_budget=walks.windows / walks.windows_wanted if walks.windows_wanted else 1.0,
        stopped_because_too_few_walks_succeed=walks.windows < walks.windows_wanted,
    )
    if walks.windows < walks.windows_wanted:
        run.report(
            note=f"trained on {walks.windows} of {walks.windows_wanted} context windows, because less than 1% of the "
            f"walks are long enough; {run.facts['nodes_without_vector_share']:.0%} of the nodes have no vector"
        )
    return vectors
