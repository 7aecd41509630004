"""The contract: what a method's folder brings. All of it is here; docs/add-a-method.md walks through an example.

A folder `methods/<name>/` holds `method.yaml` (label, citation, parameters with defaults: description.py says which
keys) and one of

- `fit.py` with a function `fit` as in Fit: vectors of all nodes;
- `score.py` with a function `score` as in Score: a number for every pair, for methods without vectors;
- the key `command` in method.yaml: a program in any language (running/external.py says what it reads and writes).

A file `environment.yaml` beside them (that of a conda environment) names other packages than those of the harness.

`python -m methods new NAME` makes such a folder. Nothing else names a method.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from methods.contract.run import Run
from networks.network import TemporalNetwork


class Fit(Protocol):
    """`fit.py`: one vector per node."""

    def __call__(self, network: TemporalNetwork, params: dict[str, Any], run: Run) -> NDArray[np.float32]:
        """Vectors of shape (network.n_nodes, params["dimensions"]), finite; row i is node i, contact or not.

        `network` holds training contacts only, oldest first: arrays `source`, `target` (int32) and `time` (int64 or
        float64), `n_nodes`, `n_edges`, `degrees`, `adjacency`. `params` holds every parameter of method.yaml, checked.
        `run` holds `seed`, `threads` and `device`. Work stands in `with run.epoch(amount, "edges"):`, which times it;
        `run.report(key=value)` puts a fact into fit.json, `run.save_checkpoint(**arrays)` and `run.load_checkpoint()`
        let a killed fit go on, `run.progress(total, unit, text)` is a bar. Same seed, one thread: same bytes.
        """


class Score(Protocol):
    """`score.py`: a number for every pair."""

    def __call__(
        self,
        network: TemporalNetwork,
        source: NDArray[np.int32],
        target: NDArray[np.int32],
        time: NDArray[Any],
        params: dict[str, Any],
        run: Run,
    ) -> NDArray[np.float64]:
        """One finite number per pair (source[i], target[i]) at time[i]; the higher, the likelier they meet.

        Which pairs are positive is not told. What the score says of a pair may depend on `network` and on the pair,
        not on the other pairs asked for.
        """
