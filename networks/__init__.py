"""Networks: from a source (catalogue, file, generator) to a TemporalNetwork, split by time.

Imports harness only. For notebooks: `load_network`, `TemporalNetwork`, and the bridges to other libraries.
"""

from typing import TYPE_CHECKING

from harness.exports import lazily
from harness.kernel_cache import use_kernel_cache

if TYPE_CHECKING:
    from networks.interchange import (
        from_networkx,
        from_pandas,
        from_temporal_data,
        to_networkx,
        to_pandas,
        to_temporal_data,
    )
    from networks.library import load_network, training_part
    from networks.network import TemporalNetwork

__all__ = [
    "TemporalNetwork",
    "from_networkx",
    "from_pandas",
    "from_temporal_data",
    "load_network",
    "to_networkx",
    "to_pandas",
    "to_temporal_data",
    "training_part",
]

use_kernel_cache()
__getattr__ = lazily(
    __name__,
    {
        "library": ("load_network", "training_part"),
        "network": ("TemporalNetwork",),
        "interchange": (
            *("from_networkx", "from_pandas", "from_temporal_data"),
            *("to_networkx", "to_pandas", "to_temporal_data"),
        ),
    },
)
