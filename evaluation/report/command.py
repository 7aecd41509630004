"""Sub-commands about a whole run: its description, tuning, manifest, page and summary."""

import argparse
import json
from pathlib import Path

from evaluation.errors import EvaluationError
from evaluation.report.manifest import verify, write_manifest
from evaluation.report.page.page import write_page
from evaluation.report.tables.formats import rows_of
from evaluation.report.tables.tuning import choose
from harness.files import read_json, write_json


def add_commands(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    describe = subparsers.add_parser("describe", help="write run.json, the description of a run")
    describe.add_argument("--run", required=True, metavar="JSON", help="the description")
    describe.add_argument("--out", required=True, type=Path)
    describe.set_defaults(command=_describe)
    for name, command, text in (
        ("manifest", _manifest, "write manifest.json: hashes, versions, machine"),
        ("page", _page, "write index.html"),
        ("summary", _summary, "print the headline table of a run and where its page is"),
    ):
        parser = subparsers.add_parser(name, help=text)
        parser.add_argument("--run-folder", required=True, type=Path, help="results/<run>")
        parser.set_defaults(command=command)
    choosing = subparsers.add_parser("choose", help="choose settings by the trials on the validation block")
    choosing.add_argument("--trials", required=True, nargs="+", type=Path, metavar="CSV")
    choosing.add_argument("--fits", required=True, nargs="+", type=Path, metavar="JSON", help="fit.json of each trial")
    choosing.add_argument("--choice", required=True, type=Path, help="left as it is if the choice stays the same")
    choosing.add_argument("--scores", required=True, type=Path)
    choosing.set_defaults(command=_choose)
    check = subparsers.add_parser("verify", help="check a run folder against its manifest")
    check.add_argument("run_folder", type=Path, help="results/<run>")
    check.set_defaults(command=_verify)


def _describe(arguments: argparse.Namespace) -> None:
    try:
        run = json.loads(arguments.run)
    except json.JSONDecodeError as error:
        raise EvaluationError(f"--run: not valid JSON ({error})") from error
    write_json(arguments.out, run)


def _choose(arguments: argparse.Namespace) -> None:
    scores = choose(arguments.trials, arguments.fits)
    choice = {"parameters": scores.pop("parameters")}
    if not arguments.choice.exists() or read_json(arguments.choice) != choice:
        write_json(arguments.choice, choice)
    write_json(arguments.scores, scores)


def _manifest(arguments: argparse.Namespace) -> None:
    write_manifest(arguments.run_folder)


def _page(arguments: argparse.Namespace) -> None:
    write_page(arguments.run_folder)


def _verify(arguments: argparse.Namespace) -> None:
    print(f"{arguments.run_folder}: {verify(arguments.run_folder)} files agree with manifest.json")


def _summary(arguments: argparse.Namespace) -> None:
    """The verdict and the board, then the way to the page."""
    tables = arguments.run_folder / "tables"
    board = rows_of(tables / "board.csv")
    lines = [list(board[0]), *(list(row.values()) for row in board)] if board else [["no results"]]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    if board:
        print("\n" + (tables / "verdict.txt").read_text(encoding="utf-8").strip())
    for first, *rest in lines:
        print(
            "  ".join(
                [first.ljust(widths[0]), *(text.rjust(width) for text, width in zip(rest, widths[1:], strict=True))]
            )
        )
    missing = sum(int(row["cells"]) for row in rows_of(tables / "status.csv"))
    if missing:
        print(f"{missing} numbers are missing; {tables / 'status.csv'} says why.")
    print(f"Everything else: {arguments.run_folder / 'index.html'}")
