"""The tables read the columns that the evaluation commands write."""

from evaluation import link_prediction_command, reconstruction_command
from evaluation.run_folder import LINK_PREDICTION_COLUMNS, RECONSTRUCTION_COLUMNS


def test_link_prediction():
    assert list(link_prediction_command.COLUMNS) == LINK_PREDICTION_COLUMNS


def test_reconstruction():
    assert list(reconstruction_command.COLUMNS) == RECONSTRUCTION_COLUMNS
