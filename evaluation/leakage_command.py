"""`python -m evaluation leakage`: what an example set gives away to memory, degrees and types."""

import argparse
from pathlib import Path

from datasets.atomic import write_json
from datasets.network import TemporalNetwork
from evaluation.examples import load_examples
from evaluation.examples_command import check_examples
from evaluation.leakage import leakage_report


def add_commands(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("leakage", help="what an example set gives away to memory, degrees and types")
    parser.add_argument("--network", required=True, type=Path, help="stored network (network.arrow), all contacts")
    parser.add_argument("--split", type=Path, help="split.json; the examples are checked against it")
    parser.add_argument("--examples", required=True, type=Path, metavar="FILE")
    parser.add_argument("--out", required=True, type=Path, metavar="JSON")
    parser.set_defaults(command=write_leakage)


def write_leakage(chosen: argparse.Namespace) -> None:
    network = TemporalNetwork.load(chosen.network)
    examples = load_examples(chosen.examples)
    check_examples(examples, network, chosen.split, chosen.examples)
    write_json(chosen.out, leakage_report(network, examples))
