"""Files appear whole or not at all; the hash of a file is that of its contents, and one function computes it."""

import errno
import hashlib
import os
from pathlib import Path

import pytest

from harness.code_files import PACKAGES, ROOT
from harness.errors import UserError
from harness.files import atomic_path, file_sha256, read_json, write_json, write_text


def test_a_file_is_written_with_its_folders(tmp_path):
    write_text(tmp_path / "a" / "b" / "c.txt", "ä\n")
    assert (tmp_path / "a" / "b" / "c.txt").read_text(encoding="utf-8") == "ä\n"
    assert [path.name for path in (tmp_path / "a" / "b").iterdir()] == ["c.txt"]


@pytest.mark.parametrize("before", [{}, {"final": "old"}], ids=["no file", "an old file"])
def test_an_exception_leaves_what_was_there(tmp_path, before):
    for name, text in before.items():
        (tmp_path / name).write_text(text)
    with pytest.raises(KeyError), atomic_path(tmp_path / "final") as temporary:
        temporary.write_text("half")
        raise KeyError
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == before


def test_the_final_name_does_not_exist_while_writing(tmp_path):
    with atomic_path(tmp_path / "final") as temporary:
        temporary.write_text("whole")
        assert not (tmp_path / "final").exists()
        assert temporary.parent == tmp_path
    assert (tmp_path / "final").read_text() == "whole"


@pytest.mark.parametrize("place", ["file", "file/below"])
def test_a_folder_that_cannot_be_made_is_one_sentence(tmp_path, place):
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=rf"^{tmp_path / place}: no folder can be made there: \w+"):
        write_text(tmp_path / place / "final.txt", "")


def test_a_full_disk_is_one_sentence_and_leaves_nothing(tmp_path, monkeypatch, path):
    def full(_descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    for name, write in {"final.json": lambda file: write_json(file, {"a": 1}), "network.arrow": path.save}.items():
        with pytest.raises(UserError, match=rf"{name}: cannot be written: No space left on device"):
            write(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_the_place_of_the_file_is_one_sentence(tmp_path):
    (tmp_path / "final").mkdir()
    with pytest.raises(UserError, match=r"final: cannot be written"):
        write_text(tmp_path / "final", "x")
    assert [path.name for path in tmp_path.iterdir()] == ["final"]


def test_a_failure_on_another_file_is_not_blamed_on_this_one(tmp_path):
    with pytest.raises(FileNotFoundError), atomic_path(tmp_path / "final"):
        Path(tmp_path / "other").read_text()


def test_json_is_readable_and_comes_back(tmp_path):
    write_json(tmp_path / "a.json", {"name": "Zoë", "rows": [1, 2.5, None]})
    assert "Zoë" in (tmp_path / "a.json").read_text(encoding="utf-8")
    assert read_json(tmp_path / "a.json") == {"name": "Zoë", "rows": [1, 2.5, None]}


def test_not_a_number_is_refused_because_it_is_not_json(tmp_path):
    with pytest.raises(ValueError, match="not JSON compliant"):
        write_json(tmp_path / "a.json", {"a": float("nan")})
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("contents", "words"), [(b"{", "not valid JSON"), (b"\xff\xfe", "not valid JSON"), (None, "no such file")]
)
def test_broken_or_missing_json_is_one_sentence(tmp_path, contents, words):
    if contents is not None:
        (tmp_path / "a.json").write_bytes(contents)
    with pytest.raises(UserError, match=rf"a.json: {words}"):
        read_json(tmp_path / "a.json")


@pytest.mark.parametrize("contents", [b"", b"contents", bytes(1 << 20) + b"end"])
def test_the_hash_is_that_of_the_contents(tmp_path, contents):
    (tmp_path / "file").write_bytes(contents)
    assert file_sha256(tmp_path / "file") == hashlib.sha256(contents).hexdigest()


def test_one_function_hashes_files():
    sources = [path for package in (*PACKAGES, "workflow") for path in (ROOT / package).rglob("*.py")]
    hashing = [path for path in sources if "file_digest" in path.read_text()]
    assert hashing == [ROOT / "harness" / "files.py"]
