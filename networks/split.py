"""Split: hold out the newest contacts for the test, and a block before them for validation."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from harness.files import write_json
from networks.errors import NetworkError
from networks.network import TemporalNetwork
from networks.pairs import pair_keys

TIES = ("group", "row")


@dataclass(frozen=True)
class Split:
    """Rows [0, tuning_end) are for tuning, [tuning_end, train_end) for validation, [train_end, n) for the test.

    Training on [0, train_end) and testing on the rest is the paper's split; tuning trains on [0, tuning_end) and is
    judged on the validation block.
    """

    tuning_end: int
    train_end: int
    test_fraction: float
    validation_fraction: float
    ties: str


def split_rows(
    network: TemporalNetwork, test_fraction: float = 0.2, validation_fraction: float = 0.1, ties: str = "group"
) -> Split:
    """Cut the newest `test_fraction` of all rows off, and `validation_fraction` of all rows before them.

    With ties "group" rows of equal time stay together: the cut is the one between two times that comes closest to the
    fraction (the later one if two are equally close), and every block has at least one row. With "row" the cut is
    exact, as in the paper, and ties are cut in the order of the file.
    """
    if ties not in TIES:
        raise NetworkError(f"ties {ties!r}: use one of {', '.join(TIES)}")
    if not (test_fraction > 0 and validation_fraction >= 0 and test_fraction + validation_fraction < 1):
        raise NetworkError(
            f"test fraction {test_fraction} and validation fraction {validation_fraction}: the first must be above 0, "
            "the second 0 or more, and both together below 1"
        )
    n = network.n_edges
    cuts = np.flatnonzero(network.time[1:] != network.time[:-1]) + 1 if ties == "group" else np.arange(1, n)
    blocks = 3 if validation_fraction > 0 else 2
    if len(cuts) < blocks - 1:
        what = "different times" if ties == "group" else "contacts"
        raise NetworkError(
            f"{network.name or 'the network'}: cannot be split into {blocks} blocks, because it has only "
            f"{len(cuts) + 1} {what}" + (" (ties: row cuts inside a time)" if ties == "group" and n >= blocks else "")
        )
    # Leave a place to cut before this one for the validation block.
    train_end = _nearest(cuts[blocks - 2 :], n * (1 - test_fraction))
    tuning_end = train_end
    if validation_fraction > 0:
        tuning_end = _nearest(cuts[cuts < train_end], n * (1 - test_fraction - validation_fraction))
    return Split(tuning_end, train_end, test_fraction, validation_fraction, ties)


def _nearest(cuts: NDArray[np.int64], wanted: float) -> int:
    distance = np.abs(cuts - wanted)
    return int(cuts[len(cuts) - 1 - np.argmin(distance[::-1])])


def describe_split(network: TemporalNetwork, split: Split) -> dict[str, Any]:
    """What the split came to, for split.json: for the test and the validation block, against what is older."""
    report: dict[str, Any] = {
        "network": network.name,
        "rows": network.n_edges,
        "nodes": network.n_nodes,
        "ties": split.ties,
        "train_end": split.train_end,
        "tuning_end": split.tuning_end,
        "test": _describe_block(network, split.train_end, network.n_edges, split.test_fraction),
    }
    if split.validation_fraction > 0:
        report["validation"] = _describe_block(network, split.tuning_end, split.train_end, split.validation_fraction)
    return report


def _describe_block(network: TemporalNetwork, start: int, end: int, fraction: float) -> dict[str, Any]:
    """The block [start, end) against the rows before it. A pair and its reverse are one pair."""
    source, target = network.source[start:end], network.target[start:end]
    seen = np.zeros(network.n_nodes, dtype=np.bool_)
    seen[network.source[:start]] = True
    seen[network.target[:start]] = True
    known = seen[source] & seen[target]
    older = pd.unique(pair_keys(network.source[:start], network.target[:start], network.n_nodes))
    pairs = pd.Series(pair_keys(source, target, network.n_nodes))
    repeated = pairs.isin(older)
    nodes = np.union1d(source, target)
    last, first = network.time[start - 1], network.time[start]
    return {
        "requested_fraction": fraction,
        "achieved_fraction": (end - start) / network.n_edges,
        "rows": end - start,
        "last_time_before": last.item(),
        "first_time": first.item(),
        "last_time": network.time[end - 1].item(),
        "cuts_a_tie": bool(last == first),
        "rows_of_tie_at_cut": int(np.count_nonzero(network.time == first)),
        "nodes": len(nodes),
        "unseen_nodes": int(np.count_nonzero(~seen[nodes])),
        "rows_with_unseen_nodes": int(np.count_nonzero(~known)),
        "pairs": pairs.nunique(),
        "repeated_pairs": pairs[repeated].nunique(),
        "repeated_rows": int(repeated.sum()),
    }


def write_split(network: TemporalNetwork, split: Split, folder: Path) -> dict[str, Any]:
    """Write train.arrow and tuning.arrow, over the same nodes, and then split.json; return what the latter says."""
    network.first(split.train_end).save(folder / "train.arrow")
    network.first(split.tuning_end).save(folder / "tuning.arrow")
    report = describe_split(network, split)
    write_json(folder / "split.json", report)
    return report
