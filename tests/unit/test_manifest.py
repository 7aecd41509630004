"""The manifest notices every change of a run folder."""

import pytest

from datasets.atomic import read_json, write_text
from evaluation.errors import EvaluationError
from evaluation.manifest import run_files, verify, write_manifest
from evaluation.tables import write_tables
from tests.synthetic_run import write_run


@pytest.fixture
def run_folder(tmp_path):
    write_run(tmp_path)
    write_tables(tmp_path)
    write_text(tmp_path / "tables" / "a.csv", "1\n")
    write_text(tmp_path / "logs" / "fit.log", "words\n")
    write_text(tmp_path / "fits" / ".work" / "checkpoint", "half\n")
    write_manifest(tmp_path)
    return tmp_path


def test_a_folder_agrees_with_its_own_manifest(run_folder):
    assert verify(run_folder) == len(run_files(run_folder))


def test_tables_that_do_not_follow_from_the_repeats_are_named(run_folder):
    table = run_folder / "tables" / "reconstruction.csv"
    table.write_text(table.read_text().replace("0.", "0.9", 1))
    write_manifest(run_folder)
    with pytest.raises(EvaluationError, match=r"reconstruction\.csv: does not follow from the stored repeats"):
        verify(run_folder)


def test_logs_work_in_progress_and_the_page_are_left_out(run_folder):
    write_text(run_folder / "logs" / "fit.log", "other words\n")
    write_text(run_folder / "index.html", "page\n")
    verify(run_folder)
    named = set(read_json(run_folder / "manifest.json")["files"])
    assert {"run.json", "tables/a.csv"} <= named
    assert not {name for name in named if name.startswith("logs") or ".work" in name or name == "index.html"}


def test_a_changed_file_is_named(run_folder):
    write_text(run_folder / "tables" / "a.csv", "2\n")
    with pytest.raises(EvaluationError, match=r"tables/a\.csv: differs"):
        verify(run_folder)


def test_a_missing_file_is_named(run_folder):
    (run_folder / "tables" / "a.csv").unlink()
    with pytest.raises(EvaluationError, match=r"tables/a\.csv: named in manifest\.json but missing"):
        verify(run_folder)


def test_an_added_file_is_named(run_folder):
    write_text(run_folder / "tables" / "b.csv", "1\n")
    with pytest.raises(EvaluationError, match=r"tables/b\.csv: not in manifest\.json"):
        verify(run_folder)


def test_the_manifest_does_not_name_the_machine_or_its_user(run_folder):
    import getpass
    import socket

    text = (run_folder / "manifest.json").read_text()
    assert socket.gethostname() not in text
    assert f"/{getpass.getuser()}/" not in text
