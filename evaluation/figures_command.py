"""`python -m evaluation figures`: draw the figures of a run from its raw repeats."""

import argparse
from pathlib import Path

from evaluation.figures import write_figures


def add_commands(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("figures", help="draw the figures of a run", description=__doc__)
    parser.add_argument("--run-folder", required=True, type=Path, help="results/<run>")
    parser.set_defaults(command=lambda chosen: write_figures(chosen.run_folder))
