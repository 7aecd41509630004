"""Files appear whole or not at all: write under a temporary name, then rename."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from datasets.errors import UserError


@contextmanager
def atomic_path(final: Path) -> Iterator[Path]:
    """Yield a temporary path beside `final`; rename it to `final` if the block succeeds, remove it otherwise.

    The name carries the process id, so that two runs never write the same temporary file. The contents reach the disk
    before the rename: after a power cut the file is the old one or the new one.
    """
    try:
        final.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{final.parent}: no folder can be made there: {error.strerror}") from error
    temporary = final.with_name(f".{final.name}.{os.getpid()}.part")
    try:
        yield temporary
        with temporary.open("rb") as written:
            os.fsync(written.fileno())
        temporary.replace(final)
    except OSError as error:
        if error.filename not in (None, str(temporary), str(final)):
            raise  # the block failed on some other file
        raise UserError(f"{final}: cannot be written: {error.strerror or error}") from error
    finally:
        temporary.unlink(missing_ok=True)


def write_text(final: Path, text: str) -> None:
    with atomic_path(final) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(final: Path, value: Any) -> None:
    """Write `value` as JSON that a person can read; NaN is refused, because it is not JSON."""
    write_text(final, json.dumps(value, indent=2, allow_nan=False, ensure_ascii=False) + "\n")


def read_json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: not valid JSON ({error}); delete it and run the step that makes it again") from error
