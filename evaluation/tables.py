"""All tables of a run; a table whose inputs the run does not have is not written."""

from pathlib import Path

from evaluation.link_prediction_tables import (
    read_link_prediction,
    write_ablation_table,
    write_long_tables,
    write_paper_tables,
)
from evaluation.paper_diff import write_paper_audit, write_paper_diff
from evaluation.reconstruction_tables import read_reconstruction, write_reconstruction
from evaluation.run_folder import RunFolder
from evaluation.run_tables import write_datasets, write_efficiency, write_status
from evaluation.scaling import write_scaling
from evaluation.sensitivity import write_sensitivity
from evaluation.significance import write_ranks, write_significance
from evaluation.tuning import write_tuning


def write_tables(folder: Path, tables: Path | None = None) -> None:
    """Write all tables of a run into its folder `tables`, or into another one to compare."""
    run = RunFolder(folder)
    tables = folder / "tables" if tables is None else tables
    link_prediction = read_link_prediction(run)
    write_datasets(tables, run)
    write_efficiency(tables, run)
    write_status(tables, run)
    write_reconstruction(tables, run, read_reconstruction(run))
    write_significance(tables, run, link_prediction)
    write_ranks(tables, run, link_prediction)
    write_ablation_table(tables, run, link_prediction)
    write_scaling(tables, run)
    write_sensitivity(tables, run)
    write_tuning(tables, run)
    write_paper_audit(tables)
    write_paper_diff(tables, run, link_prediction)
    write_paper_tables(tables, run, link_prediction)
    write_long_tables(tables, link_prediction)
