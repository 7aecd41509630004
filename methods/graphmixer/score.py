"""GraphMixer (Cong et al., ICLR 2023): links predicted from the times of recent contacts, by MLPs alone."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from methods.contract.run import Run
from methods.graphmixer.past import Past
from methods.graphmixer.training import Reach, latest_states, pair_logits, trained
from networks.network import TemporalNetwork


def score(
    network: TemporalNetwork,
    source: NDArray[np.int32],
    target: NDArray[np.int32],
    time: NDArray[Any],
    params: dict[str, Any],
    run: Run,
) -> NDArray[np.float64]:
    """The logit of every pair as of the last training contact.

    Not as of the pair's own time: the past ends with training, and the later a node were asked for, the more idle it
    would seem, more than any was in training.
    """
    threads_before = torch.get_num_threads()
    torch.set_num_threads(run.threads)
    try:
        model = trained(network, params, run)
        reach = Reach(params["contacts"], params["window"])
        return pair_logits(model, latest_states(model, Past(network), reach), source, target)
    finally:
        torch.set_num_threads(threads_before)
