"""What a fit is told: sizes, and one flag per departure of the released code from the paper."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Setting:
    """The parameters of method.yaml, where each is described; a flag is true for the released behavior.

    The comments are the places where a flag acts.
    """

    dimensions: int
    walks: int
    walk_length: int
    p: float
    q: float
    negatives: int
    margin: float
    batch_size: int
    learning_rate: float
    epochs: int
    # walks.py
    rising_times: bool
    uniform_steps: bool
    last_neighbor_only: bool
    cached_bias: bool
    summed_contacts: bool
    # contexts.py
    start_left_out: bool
    static_fill: bool
    weights_as_nodes: bool
    attention_from_source: bool
    sampled_negative_context: bool
    # model.py
    amplifying_attention: bool
    no_walk_attention: bool
    one_lstm: bool
    split_projection: bool
    separate_norms: bool
    newest_first: bool
    # negatives.py
    shared_negatives: bool
    unchecked_negatives: bool
    degrees_in_insertion_order: bool
    # export.py
    batch_statistics_at_export: bool
    export_before_latest_edge: bool

    @classmethod
    def of(cls, params: dict[str, Any]) -> "Setting":
        return cls(**{name: params[name] for name in cls.__dataclass_fields__})
