"""The columns of link prediction are the names of the run, then the fields of a cell."""

from dataclasses import fields

from evaluation.link_prediction.evaluate import Cell
from evaluation.repeats_file import LINK_PREDICTION_COLUMNS


def test_columns_of_link_prediction_are_the_fields_of_a_cell_and_what_made_it():
    assert [
        "dataset",
        "method",
        "seed",
        *(field.name for field in fields(Cell)),
        "evaluation",
    ] == LINK_PREDICTION_COLUMNS
