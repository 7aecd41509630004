"""`python -m evaluation link-prediction`: the metrics of one method's vectors or scores, as a table of repeats."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evaluation.embeddings import read_embeddings, read_record
from evaluation.errors import EvaluationError
from evaluation.examples.command import check_examples, held_out_rows
from evaluation.examples.example_set import ExampleSet, load_examples, make_examples
from evaluation.examples.protocols import PROTOCOLS, Protocol
from evaluation.link_prediction.classifier import CLASSIFIERS
from evaluation.link_prediction.evaluate import SCORE, Cell, cells_without_value, evaluate_embeddings, evaluate_scores
from evaluation.link_prediction.operators import OPERATORS
from evaluation.link_prediction.printed_table import print_table
from evaluation.repeats_file import LINK_PREDICTION_COLUMNS, write_repeats
from evaluation.version import version_on
from harness.command_line import positive_integer
from networks.network import TemporalNetwork


@dataclass(frozen=True)
class Settings:
    """How all draws are evaluated."""

    protocols: Sequence[Protocol]
    splits: int
    threads: int
    classifier: str


def add_commands(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser(
        "link-prediction",
        help="AUC, F1 and more of vectors or scores on example sets",
        description="Evaluate link prediction. With --network and --embeddings alone, the split and the examples "
        "are made on the fly, and a table is printed.",
    )
    parser.add_argument("--network", required=True, type=Path, help="stored network (network.arrow), all contacts")
    parser.add_argument("--split", type=Path, help="split.json (default: the newest 20%% of the contacts are held out)")
    parser.add_argument(
        "--examples", type=Path, nargs="+", metavar="FILE", help="example sets, one per draw (default: one is drawn)"
    )
    vectors = parser.add_mutually_exclusive_group(required=True)
    vectors.add_argument("--fit", type=Path, metavar="FOLDER", help="folder of a fit (fit.json, embeddings.npy)")
    vectors.add_argument(
        "--scores",
        type=Path,
        nargs="+",
        metavar="FOLDER",
        help="folders of scores (score.json, scores.npy), one per draw",
    )
    vectors.add_argument("--embeddings", type=Path, metavar="FILE", help="vectors from anywhere: npy or word2vec text")
    parser.add_argument("--dataset", help="name in the table (default: the network's)")
    parser.add_argument("--method", help="name in the table (default: the fit's, or the file's name)")
    parser.add_argument("--seed", type=int, help="training seed in the table (default: the fit's, or 0)")
    parser.add_argument(
        "--protocols",
        type=_protocols,
        metavar="NAME,NAME,…",
        help=f"of {', '.join(PROTOCOLS)} (default: paper, or with --examples all that they allow)",
    )
    parser.add_argument("--splits", type=positive_integer, default=10, help="classifier splits per draw (default 10)")
    parser.add_argument(
        "--classifier",
        choices=CLASSIFIERS,
        default="newton_checked",
        help="logistic regression by Newton's method (newton), by LIBLINEAR as in the paper, which takes many times as "
        "long (liblinear), or by Newton's method with the first split by both (newton_checked, the default)",
    )
    parser.add_argument("--threads", type=positive_integer, default=1, help="classifiers in training at the same time")
    parser.add_argument("--out", type=Path, metavar="CSV", help="write every repeat")
    parser.set_defaults(command=predict_links)


def predict_links(arguments: argparse.Namespace) -> None:
    network = TemporalNetwork.load(arguments.network)
    draws = _example_sets(arguments, network)
    settings = Settings(
        arguments.protocols or _allowed(draws, given=arguments.examples is not None),
        arguments.splits,
        arguments.threads,
        arguments.classifier,
    )
    if arguments.scores:
        cells, record = _of_scores(arguments.scores, network, draws, settings)
    elif arguments.fit:
        cells, record = _of_fit(arguments.fit, network, draws, settings)
    else:
        cells, record = _of_file(arguments.embeddings, network, draws, settings), {}
    names = names_of(arguments, network, record)
    if arguments.out:
        versions = {one.facts["draw"]: version_on("link prediction", one.sha256()) for one in draws}
        rows = ((*names, *astuple(cell), versions[cell.draw]) for cell in cells)
        write_repeats(arguments.out, LINK_PREDICTION_COLUMNS, rows)
    print_table(cells)


def names_of(arguments: argparse.Namespace, network: TemporalNetwork, record: dict[str, Any]) -> tuple[str, str, int]:
    """Network, method and seed of every row: as given, else as the fit or the file says."""
    source: Path = arguments.embeddings or arguments.fit or arguments.scores[0]
    return (
        arguments.dataset or network.name,
        arguments.method or record.get("method") or source.stem,
        arguments.seed if arguments.seed is not None else record.get("seed", 0),
    )


def _example_sets(arguments: argparse.Namespace, network: TemporalNetwork) -> list[ExampleSet]:
    if arguments.examples is None:
        rows = held_out_rows(network, arguments.split, "test")
        strategies = [protocol.negatives for protocol in arguments.protocols or [PROTOCOLS["paper"]]]
        draws = [make_examples(network, *rows, strategies, seed=1, draw=1)]
    else:
        draws = [load_examples(path) for path in arguments.examples]
        for path, examples in zip(arguments.examples, draws, strict=True):
            check_examples(examples, network, arguments.split, path)
    for examples in draws:
        for reason in examples.unavailable.values():
            print(f"note: draw {examples.facts['draw']}: {reason}", file=sys.stderr)
    return draws


def _allowed(draws: Sequence[ExampleSet], given: bool) -> list[Protocol]:
    kinds = {kind for examples in draws for kind in (*examples.rows, *examples.unavailable)}
    return (
        [protocol for protocol in PROTOCOLS.values() if protocol.negatives in kinds] if given else [PROTOCOLS["paper"]]
    )


def _of_file(path: Path, network: TemporalNetwork, draws: Sequence[ExampleSet], settings: Settings) -> list[Cell]:
    embeddings = read_embeddings(path, network)
    for note in embeddings.notes:
        print(f"note: {path}: {note}", file=sys.stderr)
    cells = []
    for examples in draws:
        cells += evaluate_embeddings(
            embeddings.vectors,
            # Nodes that the file lacks count as seen: which examples are left out must not depend on the method.
            unseen_nodes(network, examples),
            examples,
            settings.protocols,
            settings.splits,
            settings.threads,
            settings.classifier,
        )
    return cells


def _of_fit(
    folder: Path, network: TemporalNetwork, draws: Sequence[ExampleSet], settings: Settings
) -> tuple[list[Cell], dict[str, Any]]:
    """A failed fit, or one whose vectors cannot be used, becomes marked cells: the other methods' go on."""
    record = read_record(folder / "fit.json")
    status, reason = outcome_of(record, folder / "fit.json", draws)
    if status == "ok":
        try:
            return _of_file(folder / "embeddings.npy", network, draws, settings), record
        except EvaluationError as error:
            status, reason = "failed", without_folder(error, folder)
    return [
        cell
        for examples in draws
        for cell in cells_without_value(examples.facts["draw"], settings.protocols, tuple(OPERATORS), status, reason)
    ], record


def _of_scores(
    folders: Sequence[Path], network: TemporalNetwork, draws: Sequence[ExampleSet], settings: Settings
) -> tuple[list[Cell], dict[str, Any]]:
    if len(folders) != len(draws):
        raise EvaluationError(f"--scores: {len(folders)} folders for {len(draws)} example sets; give one for each")
    cells = []
    for folder, examples in zip(folders, draws, strict=True):
        record = read_record(folder / "score.json")
        status, reason = outcome_of(record, folder / "score.json", [examples])
        if status == "ok":
            try:
                cells += evaluate_scores(
                    read_scores(folder / "scores.npy", len(examples.source)),
                    unseen_nodes(network, examples),
                    examples,
                    settings.protocols,
                    settings.splits,
                    settings.threads,
                    settings.classifier,
                )
                continue
            except EvaluationError as error:
                status, reason = "failed", without_folder(error, folder)
        cells += cells_without_value(examples.facts["draw"], settings.protocols, (SCORE,), status, reason)
    return cells, record


def read_scores(path: Path, n_examples: int) -> NDArray[np.float64]:
    try:
        scores = np.load(path, allow_pickle=False)
    except (ValueError, OSError, EOFError) as error:
        raise EvaluationError(f"{path}: cannot be read as an array of numbers ({error})") from None
    if scores.shape != (n_examples,) or scores.dtype.kind not in "fiu":
        raise EvaluationError(
            f"{path}: {scores.dtype} of shape {scores.shape}; it must hold one number for each of {n_examples} examples"
        )
    if not np.isfinite(scores).all():
        raise EvaluationError(f"{path}: {np.count_nonzero(~np.isfinite(scores))} scores are NaN or infinite")
    return scores.astype(np.float64)


def outcome_of(record: dict[str, Any], path: Path, draws: Sequence[ExampleSet]) -> tuple[str, str]:
    """Status and reason of a fit; one that was trained on contacts that are held out here is refused."""
    trained_on = record.get("network", {}).get("edges", 0)
    held_out_from = min(examples.facts["start"] for examples in draws)
    if trained_on > held_out_from:
        raise EvaluationError(
            f"{path}: trained on {trained_on} contacts, but the examples hold out everything after the first "
            f"{held_out_from}; fit the method on the training network (train.arrow)"
        )
    status = record.get("status") or "failed"
    return status, "" if status == "ok" else record.get("reason") or f"{path.name} gives no reason"


def unseen_nodes(network: TemporalNetwork, examples: ExampleSet) -> NDArray[np.bool_]:
    unseen: NDArray[np.bool_] = network.first(examples.facts["start"]).degrees == 0
    return unseen


def without_folder(error: EvaluationError, folder: Path) -> str:
    """The table travels; the folder it was made in does not."""
    return str(error).removeprefix(f"{folder}/")


def _protocols(text: str) -> list[Protocol]:
    names = text.split(",")
    unknown = [name for name in names if name not in PROTOCOLS]
    if unknown:
        raise argparse.ArgumentTypeError(f"no protocol named {unknown[0]}; there are {', '.join(PROTOCOLS)}")
    return [PROTOCOLS[name] for name in names]
