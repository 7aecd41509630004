"""What training changes: the embedding table, the weights of the aggregation, and the state of their optimizers."""

from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

from methods.ehna.aggregation import Aggregation, Architecture
from methods.ehna.optimizer import RowAdam, WeightAdam
from methods.ehna.parallel import Workers

Arrays = dict[str, NDArray[Any]]


@dataclass
class Model:
    table: Tensor
    aggregation: Aggregation
    table_optimizer: RowAdam
    optimizer: WeightAdam
    workers: Workers

    def arrays(self) -> Arrays:
        """A copy of the whole state as named arrays, for a checkpoint."""
        state = {
            "table": self.table,
            "table_mean": self.table_optimizer.mean,
            "table_square": self.table_optimizer.square,
            "table_steps": torch.tensor(self.table_optimizer.steps),
        }
        state |= {f"aggregation.{name}": value for name, value in self.aggregation.state_dict().items()}
        for number, part in enumerate(self.optimizer.parts):
            state |= {f"optimizer.{number}.mean": part.mean, f"optimizer.{number}.square": part.square}
            state[f"optimizer.{number}.steps"] = torch.tensor(part.steps)
        return {name: value.detach().cpu().numpy().copy() for name, value in state.items()}

    def restore(self, arrays: Arrays) -> None:
        for name, tensor in (
            ("table", self.table),
            ("table_mean", self.table_optimizer.mean),
            ("table_square", self.table_optimizer.square),
        ):
            tensor.copy_(torch.from_numpy(arrays[name]))
        self.table_optimizer.steps = int(arrays["table_steps"])
        self.aggregation.load_state_dict(
            {
                name.removeprefix("aggregation."): torch.from_numpy(value)
                for name, value in arrays.items()
                if name.startswith("aggregation.")
            }
        )
        for number, part in enumerate(self.optimizer.parts):
            part.mean.copy_(torch.from_numpy(arrays[f"optimizer.{number}.mean"]))
            part.square.copy_(torch.from_numpy(arrays[f"optimizer.{number}.square"]))
            part.steps = int(arrays[f"optimizer.{number}.steps"])


def new_model(
    n_nodes: int,
    architecture: Architecture,
    learning_rate: float,
    embedding_learning_rate: float,
    seed: int,
    workers: Workers,
) -> Model:
    """Embeddings of about unit length in random directions, and weights as torch initializes them."""
    generator = torch.Generator().manual_seed(seed)
    d = architecture.dimensions
    table = (torch.randn(n_nodes, d, generator=generator) / d**0.5).to(workers.device)
    aggregation = Aggregation(architecture, generator).to(workers.device)
    return Model(
        table,
        aggregation,
        RowAdam(table, embedding_learning_rate, workers),
        WeightAdam(aggregation.parameters(), learning_rate, workers),
        workers,
    )
