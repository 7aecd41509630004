"""`python -m evaluation link-prediction`: the metrics of one method's vectors or scores, as a table of repeats."""

import argparse
import csv
import sys
from collections.abc import Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from datasets.atomic import atomic_path
from datasets.command_line import positive_integer
from datasets.network import TemporalNetwork
from evaluation.embeddings import UNSEEN_POLICIES, read_embeddings
from evaluation.errors import EvaluationError
from evaluation.examples import ExampleSet, load_examples, make_examples
from evaluation.examples_command import check_examples, held_out_rows
from evaluation.fit_record import read_record
from evaluation.link_prediction import SCORE, Cell, cells_without_value, evaluate_embeddings, evaluate_scores
from evaluation.operators import OPERATORS
from evaluation.printed_table import print_table
from evaluation.protocols import PROTOCOLS, Protocol

COLUMNS = ("dataset", "method", "seed", *(field.name for field in fields(Cell)))


@dataclass(frozen=True)
class Settings:
    """How all draws are evaluated."""

    protocols: Sequence[Protocol]
    splits: int
    threads: int
    unseen_policy: str


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
        "--unseen",
        choices=UNSEEN_POLICIES,
        default=UNSEEN_POLICIES[0],
        help="nodes without training contact: drop their examples, or give them zero or the mean of the others "
        "(default %(default)s)",
    )
    parser.add_argument("--threads", type=positive_integer, default=1, help="classifiers in training at the same time")
    parser.add_argument("--out", type=Path, metavar="CSV", help="write every repeat")
    parser.set_defaults(command=predict_links)


def predict_links(chosen: argparse.Namespace) -> None:
    network = TemporalNetwork.load(chosen.network)
    draws = _example_sets(chosen, network)
    settings = Settings(
        chosen.protocols or _allowed(draws, given=chosen.examples is not None),
        chosen.splits,
        chosen.threads,
        chosen.unseen,
    )
    if chosen.scores:
        cells, record = _of_scores(chosen.scores, network, draws, settings)
    elif chosen.fit:
        cells, record = _of_fit(chosen.fit, network, draws, settings)
    else:
        cells, record = _of_file(chosen.embeddings, network, draws, settings), {}
    source: Path = chosen.embeddings or chosen.fit or chosen.scores[0]
    names = (
        chosen.dataset or network.name,
        chosen.method or record.get("method") or source.stem,
        chosen.seed if chosen.seed is not None else record.get("seed", 0),
    )
    if chosen.out:
        _write(chosen.out, names, cells)
    print_table(cells)


def _example_sets(chosen: argparse.Namespace, network: TemporalNetwork) -> list[ExampleSet]:
    if chosen.examples is None:
        rows = held_out_rows(network, chosen.split, "test")
        strategies = [protocol.negatives for protocol in chosen.protocols or [PROTOCOLS["paper"]]]
        draws = [make_examples(network, *rows, strategies, seed=1, draw=1)]
    else:
        draws = [load_examples(path) for path in chosen.examples]
        for path, examples in zip(chosen.examples, draws, strict=True):
            check_examples(examples, network, chosen.split, path)
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
            _unseen_nodes(network, examples),
            examples,
            settings.protocols,
            settings.splits,
            settings.threads,
            settings.unseen_policy,
        )
    return cells


def _of_fit(
    folder: Path, network: TemporalNetwork, draws: Sequence[ExampleSet], settings: Settings
) -> tuple[list[Cell], dict[str, Any]]:
    """A failed fit, or one whose vectors cannot be used, becomes marked cells: the other methods' go on."""
    record = read_record(folder / "fit.json")
    status, reason = _outcome(record, folder / "fit.json", draws)
    if status == "ok":
        try:
            return _of_file(folder / "embeddings.npy", network, draws, settings), record
        except EvaluationError as error:
            status, reason = "failed", _without_folder(error, folder)
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
        status, reason = _outcome(record, folder / "score.json", [examples])
        if status == "ok":
            try:
                cells += evaluate_scores(
                    read_scores(folder / "scores.npy", len(examples.source)),
                    _unseen_nodes(network, examples),
                    examples,
                    settings.protocols,
                    settings.splits,
                    settings.threads,
                    settings.unseen_policy,
                )
                continue
            except EvaluationError as error:
                status, reason = "failed", _without_folder(error, folder)
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


def _outcome(record: dict[str, Any], path: Path, draws: Sequence[ExampleSet]) -> tuple[str, str]:
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


def _unseen_nodes(network: TemporalNetwork, examples: ExampleSet) -> NDArray[np.bool_]:
    unseen: NDArray[np.bool_] = network.first(examples.facts["start"]).degrees == 0
    return unseen


def _without_folder(error: EvaluationError, folder: Path) -> str:
    """The table travels; the folder it was made in does not."""
    return str(error).removeprefix(f"{folder}/")


def _write(path: Path, names: Sequence[object], cells: Sequence[Cell]) -> None:
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(COLUMNS)
        rows.writerows((*names, *astuple(cell)) for cell in cells)


def _protocols(text: str) -> list[Protocol]:
    names = text.split(",")
    unknown = [name for name in names if name not in PROTOCOLS]
    if unknown:
        raise argparse.ArgumentTypeError(f"no protocol named {unknown[0]}; there are {', '.join(PROTOCOLS)}")
    return [PROTOCOLS[name] for name in names]
