"""`python -m evaluation reconstruction`: Precision@P of one embedding as a table of repeats."""

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.embeddings import read_embeddings, read_record
from evaluation.errors import EvaluationError
from evaluation.reconstruction.precision import SIMILARITIES, Sample, ceiling, precision_of_draws, sample_nodes
from evaluation.repeats_file import RECONSTRUCTION_COLUMNS, write_repeats
from evaluation.version import code_version
from harness.command_line import positive_integer
from networks.network import TemporalNetwork

# The paper's range, 1e2 to 1e6, at 1-2-5 steps: its text speaks of 500.
DEFAULT_PAIRS = [mantissa * 10**power for power in range(2, 6) for mantissa in (1, 2, 5)] + [1_000_000]


@dataclass(frozen=True)
class Outcome:
    """Vectors to evaluate, or the status and reason why there are none."""

    vectors: NDArray[np.floating] | None
    status: str = "ok"
    reason: str = ""


def add_commands(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "reconstruction", help="Precision@P of the most similar pairs among sampled nodes", description=__doc__
    )
    parser.add_argument("--network", required=True, type=Path, help="stored network (network.arrow), all edges")
    vectors = parser.add_mutually_exclusive_group(required=True)
    vectors.add_argument("--fit", type=Path, metavar="FOLDER", help="folder of a fit (fit.json, embeddings.npy)")
    vectors.add_argument("--embeddings", type=Path, metavar="FILE", help="vectors from anywhere: npy or word2vec text")
    parser.add_argument("--dataset", help="name in the table (default: the network's)")
    parser.add_argument("--method", help="name in the table (default: the fit's, or the file's name)")
    parser.add_argument("--seed", type=int, help="training seed in the table (default: the fit's, or 0)")
    parser.add_argument("--nodes", type=positive_integer, default=10_000, help="nodes sampled per draw (default 10000)")
    parser.add_argument("--draws", type=positive_integer, default=10, help="samples of nodes (default 10)")
    parser.add_argument("--draw-seed", type=int, default=0, help="seed of the samples, the same for all methods")
    parser.add_argument("--pairs", type=_pairs, default=DEFAULT_PAIRS, metavar="P,P,…", help="values of P")
    parser.add_argument("--threads", type=positive_integer, default=1, help="draws in work at the same time")
    parser.add_argument("--out", required=True, type=Path, metavar="CSV")
    parser.set_defaults(command=reconstruct)


def reconstruct(arguments: argparse.Namespace) -> None:
    network = TemporalNetwork.load(arguments.network)
    if network.n_nodes < 2:
        raise EvaluationError(f"{arguments.network}: has {network.n_nodes} nodes; there is no pair to rank")
    record = read_record(arguments.fit / "fit.json") if arguments.fit else {}
    outcome = _fitted(arguments.fit, record, network) if arguments.fit else _given(arguments.embeddings, network)
    names = {
        "dataset": arguments.dataset or network.name,
        "method": arguments.method or record.get("method") or (arguments.embeddings or arguments.fit).stem,
        "seed": arguments.seed if arguments.seed is not None else record.get("seed", 0),
    }
    # All draws of a network no larger than the sample are the same; repeating one would feign ten agreeing repeats.
    draws = arguments.draws if arguments.nodes < network.n_nodes else 1
    samples = [sample_nodes(network, arguments.nodes, arguments.draw_seed, draw) for draw in range(1, draws + 1)]
    if outcome.vectors is None:
        precision = np.full((draws, len(SIMILARITIES), len(arguments.pairs)), np.nan)
    else:
        precision = precision_of_draws(outcome.vectors, samples, arguments.pairs, arguments.threads)
    write_repeats(arguments.out, RECONSTRUCTION_COLUMNS, _rows(names, samples, arguments.pairs, precision, outcome))


def _given(path: Path, network: TemporalNetwork) -> Outcome:
    embeddings = read_embeddings(path, network)
    for note in embeddings.notes:
        print(f"note: {path}: {note}", file=sys.stderr)
    return Outcome(embeddings.vectors)


def _fitted(folder: Path, record: dict[str, Any], network: TemporalNetwork) -> Outcome:
    """A failed fit, or one whose vectors cannot be used, becomes marked cells: the other methods' go on."""
    trained_on = record.get("network", {}).get("edges", network.n_edges)
    if trained_on != network.n_edges:
        raise EvaluationError(
            f"{folder / 'fit.json'}: trained on {trained_on} contacts, but the network has {network.n_edges}; "
            "reconstruction takes a fit on all of them (network.arrow)"
        )
    if record.get("status") != "ok":
        return Outcome(None, record.get("status") or "failed", record.get("reason") or "fit.json gives no reason")
    try:
        return _given(folder / "embeddings.npy", network)
    except EvaluationError as error:
        # The table travels; the folder it was made in does not.
        return Outcome(None, "failed", str(error).removeprefix(f"{folder}/"))


def _rows(
    names: dict[str, object],
    samples: list[Sample],
    pairs: list[int],
    precision: NDArray[np.float64],
    outcome: Outcome,
) -> Iterator[list[object]]:
    for draw, sample in enumerate(samples, start=1):
        for similarity, name in enumerate(SIMILARITIES):
            for column, count in enumerate(pairs):
                status, reason = outcome.status, outcome.reason
                if status == "ok" and count > sample.n_pairs:
                    status = "undefined"
                    reason = f"there are {sample.n_pairs} pairs among {len(sample.nodes)} nodes"
                shown = repr(float(precision[draw - 1, similarity, column])) if status == "ok" else ""
                best = repr(ceiling(sample, count))
                made_by = code_version("reconstruction")
                yield [*names.values(), draw, name, count, shown, best, sample.n_edges, status, reason, made_by]


def _pairs(text: str) -> list[int]:
    return sorted({positive_integer(part.strip()) for part in text.split(",")})
