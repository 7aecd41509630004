"""`python -m evaluation examples`: positives and negatives, made once for all methods."""

import argparse
import sys
from pathlib import Path

from evaluation.errors import EvaluationError
from evaluation.examples.example_set import ExampleSet, block_rows, check_belongs, make_examples, save_examples
from evaluation.examples.negatives import STRATEGIES
from harness.files import read_json
from networks.network import TemporalNetwork
from networks.split import split_rows

BLOCKS = ("test", "validation")


def add_commands(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    examples = subparsers.add_parser("examples", help="positives and negatives, once for all methods")
    examples.add_argument("--network", required=True, type=Path, help="stored network (network.arrow), all contacts")
    examples.add_argument(
        "--split", type=Path, help="split.json (default: the newest 20%% of the contacts are held out)"
    )
    examples.add_argument("--block", choices=BLOCKS, default="test", help="which contacts are the positives")
    examples.add_argument("--draw", type=int, default=1, help="number of the draw of negatives (default 1)")
    examples.add_argument("--seed", type=int, default=1, help="seed of all draws (default 1)")
    examples.add_argument(
        "--negatives", default="uniform", metavar="NAME,NAME,…", help=f"of {', '.join(STRATEGIES)} (default uniform)"
    )
    examples.add_argument("--out", required=True, type=Path, metavar="FILE")
    examples.set_defaults(command=write_examples)


def write_examples(arguments: argparse.Namespace) -> None:
    network = TemporalNetwork.load(arguments.network)
    rows = held_out_rows(network, arguments.split, arguments.block)
    strategies = arguments.negatives.split(",")
    examples = make_examples(network, *rows, strategies, arguments.seed, arguments.draw, arguments.block)
    for reason in examples.unavailable.values():
        print(f"note: {reason}", file=sys.stderr)
    save_examples(examples, arguments.out)


def held_out_rows(network: TemporalNetwork, split: Path | None, block: str) -> tuple[int, int]:
    """The rows of a block by split.json, or by the default split where there is none."""
    if split is None:
        cut = split_rows(network)
        return block_rows(cut.train_end, cut.tuning_end, network.n_edges, block)
    stored = read_json(split)
    try:
        return block_rows(stored["train_end"], stored["tuning_end"], network.n_edges, block)
    except (KeyError, TypeError):
        raise EvaluationError(
            f"{split}: has no train_end and tuning_end; write it with `python -m networks split`"
        ) from None


def check_examples(examples: ExampleSet, network: TemporalNetwork, split: Path | None, path: Path) -> None:
    """Refuse examples of another network or another split."""
    check_belongs(examples, network, path)
    if split is None:
        return
    held_out = (examples.facts["start"], examples.facts["end"])
    if held_out_rows(network, split, examples.facts["block"]) != held_out:
        raise EvaluationError(f"{path}: made from another split than {split}; make it again")
