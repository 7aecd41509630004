"""Sub-commands about a whole run: its description, tuning, manifest, page and summary."""

import argparse
import json
from pathlib import Path

from datasets.atomic import write_json
from evaluation.errors import EvaluationError
from evaluation.manifest import verify, write_manifest
from evaluation.page import rows_of, write_page
from evaluation.run_folder import RunFolder
from evaluation.tuning import choose


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
    choosing.add_argument("--out", required=True, type=Path)
    choosing.set_defaults(command=_choose)
    check = subparsers.add_parser("verify", help="check a run folder against its manifest")
    check.add_argument("run_folder", type=Path, help="results/<run>")
    check.set_defaults(command=_verify)


def _describe(chosen: argparse.Namespace) -> None:
    try:
        run = json.loads(chosen.run)
    except json.JSONDecodeError as error:
        raise EvaluationError(f"--run: not valid JSON ({error})") from error
    write_json(chosen.out, run)


def _choose(chosen: argparse.Namespace) -> None:
    write_json(chosen.out, choose(chosen.trials))


def _manifest(chosen: argparse.Namespace) -> None:
    write_manifest(chosen.run_folder)


def _page(chosen: argparse.Namespace) -> None:
    write_page(chosen.run_folder)


def _verify(chosen: argparse.Namespace) -> None:
    print(f"{chosen.run_folder}: {verify(chosen.run_folder)} files agree with manifest.json")


def _summary(chosen: argparse.Namespace) -> None:
    """AUC of every method on every network under the first protocol, Hadamard operator, then the way to the page."""
    folder = RunFolder(chosen.run_folder)
    run, protocol = folder.description, folder.headline_protocol
    cells = {
        (row["method"], row["dataset"]): f"{float(row['mean']):.4f}" if row["mean"] else row["status"]
        for row in rows_of(chosen.run_folder / "tables" / "link_prediction.csv")
        if row["protocol"] == protocol and row["metric"] == "auc" and row["operator"] in ("hadamard", "score")
    }
    lines = [["", *(dataset["label"] for dataset in run["datasets"])]]
    evaluated = {method for method, _ in cells}
    for method in (method for method in run["methods"] if method["name"] in evaluated):
        lines.append([method["label"], *(cells.get((method["name"], d["name"]), "-") for d in run["datasets"])])
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    print(f"\nLink prediction, AUC (protocol {protocol}, Hadamard)")
    for first, *rest in lines:
        print(
            "  ".join(
                [first.ljust(widths[0]), *(text.rjust(width) for text, width in zip(rest, widths[1:], strict=True))]
            )
        )
    missing = sum(int(row["cells"]) for row in rows_of(chosen.run_folder / "tables" / "status.csv"))
    if missing:
        print(f"{missing} numbers are missing; {chosen.run_folder / 'tables' / 'status.csv'} says why.")
    print(f"Everything else: {chosen.run_folder / 'index.html'}")
