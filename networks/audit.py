"""Audit: what is in a network, counted, and how it differs from what the paper says of it."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from harness.files import file_sha256
from networks.bipartite import sides
from networks.network import TemporalNetwork
from networks.pairs import pair_keys


def audit(
    network: TemporalNetwork, paper: dict[str, int] | None = None, raw_file: Path | None = None
) -> dict[str, Any]:
    """Everything that a reader should know before trusting results on this network; the cost is linear in its rows.

    A pair is unordered, except in `reciprocity`. `repeated_share` is the share of rows whose pair occurs in an earlier
    row as well.
    """
    n_nodes, n_edges = network.n_nodes, network.n_edges
    pairs = len(pd.unique(pair_keys(network.source, network.target, n_nodes)))
    side = sides(network)
    report: dict[str, Any] = {
        "network": network.name,
        "nodes": n_nodes,
        "temporal_edges": n_edges,
        "distinct_pairs": pairs,
        "repeated_share": 1 - pairs / n_edges,
        "reciprocity": reciprocity(network),
        "bipartite": side is not None,
        **({"sides": [int(np.count_nonzero(side == 0)), int(np.count_nonzero(side == 1))]} if side is not None else {}),
        "times": _times(network),
        "paper": None if paper is None else _beside_paper(network, paper),
        "source": {**network.facts, "sha256": None if raw_file is None else file_sha256(raw_file)},
    }
    return report


def reciprocity(network: TemporalNetwork) -> float:
    """Of the distinct ordered pairs (u, v), as the source names them, the share whose reverse (v, u) occurs too.

    By hashing, so that the cost is linear in the rows.
    """
    n_nodes = network.n_nodes
    ordered = pd.unique(network.source.astype(np.int64) * n_nodes + network.target)
    reverse = ordered % n_nodes * n_nodes + ordered // n_nodes
    return float(pd.Series(reverse).isin(ordered).mean())


def _times(network: TemporalNetwork) -> dict[str, Any]:
    """Times are sorted, so that groups of equal times are runs; `merged` are distinct in the source but not here."""
    time = network.time
    starts = np.flatnonzero(np.concatenate(([True], time[1:] != time[:-1])))
    sizes = np.diff(np.append(starts, len(time)))
    report = {
        "unit": network.facts.get("time_unit", ""),
        "first": time[0].item(),
        "last": time[-1].item(),
        "span": time[-1].item() - time[0].item(),
        "distinct": len(starts),
        "merged": network.facts.get("merged_times", 0),
        "tied_rows": int(sizes[sizes > 1].sum()),
        "largest_tie": int(sizes.max()),
    }
    if report["unit"] == "seconds":
        report["first_date"], report["last_date"] = _date(report["first"]), _date(report["last"])
    return report


def _date(seconds: float) -> str | None:
    """The UTC date, None for a number that no calendar holds."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")
    except (OverflowError, ValueError, OSError):
        return None


def _beside_paper(network: TemporalNetwork, paper: dict[str, int]) -> dict[str, int]:
    """The paper's counts, and ours minus the paper's: as prepared, and as in the source before rows were dropped."""
    facts = network.facts
    report = dict(paper) | {
        "nodes_difference": network.n_nodes - paper["nodes"],
        "edges_difference": network.n_edges - paper["edges"],
    }
    if "rows" in facts and "labels_in_source" in facts:
        report["nodes_difference_in_source"] = facts["labels_in_source"] - paper["nodes"]
        report["edges_difference_in_source"] = facts["rows"] - paper["edges"]
    return report
