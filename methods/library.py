"""Methods for notebooks and scripts: one call by name, in this process, with the defaults of method.yaml."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from methods.contract.errors import MethodError
from methods.contract.parameters import complete_parameters
from methods.contract.registry import load_method
from methods.contract.run import Run
from methods.running.child import perform_fit
from networks.network import TemporalNetwork


def fit(
    method: str, network: TemporalNetwork, *, seed: int = 1, threads: int | None = None, **parameters: Any
) -> NDArray[np.float32]:
    """Vectors of all nodes of `network`, by the method or variant of this name.

    `python -m methods describe NAME` lists the parameters. Limits, checkpoints and a record of what was done come with
    `python -m methods fit`, which runs the same in a process of its own.
    """
    description = load_method(method)
    if description.kind == "score":
        raise MethodError(f"{method} scores pairs and has no vectors; use `python -m methods score`")
    if description.environment is not None:
        raise MethodError(f"{method} needs an environment of its own; use `python -m methods fit`, which makes it")
    complete = complete_parameters(description.parameters, parameters, f"fit({method!r})", description.defaults)
    return perform_fit(description, network, complete, Run(seed, threads or description.threads))
