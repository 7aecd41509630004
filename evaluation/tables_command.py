"""`python -m evaluation tables`: make the tables of a run from its raw repeats."""

import argparse
from pathlib import Path

from evaluation.tables import write_tables


def add_commands(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("tables", help="make the tables of a run", description=__doc__)
    parser.add_argument("--run-folder", required=True, type=Path, help="results/<run>")
    parser.set_defaults(command=lambda chosen: write_tables(chosen.run_folder))
