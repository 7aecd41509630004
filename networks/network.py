"""TemporalNetwork: contacts (source, target, time) in order of time, and the file they are stored in."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from harness.files import atomic_path
from networks.adjacency import Adjacency, time_ordered_adjacency
from networks.errors import NetworkError

IntArray = NDArray[np.int32]
TimeArray = NDArray[np.int64] | NDArray[np.float64]

FORMAT = "temporal-network-1"


@dataclass(frozen=True, eq=False, repr=False)
class TemporalNetwork:
    """An undirected multigraph with one row per contact, rows sorted by time (ties keep the order of the file).

    Nodes are 0..n_nodes-1; `labels[i]` is the name that node i has in the source. A node may have no contact here: a
    training network keeps the numbering of the whole network, so that row i of every embedding is the same node.
    `facts` holds what preparing the network counted (rows dropped and why, where it came from).
    """

    source: IntArray
    target: IntArray
    time: TimeArray
    labels: pa.LargeStringArray
    name: str = ""
    facts: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<TemporalNetwork {self.name or '(no name)'}: {self.n_nodes:,} nodes, {self.n_edges:,} contacts>"

    @property
    def n_nodes(self) -> int:
        return len(self.labels)

    @property
    def n_edges(self) -> int:
        return len(self.source)

    @cached_property
    def adjacency(self) -> Adjacency:
        """Contacts of every node, oldest first; built on first use and shared by all who ask."""
        return time_ordered_adjacency(self.source, self.target, self.time, self.n_nodes)

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """Contacts per node; a pair that met three times counts three times."""
        return np.bincount(self.source, minlength=self.n_nodes) + np.bincount(self.target, minlength=self.n_nodes)

    def first(self, n_edges: int) -> TemporalNetwork:
        """The oldest `n_edges` contacts, over the same nodes."""
        return TemporalNetwork(
            self.source[:n_edges], self.target[:n_edges], self.time[:n_edges], self.labels, self.name, self.facts
        )

    def unit_time(self) -> NDArray[np.float64]:
        """Times moved and scaled to [0, 1] over this network's own span; all 0 if there is one time only."""
        if self.n_edges == 0:
            return np.zeros(0)
        # Subtract in the original type: int64 seconds lose nothing, float64 of 1.2e9 would lose the microseconds.
        elapsed: NDArray[np.float64] = (self.time - self.time[0]).astype(np.float64)
        return elapsed / elapsed[-1] if elapsed[-1] > 0 else elapsed

    def save(self, path: Path) -> None:
        """Write one Arrow file: one record whose columns are lists, so that arrays of unequal length can be mapped."""
        columns = {
            "source": pa.array(self.source),
            "target": pa.array(self.target),
            "time": pa.array(self.time),
            "labels": self.labels,
        }
        schema = pa.schema(
            [pa.field(name, pa.large_list(values.type)) for name, values in columns.items()],
            metadata={"format": FORMAT, "name": self.name, "facts": json.dumps(self.facts)},
        )
        record = pa.record_batch(
            [
                pa.LargeListArray.from_arrays(pa.array([0, len(values)], pa.int64()), values)
                for values in columns.values()
            ],
            schema=schema,
        )
        with (
            atomic_path(path) as temporary,
            pa.OSFile(str(temporary), "wb") as sink,
            pa.ipc.new_file(sink, schema) as writer,
        ):
            writer.write_batch(record)

    @classmethod
    def load(cls, path: Path) -> TemporalNetwork:
        """Open a stored network; the arrays stay on disk, mapped into memory.

        The contents are gone over once (50 ms for 5 million contacts): compiled kernels trust them, and a file with a
        flipped bit must not take the process down.
        """
        try:
            with pa.memory_map(str(path)) as mapped:
                reader = pa.ipc.open_file(mapped)
                metadata = {key.decode(): value.decode() for key, value in (reader.schema.metadata or {}).items()}
                if metadata.get("format") != FORMAT:
                    raise NetworkError(
                        f"{path}: not a stored temporal network; make one with `python -m networks prepare`"
                    )
                record = reader.get_batch(0)
                record.validate(full=True)
            lists = {name: record.column(name).values for name in record.schema.names}
            network = cls(
                source=_mapped_array(lists["source"], np.int32),
                target=_mapped_array(lists["target"], np.int32),
                time=_mapped_array(lists["time"], np.int64, np.float64),
                labels=lists["labels"],
                name=metadata["name"],
                facts=json.loads(metadata["facts"]),
            )
            _check(network)
        except FileNotFoundError:
            raise NetworkError(f"{path}: no such file; make it with `python -m networks prepare`") from None
        except (pa.ArrowException, OSError, ValueError, LookupError, AttributeError, RecursionError) as error:
            raise NetworkError(f"{path}: cannot be read as a stored network ({error})") from error
        return network


def _mapped_array(values: pa.Array, *types: type[np.generic]) -> NDArray[Any]:
    """The numbers where they lie; pyarrow's own `to_numpy` would import pandas, a quarter second of every step."""
    dtype = np.dtype(values.type.to_pandas_dtype())
    if dtype not in types or values.null_count:
        raise ValueError(f"a column holds {values.type}, or has gaps")
    if len(values) == 0:
        return np.empty(0, dtype)
    return np.frombuffer(values.buffers()[1], dtype, count=len(values), offset=values.offset * dtype.itemsize)


def overflowing_span(time: TimeArray) -> str | None:
    """What is wrong with sorted times of which the last minus the first is no number of their type; None if it is."""
    largest = np.iinfo(np.int64).max if time.dtype == np.int64 else np.finfo(np.float64).max
    if len(time) == 0 or time[-1].item() - time[0].item() <= largest:
        return None
    return f"its times lie too far apart to be subtracted ({time[0]} to {time[-1]})"


def _check(network: TemporalNetwork) -> None:
    """What every user of a network relies on."""
    source, target, time = network.source, network.target, network.time
    if not len(source) == len(target) == len(time):
        raise ValueError("its columns are of unequal length")
    if not pa.types.is_large_string(network.labels.type) or network.labels.null_count:
        raise ValueError("its labels are not texts")
    if len(source) and not (min(source.min(), target.min()) >= 0 and max(source.max(), target.max()) < network.n_nodes):
        raise ValueError("it names a node that has no label")
    if (source == target).any():
        raise ValueError("it has a contact of a node with itself")
    # NaN is in no order; infinity would be first or last.
    if not (time[1:] >= time[:-1]).all() or not np.isfinite(time[[0, -1]] if len(time) else time).all():
        raise ValueError("its contacts are not in order of time")
    if (problem := overflowing_span(time)) is not None:
        raise ValueError(problem)
