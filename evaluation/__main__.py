"""`python -m evaluation COMMAND`: the sub-commands, each in the *_command module that the table names."""

import argparse
import importlib
import sys
from collections.abc import Sequence

from datasets.command_line import run_command

# Only the module of the wanted command is imported: drawing needs matplotlib, and a step should not wait for it.
MODULES = {
    "examples_command": ("examples",),
    "leakage_command": ("leakage",),
    "link_prediction_command": ("link-prediction",),
    "reconstruction_command": ("reconstruction",),
    "tables_command": ("tables",),
    "figures_command": ("figures",),
    "results_command": ("describe", "choose", "manifest", "verify", "page", "summary"),
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
