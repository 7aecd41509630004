"""How a program ended, and the end of what it said."""

import signal
from pathlib import Path

import pytest

from methods.running.ending import MOST_BYTES, ending_in_words, last_lines


@pytest.mark.parametrize(
    ("exit_code", "words"),
    [
        (0, "ended with exit code 0"),
        (3, "ended with exit code 3"),
        (-signal.SIGABRT, "was ended by SIGABRT"),
        (-(signal.SIGRTMIN + 6), "was ended by SIGRTMIN+6"),
        (-32, "was ended by 32"),
    ],
)
def test_the_ending_of_a_program_has_words_for_every_signal(exit_code: int, words: str) -> None:
    assert ending_in_words(exit_code) == words


def test_a_short_log_is_kept_whole(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"one\nt\xffo")
    assert last_lines(tmp_path / "log") == "one\nt\ufffdo"
    assert last_lines(tmp_path / "none") == ""
    assert last_lines(tmp_path / "log" / "inside") == ""


def test_of_a_long_log_whole_last_lines_are_kept_and_the_rest_is_counted(tmp_path: Path) -> None:
    lines = [b"x" * 99 + b"\n"] * 2000
    (tmp_path / "log").write_bytes(b"".join(lines))
    said = last_lines(tmp_path / "log").splitlines()
    kept = MOST_BYTES // 100 - (MOST_BYTES % 100 == 0)
    assert said == [f"[{200_000 - 100 * kept:,} bytes before this are left out]", *["x" * 99] * kept]


def test_a_line_without_end_is_cut_too(tmp_path: Path) -> None:
    (tmp_path / "log").write_bytes(b"y" * 100_000)
    assert (
        last_lines(tmp_path / "log")
        == f"[{100_000 - MOST_BYTES:,} bytes before this are left out]\n" + "y" * MOST_BYTES
    )
