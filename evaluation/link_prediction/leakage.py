"""What an example set gives away: pairs that repeat, nodes that training never saw, and what trivial scores reach."""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.errors import EvaluationError
from evaluation.examples.command import check_examples
from evaluation.examples.example_set import POSITIVE, ExampleSet, load_examples
from evaluation.examples.protocols import PROTOCOLS, classifier_split
from evaluation.link_prediction.evaluate import select
from evaluation.link_prediction.metrics import metrics
from harness.files import write_json
from networks.audit import reciprocity
from networks.bipartite import sides
from networks.network import TemporalNetwork
from networks.pairs import Keys, contains_all, empty_set, insert_all, pair_keys, set_of

N_SPLITS = 10


def leakage_report(network: TemporalNetwork, examples: ExampleSet) -> dict[str, Any]:
    """One report per example set, all numbers recomputed from the rows."""
    start = examples.facts["start"]
    side = sides(network)
    edges = set_of(pair_keys(network.source, network.target, network.n_nodes))
    positives = examples.rows[POSITIVE]
    degree = network.first(start).degrees
    negatives = {kind: rows for kind, rows in examples.rows.items() if kind != POSITIVE}
    pairs = pair_keys(examples.source[positives], examples.target[positives], network.n_nodes)
    return {
        "dataset": network.name,
        "block": examples.facts["block"],
        "draw": examples.facts["draw"],
        "examples_sha256": examples.sha256(),
        "positives": {
            "contacts": examples.n_positive,
            "distinct_pairs": len(np.unique(pairs)),
            "share_of_contacts_seen_in_training": share(examples.repeated[positives]),
            "share_of_distinct_pairs_seen_in_training": share(
                examples.repeated[positives][np.unique(pairs, return_index=True)[1]]
            ),
            "share_with_unseen_node": share(examples.unseen[positives]),
        },
        "nodes_without_training_contact": int(np.count_nonzero(degree == 0)),
        "classifier_split": {
            name: share_on_both_sides(examples, name, degree == 0)
            for name, protocol in PROTOCOLS.items()
            if protocol.negatives in negatives
        },
        "split_time": ties_at_border(network, start),
        "reciprocity": reciprocity(network),
        "negatives": {
            kind: {
                "candidates_rejected": examples.facts["rejected"][kind],
                **violations(edges, examples, rows),
                "share_with_unseen_node": share(examples.unseen[rows]),
                # In a bipartite network: negatives that the type of their nodes alone gives away.
                "share_within_one_side": (
                    None if side is None else share(side[examples.source[rows]] == side[examples.target[rows]])
                ),
            }
            for kind, rows in negatives.items()
        },
        "negatives_not_available": examples.unavailable,
        "auc_of_trivial_scores": {
            kind: {
                "edgebank": auc(examples, kind, examples.repeated.astype(np.float64), degree == 0),
                "degree": auc(examples, kind, degree_product(degree, examples), degree == 0),
            }
            for kind in negatives
        },
    }


def share(flags: NDArray[np.bool_]) -> float:
    return float(flags.mean())


def share_on_both_sides(examples: ExampleSet, protocol_name: str, unseen_node: NDArray[np.bool_]) -> float | None:
    """Of the positives that test the classifier, the share whose pair also trained it; mean over ten splits.

    Without pairs that have an unseen node, as everywhere in the evaluation; None if none is left.
    """
    protocol = PROTOCOLS[protocol_name]
    selection, _ = select(examples, protocol.negatives, unseen_node)
    if len(selection.pairs) == 0:
        return None
    keys = pair_keys(selection.pairs.source, selection.pairs.target, examples.facts["nodes"])
    shares = []
    for split in range(1, N_SPLITS + 1):
        try:
            training, test = classifier_split(
                protocol, selection.pairs, examples.facts["seed"], examples.facts["draw"], split
            )
        except EvaluationError:  # a protocol that these examples do not allow
            return None
        trained, tested = (keys[half[selection.positive[half]]] for half in (training, test))
        if len(tested):
            shares.append(share(contains_all(set_of(trained), tested)))
    return float(np.mean(shares)) if shares else None


def ties_at_border(network: TemporalNetwork, start: int) -> dict[str, Any]:
    """Whether the cut between training and held-out contacts goes through contacts of one time."""
    border = network.time[start]
    before = int(np.count_nonzero(network.time[:start] == border))
    return {
        "border": border.item(),
        "ties_cut": before > 0,
        "contacts_at_border_in_training": before,
        "contacts_at_border_held_out": int(np.count_nonzero(network.time[start:] == border)),
    }


def violations(edges: Keys, examples: ExampleSet, rows: slice) -> dict[str, int]:
    """Checked again from the rows: pairs that are edges of the whole network, self pairs, duplicates."""
    source, target = examples.source[rows], examples.target[rows]
    keys = pair_keys(source, target, examples.facts["nodes"])
    return {
        "pairs_checked": len(keys),
        "edges_of_the_whole_network": int(np.count_nonzero(contains_all(edges, keys))),
        "self_pairs": int(np.count_nonzero(source == target)),
        "duplicates": int(np.count_nonzero(~insert_all(empty_set(len(keys)), keys))),
    }


def degree_product(degree: NDArray[np.int64], examples: ExampleSet) -> NDArray[np.float64]:
    """Preferential attachment: contacts in training of one end times those of the other."""
    return degree[examples.source].astype(np.float64) * degree[examples.target]


def auc(examples: ExampleSet, kind: str, score: NDArray[np.float64], unseen_node: NDArray[np.bool_]) -> float | None:
    """AUC over the examples without an unseen node, so that it stands beside the methods' in the tables.

    EdgeBank's score is 1 for a pair that met in training, and 0 otherwise.
    """
    selection, rows = select(examples, kind, unseen_node)
    return metrics(score[rows], np.zeros(len(rows), dtype=np.bool_), selection.positive)["auc"].value


def add_commands(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("leakage", help="what an example set gives away to memory, degrees and types")
    parser.add_argument("--network", required=True, type=Path, help="stored network (network.arrow), all contacts")
    parser.add_argument("--split", type=Path, help="split.json; the examples are checked against it")
    parser.add_argument("--examples", required=True, type=Path, metavar="FILE")
    parser.add_argument("--out", required=True, type=Path, metavar="JSON")
    parser.set_defaults(command=write_leakage)


def write_leakage(arguments: argparse.Namespace) -> None:
    network = TemporalNetwork.load(arguments.network)
    examples = load_examples(arguments.examples)
    check_examples(examples, network, arguments.split, arguments.examples)
    write_json(arguments.out, leakage_report(network, examples))
