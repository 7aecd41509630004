"""The manifest notices every change of a run folder."""

import hashlib

import pytest

from evaluation.errors import EvaluationError
from evaluation.report.manifest import run_files, verify, write_manifest
from evaluation.report.tables.all_tables import write_tables
from harness.files import read_json, write_json, write_text
from tests.synthetic_run import write_link_prediction, write_run


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


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.csv", "2\n", r"tables/a\.csv: differs"),
        ("a.csv", None, r"tables/a\.csv: named in manifest\.json but missing"),
        ("b.csv", "1\n", r"tables/b\.csv: not in manifest\.json"),
    ],
    ids=["changed", "missing", "added"],
)
def test_a_file_that_does_not_agree_is_named(run_folder, name, text, words):
    path = run_folder / "tables" / name
    path.unlink() if text is None else path.write_text(text)
    with pytest.raises(EvaluationError, match=words):
        verify(run_folder)


@pytest.fixture
def vectors(run_folder, tmp_path_factory):
    """A file of vectors made elsewhere, which two columns of the run name."""
    path = tmp_path_factory.mktemp("elsewhere") / "mine.npy"
    path.write_bytes(b"vectors")
    run = read_json(run_folder / "run.json")
    run["config"]["embeddings"] = {name: {"files": {"toy": str(path)}} for name in ("mine", "again")}
    write_json(run_folder / "run.json", run)
    write_manifest(run_folder)
    return path


def test_a_run_without_vectors_made_elsewhere_says_nothing_of_them(run_folder):
    assert list(read_json(run_folder / "manifest.json")) == ["run", "machine", "versions", "source", "files"]


def test_vectors_made_elsewhere_are_hashed_and_checked(run_folder, vectors):
    recorded = {"sha256": hashlib.sha256(b"vectors").hexdigest(), "bytes": 7}
    assert read_json(run_folder / "manifest.json")["embeddings"] == {str(vectors): recorded}
    assert verify(run_folder) == len(run_files(run_folder)) + 1


def test_changed_vectors_are_named(run_folder, vectors):
    vectors.write_bytes(b"others!")
    with pytest.raises(EvaluationError) as refusal:
        verify(run_folder)
    assert str(refusal.value) == (
        f"{vectors}: differs from manifest.json; put back the vectors that were read, or run the workflow again"
    )


def test_missing_vectors_are_named(run_folder, vectors):
    vectors.unlink()
    for check in (verify, write_manifest):
        with pytest.raises(EvaluationError, match=rf"{vectors}: named in .* but missing; put it back"):
            check(run_folder)


def test_the_manifest_does_not_name_the_machine_or_its_user(run_folder):
    import getpass
    import socket

    text = (run_folder / "manifest.json").read_text()
    assert socket.gethostname() not in text
    assert f"/{getpass.getuser()}/" not in text


def test_a_mixture_of_versions_of_the_evaluation_is_refused(run_folder):
    write_link_prediction(run_folder, "digg", "line", 2, evaluation="0ther-e0")
    write_tables(run_folder)
    write_manifest(run_folder)
    with pytest.raises(EvaluationError, match=r"several versions of the evaluation: 0ther .1 files., c0de .35 files."):
        verify(run_folder)
