"""EHNA as its authors released it (docs/ehna.md, "The released code, flag by flag")."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from datasets.network import TemporalNetwork
from methods.ehna_released.export import export
from methods.ehna_released.model import Model
from methods.ehna_released.setting import Setting
from methods.ehna_released.training import Source, train_epoch
from methods.run import Run

# The second number of every random stream says what it is for; the first is the seed of the run.
TRAINING, EXPORT = 1, 2


def fit(network: TemporalNetwork, params: dict[str, Any], run: Run) -> NDArray[np.float32]:
    threads_before = torch.get_num_threads()
    torch.set_num_threads(run.threads)
    try:
        return _fit(network, Setting.of(params), run)
    finally:
        torch.set_num_threads(threads_before)


def _fit(network: TemporalNetwork, setting: Setting, run: Run) -> NDArray[np.float32]:
    source = Source.of(network, setting)
    model = Model(network.n_nodes, setting, run.seed)
    optimizer = torch.optim.Adam(model.parameters(), lr=setting.learning_rate)
    losses, with_history = [], 0.0
    for epoch in range(setting.epochs):
        with run.epoch(network.n_edges, "edges"):
            loss, with_history = train_epoch(model, optimizer, source, setting, (run.seed, TRAINING, epoch), run)
        losses.append(round(loss, 4))
        run.report(loss=losses, share_with_history=round(with_history, 4))
    return export(model, source, setting, (run.seed, EXPORT))
