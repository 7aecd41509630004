"""Networks go to other libraries and come back the same, contact by contact."""

import sys
from types import ModuleType, SimpleNamespace

import networkx
import numpy as np
import pandas as pd
import pytest
import torch

from networks import (
    TemporalNetwork,
    from_networkx,
    from_pandas,
    from_temporal_data,
    to_networkx,
    to_pandas,
    to_temporal_data,
)
from networks.errors import NetworkError
from tests.conftest import labeled

ROWS = pd.DataFrame({"source": ["b", "a", "b"], "target": ["a", "c", "a"], "time": [3, 1, 2]})


def test_a_table_becomes_a_network_in_order_of_time_and_comes_back_so() -> None:
    network = from_pandas(ROWS, name="letters")
    assert repr(network) == "<TemporalNetwork letters: 3 nodes, 3 contacts>"
    assert network.labels.to_pylist() == ["a", "c", "b"]
    assert labeled(network) == [("a", "c", 1), ("b", "a", 2), ("b", "a", 3)]
    assert network.time.dtype == np.int64
    assert to_pandas(network).to_numpy().tolist() == [["a", "c", 1], ["b", "a", 2], ["b", "a", 3]]
    assert labeled(from_pandas(to_pandas(network))) == labeled(network)


def test_columns_of_any_name_dates_as_seconds_and_a_self_loop_dropped() -> None:
    days = pd.to_datetime(["1970-01-02 00:00:00.0", "1970-01-01 00:00:01.5", "1970-01-03 00:00:00.0"])
    rows = pd.DataFrame({"from": [7, 7, 7], "to": [8, 9, 7], "when": days})
    network = from_pandas(rows, "from", "to", "when")
    assert labeled(network) == [("7", "9", 1.5), ("7", "8", 86400.0)]
    assert network.facts["dropped"] == {"self loop": 1}
    assert network.facts["time_unit"] == "seconds"


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (ROWS.rename(columns={"time": "when"}), "the table has no column 'time'; it has source, target, when"),
        (ROWS.assign(time=[1, None, 2]), "column 'time': some times are missing, no numbers, or beyond 64 bits"),
        (ROWS.assign(time=["1", "noon", "2"]), "column 'time': some times are missing, no numbers, or beyond 64 bits"),
        (ROWS.assign(target=["a", None, "b"]), "columns 'source' and 'target': some rows have no label"),
        (ROWS.assign(target=ROWS["source"]), "no contact between two nodes is left (3 rows, 3 dropped for: self loop)"),
    ],
)
def test_a_table_that_is_no_network_is_refused_with_its_column(rows: pd.DataFrame, sentence: str) -> None:
    with pytest.raises(NetworkError) as refused:
        from_pandas(rows)
    assert str(refused.value) == sentence


def test_networkx_has_an_edge_per_contact_and_the_nodes_without_any(triangle: TemporalNetwork) -> None:
    graph = to_networkx(triangle)
    assert str(graph) == "MultiGraph named 'toy' with 4 nodes and 3 edges"
    assert sorted(graph.edges(data="time")) == [("0", "1", 10), ("0", "2", 30), ("1", "2", 20)]
    back = from_networkx(graph)
    assert [(*sorted(pair), t) for *pair, t in labeled(back)] == [("0", "1", 10), ("1", "2", 20), ("0", "2", 30)]
    assert (back.name, back.n_nodes) == ("toy", 3)


def test_an_edge_without_a_time_is_named() -> None:
    graph = networkx.Graph([("a", "b", {"time": 1}), ("b", "c", {"t": 2})])
    with pytest.raises(NetworkError, match="the edge 'b', 'c' has no attribute 'time'"):
        from_networkx(graph)


def test_temporal_data_has_the_numbers_of_the_nodes(triangle: TemporalNetwork, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch Geometric is not installed here: a stand-in with TemporalData's three attributes takes its place."""
    data = ModuleType("torch_geometric.data")
    data.TemporalData = SimpleNamespace  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "torch_geometric", ModuleType("torch_geometric"))
    monkeypatch.setitem(sys.modules, "torch_geometric.data", data)
    events = to_temporal_data(triangle)
    assert (events.src.tolist(), events.dst.tolist(), events.t.tolist()) == ([0, 1, 2], [1, 2, 0], [10, 20, 30])
    assert {events.src.dtype, events.dst.dtype, events.t.dtype} == {torch.int64}
    back = from_temporal_data(events, name="events")
    assert labeled(back) == [("0", "1", 10), ("1", "2", 20), ("2", "0", 30)]
    assert back.name == "events"
