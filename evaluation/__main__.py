"""`python -m evaluation COMMAND`: the sub-commands, each added by the module that MODULES names."""

import argparse
import importlib
import sys
from collections.abc import Sequence

from harness.command_line import run_command

# Only the module of the wanted command is imported: drawing needs matplotlib, and a step should not wait for it.
MODULES = {
    "examples.command": ("examples",),
    "link_prediction.leakage": ("leakage",),
    "link_prediction.command": ("link-prediction",),
    "ranking.command": ("ranking-queries", "ranking"),
    "reconstruction.command": ("reconstruction",),
    "report.tables.all_tables": ("tables",),
    "report.figures.all_figures": ("figures",),
    "report.command": ("describe", "choose", "manifest", "verify", "page", "summary"),
}


def build_parser(words: Sequence[str] = ()) -> argparse.ArgumentParser:
    """The parser for these words: with the wanted command alone, or with all of them if none is recognised."""
    parser = argparse.ArgumentParser(
        prog="python -m evaluation", description="Evaluate embeddings and make the tables."
    )
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    wanted = [module for module, commands in MODULES.items() if words and words[0] in commands]
    for module in wanted or MODULES:
        importlib.import_module(f"evaluation.{module}").add_commands(subparsers)
    return parser


if __name__ == "__main__":
    raise SystemExit(run_command(build_parser(sys.argv[1:])))
