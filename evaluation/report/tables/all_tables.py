"""All tables of a run, `python -m evaluation tables`; a table whose inputs the run does not have is not written."""

import argparse
from pathlib import Path

from evaluation.report.paper.difference import write_paper_audit, write_paper_diff
from evaluation.report.paper.protocols import write_paper_protocols
from evaluation.report.run_folder import RunFolder
from evaluation.report.scaling import write_scaling
from evaluation.report.sensitivity import write_sensitivity
from evaluation.report.tables.board import ties_with_best, write_board, write_ranks
from evaluation.report.tables.link_prediction import (
    read_link_prediction,
    write_ablation_table,
    write_long_tables,
    write_paper_tables,
)
from evaluation.report.tables.ranking import write_ranking
from evaluation.report.tables.reconstruction import read_reconstruction, write_reconstruction
from evaluation.report.tables.run import write_datasets, write_efficiency, write_status
from evaluation.report.tables.significance import write_significance
from evaluation.report.tables.tuning import write_tuning


def add_commands(subparsers: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    parser = subparsers.add_parser("tables", help="make the tables of a run from its raw repeats")
    parser.add_argument("--run-folder", required=True, type=Path, help="results/<run>")
    parser.set_defaults(command=lambda arguments: write_tables(arguments.run_folder))


def write_tables(folder: Path, tables: Path | None = None) -> None:
    """Write all tables of a run into its folder `tables`, or into another one to compare."""
    run = RunFolder(folder)
    tables = folder / "tables" if tables is None else tables
    link_prediction = read_link_prediction(run)
    write_datasets(tables, run)
    write_efficiency(tables, run)
    write_status(tables, run)
    ties = ties_with_best(run, link_prediction)
    write_board(tables, run, link_prediction, ties)
    write_ranking(tables, run)
    write_reconstruction(tables, run, read_reconstruction(run))
    write_significance(tables, run, link_prediction)
    write_ranks(tables, run, link_prediction, ties)
    write_ablation_table(tables, run, link_prediction)
    write_scaling(tables, run)
    write_sensitivity(tables, run)
    write_tuning(tables, run)
    write_paper_audit(tables)
    write_paper_diff(tables, run, link_prediction)
    write_paper_protocols(tables, run, link_prediction)
    write_paper_tables(tables, run, link_prediction)
    write_long_tables(tables, link_prediction, ties)
