"""`python -m evaluation ranking-queries` and `ranking`: queries, made once for all methods, and one method's ranks."""

import argparse
import sys
from dataclasses import astuple
from pathlib import Path
from typing import Any

from evaluation.embeddings import read_embeddings, read_record
from evaluation.errors import EvaluationError
from evaluation.examples.command import held_out_rows
from evaluation.examples.example_set import ExampleSet, load_examples, save_examples
from evaluation.link_prediction.command import names_of, outcome_of, read_scores, unseen_nodes, without_folder
from evaluation.link_prediction.evaluate import SCORE, Cell
from evaluation.link_prediction.operators import OPERATORS
from evaluation.link_prediction.printed_table import print_table
from evaluation.ranking.queries import check_queries, make_queries
from evaluation.ranking.ranks import METRICS, cells_without_value, rank_scores, rank_vectors
from evaluation.repeats_file import LINK_PREDICTION_COLUMNS, write_repeats
from evaluation.version import version_on
from harness.command_line import positive_integer
from networks.network import TemporalNetwork


def add_commands(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    making = subparsers.add_parser("ranking-queries", help="positives with their own negatives, once for all methods")
    ranking = subparsers.add_parser("ranking", help="MRR and Hits@10 of vectors or scores on stored queries")
    for parser in (making, ranking):
        parser.add_argument("--network", required=True, type=Path, help="stored network (network.arrow), all contacts")
        parser.add_argument(
            "--split", type=Path, help="split.json (default: the newest 20%% of the contacts are held out)"
        )
    making.add_argument("--queries", type=positive_integer, default=10_000, help="at most so many (default 10000)")
    making.add_argument("--negatives", type=positive_integer, default=100, help="at most so many each (default 100)")
    making.add_argument("--draw", type=int, default=1, help="number of the draw (default 1)")
    making.add_argument("--seed", type=int, default=1, help="seed of all draws (default 1)")
    making.add_argument("--out", required=True, type=Path, metavar="FILE")
    making.set_defaults(command=write_queries)
    ranking.add_argument("--queries", required=True, type=Path, nargs="+", metavar="FILE", help="one file per draw")
    given = ranking.add_mutually_exclusive_group(required=True)
    given.add_argument("--fit", type=Path, metavar="FOLDER", help="folder of a fit (fit.json, embeddings.npy)")
    given.add_argument(
        "--scores", type=Path, nargs="+", metavar="FOLDER", help="folders of scores (score.json, scores.npy), by draw"
    )
    given.add_argument("--embeddings", type=Path, metavar="FILE", help="vectors from anywhere: npy or word2vec text")
    ranking.add_argument("--dataset", help="name in the table (default: the network's)")
    ranking.add_argument("--method", help="name in the table (default: the fit's, or the file's name)")
    ranking.add_argument("--seed", type=int, help="training seed in the table (default: the fit's, or 0)")
    ranking.add_argument("--out", type=Path, metavar="CSV", help="write every repeat")
    ranking.set_defaults(command=rank)


def write_queries(arguments: argparse.Namespace) -> None:
    network = TemporalNetwork.load(arguments.network)
    rows = held_out_rows(network, arguments.split, "test")
    sizes = arguments.queries, arguments.negatives
    queries = make_queries(network, *rows, *sizes, arguments.seed, arguments.draw)
    for reason in queries.unavailable.values():
        print(f"note: {reason}", file=sys.stderr)
    if queries.facts["negatives"] < arguments.negatives:
        print(f"note: {queries.facts['negatives']} negatives each, because some query has no more", file=sys.stderr)
    save_examples(queries, arguments.out)


def rank(arguments: argparse.Namespace) -> None:
    network = TemporalNetwork.load(arguments.network)
    draws = [load_examples(path) for path in arguments.queries]
    for path, queries in zip(arguments.queries, draws, strict=True):
        check_queries(queries, network, arguments.split, path)
    if arguments.scores:
        cells, record = _of_scores(arguments.scores, draws)
    elif arguments.fit:
        cells, record = _of_fit(arguments.fit, network, draws)
    else:
        cells, record = _of_file(arguments.embeddings, network, draws), {}
    names = names_of(arguments, network, record)
    if arguments.out:
        versions = {one.facts["draw"]: version_on("ranking", one.sha256()) for one in draws}
        write_repeats(
            arguments.out, LINK_PREDICTION_COLUMNS, ((*names, *astuple(cell), versions[cell.draw]) for cell in cells)
        )
    print_table(cells, METRICS)


def _of_file(path: Path, network: TemporalNetwork, draws: list[ExampleSet]) -> list[Cell]:
    embeddings = read_embeddings(path, network)
    for note in embeddings.notes:
        print(f"note: {path}: {note}", file=sys.stderr)
    return [
        cell for queries in draws for cell in rank_vectors(embeddings.vectors, unseen_nodes(network, queries), queries)
    ]


def _of_fit(folder: Path, network: TemporalNetwork, draws: list[ExampleSet]) -> tuple[list[Cell], dict[str, Any]]:
    """A failed fit, or one whose vectors cannot be used, becomes marked cells: the other methods' go on."""
    record = read_record(folder / "fit.json")
    status, reason = outcome_of(record, folder / "fit.json", draws)
    if status == "ok":
        try:
            return _of_file(folder / "embeddings.npy", network, draws), record
        except EvaluationError as error:
            status, reason = "failed", without_folder(error, folder)
    return [
        cell for queries in draws for cell in cells_without_value(queries, tuple(OPERATORS), status, reason)
    ], record


def _of_scores(folders: list[Path], draws: list[ExampleSet]) -> tuple[list[Cell], dict[str, Any]]:
    if len(folders) != len(draws):
        raise EvaluationError(f"--scores: {len(folders)} folders for {len(draws)} files of queries; give one for each")
    cells: list[Cell] = []
    for folder, queries in zip(folders, draws, strict=True):
        record = read_record(folder / "score.json")
        status, reason = outcome_of(record, folder / "score.json", [queries])
        if status == "ok":
            try:
                cells += rank_scores(read_scores(folder / "scores.npy", len(queries.source)), queries)
                continue
            except EvaluationError as error:
                status, reason = "failed", without_folder(error, folder)
        cells += cells_without_value(queries, (SCORE,), status, reason)
    return cells, record
