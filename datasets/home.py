"""Paths that begin with ~, the home folder of the user or of ~somebody."""

from pathlib import Path

from datasets.errors import UserError


def with_home(path: str | Path, where: str) -> Path:
    """The path with ~ spelled out; `where` begins the sentence if there is no such home."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise UserError(f"{where}: {path} begins with ~, but there is no such home") from None
