"""The run object: epochs, facts, checkpoints, and the journal that outlives a killed fit."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from methods.contract import journal
from methods.contract.errors import MethodError
from methods.contract.progress import last_progress
from methods.contract.run import Run


def test_an_epoch_that_raises_is_not_recorded() -> None:
    run = Run(1)
    with pytest.raises(ZeroDivisionError), run.epoch(3, "edges"):
        raise ZeroDivisionError
    assert run.epochs == []


@pytest.mark.parametrize("work", [-1, "abc", None, float("nan"), float("inf"), True, 2**63])
def test_the_work_of_an_epoch_is_a_number_of_items_at_its_beginning_and_at_its_end(work: Any) -> None:
    run = Run(1)
    with pytest.raises(MethodError, match="the work of an epoch is a number of items, 0 or more"), run.epoch(work, "w"):
        pass
    with pytest.raises(MethodError, match="0 or more"), run.epoch(1, "walks") as epoch:
        epoch.work = work
    assert run.epochs == []


@pytest.mark.parametrize("unit", ["", " ", "edges\n", "a\x1bb", None, 3])
def test_the_unit_of_an_epoch_is_one_line_of_text(unit: Any) -> None:
    with pytest.raises(MethodError, match="an epoch needs the unit of its work"), Run(1).epoch(1, unit):
        pass


@pytest.mark.parametrize("note", [["a", "list"], None, 3])
def test_a_note_is_a_text(note: Any) -> None:
    with pytest.raises(MethodError, match="a note is a text"):
        Run(1).report(note=note)


def test_facts_enter_the_journal_as_what_the_record_can_hold(tmp_path: Path) -> None:
    Run(1, journal=tmp_path / "journal").report(
        note="x \udcff\r\n y", size=2**63, shares={"a\tb": [np.float64("inf"), 10**5000, -(2**62)]}
    )
    read = journal.read(tmp_path / "journal")
    assert read.facts == {"note": r"x \udcff y", "size": None, "shares": {"a b": [None, None, -(2**62)]}}


def test_lines_of_the_journal_that_are_no_entries_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "journal").write_text('3\n[1]\n{"facts": {"a": 1}}\nnull\n')
    assert journal.read(tmp_path / "journal").facts == {"a": 1}


def test_an_epoch_can_be_told_at_its_end_how_much_was_done(tmp_path: Path) -> None:
    run = Run(1, journal=tmp_path / "journal")
    with run.epoch(0, "windows") as epoch:
        epoch.work = 4
    assert [epoch.work for epoch in run.epochs] == [4]
    assert journal.read(tmp_path / "journal").epochs[0]["work"] == 4


def test_the_journal_has_every_epoch_and_the_latest_facts(tmp_path: Path) -> None:
    run = Run(1, journal=tmp_path / "journal")
    with run.epoch(np.int64(3), "edges"):
        run.report(loss=2.0, walks=np.int32(4))
    with run.epoch(5, "edges"):
        run.report(loss=float("nan"), shares=np.array([0.5, 0.25]))
    read = journal.read(tmp_path / "journal")
    assert [(epoch["work"], epoch["unit"]) for epoch in read.epochs] == [(3, "edges"), (5, "edges")]
    assert read.facts == {"loss": None, "walks": 4, "shares": [0.5, 0.25]}


def test_a_journal_cut_in_the_middle_of_a_line_keeps_the_lines_before(tmp_path: Path) -> None:
    journal.append(tmp_path / "journal", epoch={"work": 1})
    with (tmp_path / "journal").open("a") as file:
        file.write('{"epoch": {"wo')
    assert journal.read(tmp_path / "journal").epochs == [{"work": 1}]


def test_a_journal_that_was_never_begun_is_empty(tmp_path: Path) -> None:
    assert journal.read(tmp_path / "none") == journal.Journal()


def test_a_checkpoint_brings_back_the_arrays_the_epochs_and_the_facts(tmp_path: Path) -> None:
    first = Run(1, folder=tmp_path)
    with first.epoch(7, "edges"):
        pass
    first.report(loss=np.array([0.5, np.nan]))
    first.save_checkpoint(weights=np.arange(3))
    second = Run(1, folder=tmp_path, journal=tmp_path / "journal")
    state = second.load_checkpoint()
    assert state is not None
    assert {key: array.tolist() for key, array in state.items()} == {"weights": [0, 1, 2]}
    assert second.epochs == first.epochs
    assert second.facts == {"loss": [0.5, None], "epochs_before_resuming": 1}
    assert journal.read(tmp_path / "journal").facts == second.facts


def test_a_fit_that_goes_on_again_and_again_adds_up_the_seconds_that_led_to_each_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clocks = iter([(100.0, 10.0), (103.0, 14.0), (50.0, 1.0), (52.0, 2.0), (7.0, 7.0)])
    monkeypatch.setattr("methods.contract.run._clocks", lambda: next(clocks))
    for _ in range(2):
        run = Run(1, folder=tmp_path)
        run.load_checkpoint()
        run.save_checkpoint()
    Run(1, folder=tmp_path, journal=tmp_path / "journal").load_checkpoint()
    assert journal.read(tmp_path / "journal").seconds_before == [3.0 + 2.0, 4.0 + 1.0]


def test_without_a_folder_nothing_is_kept() -> None:
    run = Run(1)
    run.save_checkpoint(weights=np.arange(3))
    assert run.load_checkpoint() is None


@pytest.mark.parametrize("contents", [b"", b"rubbish", b"PK\x03\x04 cut"])
def test_a_checkpoint_that_cannot_be_read_is_as_good_as_none(contents: bytes, tmp_path: Path) -> None:
    (tmp_path / "checkpoint.npz").write_bytes(contents)
    assert Run(1, folder=tmp_path).load_checkpoint() is None


def test_progress_that_nobody_watches_is_one_line_in_the_scratch_folder(tmp_path: Path, capsys) -> None:
    (tmp_path / ".work").mkdir()
    assert last_progress(tmp_path) == ""
    with Run(1, folder=tmp_path / ".work").progress(200, "edges", "epoch 1 of 2") as bar:
        assert last_progress(tmp_path) == "epoch 1 of 2 0%, ? edges/s, ? left"
        bar.update(200)
    assert re.fullmatch(r"epoch 1 of 2 100%, .* edges/s, 00:00 left", last_progress(tmp_path))
    assert capsys.readouterr().err == ""


def test_a_progress_line_that_cannot_be_written_does_not_end_the_fit(tmp_path: Path) -> None:
    with Run(1, folder=tmp_path / "gone").progress(2, "edges") as bar:
        bar.update(2)
