"""Bridges to other libraries: pandas, networkx and PyTorch Geometric's TemporalData, both ways.

What comes in goes the way of every raw file: self loops are dropped, contacts sorted by time, nodes numbered as they
first appear. What goes out has the labels of the source, or node numbers where the other side wants numbers.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pyarrow as pa

from networks.errors import NetworkError
from networks.network import TemporalNetwork
from networks.parse.contacts import Contacts
from networks.prepare import network_of_contacts

if TYPE_CHECKING:
    import networkx


def to_pandas(network: TemporalNetwork) -> pd.DataFrame:
    """Columns source, target (labels) and time, oldest first."""
    labels = np.array(network.labels.to_pylist(), dtype=object)
    return pd.DataFrame({"source": labels[network.source], "target": labels[network.target], "time": network.time})


def from_pandas(
    rows: pd.DataFrame, source: str = "source", target: str = "target", time: str = "time", name: str = ""
) -> TemporalNetwork:
    """A network of the contacts in these columns; dates become seconds since 1970."""
    for column in (source, target, time):
        if column not in rows:
            raise NetworkError(f"the table has no column {column!r}; it has {', '.join(map(str, rows.columns))}")
    codes, labels = pd.factorize(pd.concat([rows[source], rows[target]]), use_na_sentinel=False)
    if pd.isna(labels).any():
        raise NetworkError(f"columns {source!r} and {target!r}: some rows have no label")
    times, unit = rows[time], ""
    if pd.api.types.is_datetime64_any_dtype(times):
        times, unit = (times - pd.Timestamp(0, tz=times.dt.tz)) / pd.Timedelta(seconds=1), "seconds"
    values = pd.to_numeric(times, errors="coerce").to_numpy()
    if not np.isfinite(values).all() or (values.dtype.kind == "u" and values.max(initial=0) > np.iinfo(np.int64).max):
        raise NetworkError(f"column {time!r}: some times are missing, no numbers, or beyond 64 bits")
    contacts = Contacts(
        source=codes[: len(rows)].astype(np.int32),
        target=codes[len(rows) :].astype(np.int32),
        time=values.astype(np.int64 if values.dtype.kind in "iub" else np.float64),
        labels=pa.array([str(label) for label in labels], pa.large_string()),
        rows=len(rows),
        time_unit=unit,
    )
    return network_of_contacts(contacts, name)


def to_networkx(network: TemporalNetwork) -> "networkx.MultiGraph[str]":
    """A multigraph with one edge per contact, its time as the attribute `time`; nodes without contact are there too."""
    import networkx

    graph: networkx.MultiGraph[str] = networkx.MultiGraph(name=network.name)
    graph.add_nodes_from(network.labels.to_pylist())
    rows = to_pandas(network)
    graph.add_edges_from((u, v, {"time": t}) for u, v, t in zip(rows.source, rows.target, rows.time, strict=True))
    return graph


def from_networkx(graph: "networkx.Graph[Any]", time: str = "time") -> TemporalNetwork:
    """A network of the edges of any graph; every edge needs the attribute `time`."""
    edges: Iterable[tuple[Any, Any, Any]] = graph.edges(data=time)
    rows = pd.DataFrame(edges, columns=["source", "target", "time"])
    if rows["time"].isna().any():
        u, v = rows.loc[rows["time"].isna(), ["source", "target"]].iloc[0]
        raise NetworkError(f"the edge {u!r}, {v!r} has no attribute {time!r}")
    return from_pandas(rows, name=str(graph.graph.get("name", "")))


def to_temporal_data(network: TemporalNetwork) -> Any:
    """PyTorch Geometric's TemporalData with `src`, `dst` and `t`; nodes are numbers. Needs torch_geometric."""
    import torch
    from torch_geometric.data import TemporalData

    source, target, time = (
        torch.from_numpy(np.array(column)) for column in (network.source, network.target, network.time)
    )
    return TemporalData(src=source.long(), dst=target.long(), t=time)


def from_temporal_data(data: Any, name: str = "") -> TemporalNetwork:
    """A network of the events of a TemporalData; labels are its node numbers as text."""
    columns = {key: getattr(data, key).numpy() for key in ("src", "dst", "t")}
    return from_pandas(pd.DataFrame(columns), "src", "dst", "t", name)
