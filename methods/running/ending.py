"""What is left of a program that ended: how it ended in words, and the last lines that it printed."""

import os
import signal
from pathlib import Path

MOST_BYTES = 64_000


def ending_in_words(exit_code: int) -> str:
    """The exit code as Python gives it (negative: a signal) as the end of a sentence."""
    if exit_code >= 0:
        return f"ended with exit code {exit_code}"
    return f"was ended by {_signal_name(-exit_code)}"


def _signal_name(number: int) -> str:
    """Real-time signals but the first and the last have a number only, counted from the first as the shell does."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIGRTMIN+{number - signal.SIGRTMIN}" if number > getattr(signal, "SIGRTMIN", number) else f"{number}"


def last_lines(path: Path) -> str:
    """The end of a log, whole lines; a program may print gigabytes, which must not become memory or fill our logs."""
    try:
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            skipped = max(0, size - MOST_BYTES)
            file.seek(skipped)
            end = file.read(MOST_BYTES)
    except (FileNotFoundError, NotADirectoryError):
        return ""
    if skipped:
        first_end = end.find(b"\n") + 1
        skipped, end = skipped + first_end, end[first_end:]
    said = end.decode("utf-8", errors="replace")
    return f"[{skipped:,} bytes before this are left out]\n{said}" if skipped else said
