"""What the command lines of the three packages share: one sentence per user mistake, never a traceback."""

import argparse
import sys
from collections.abc import Callable, Sequence

from harness.errors import UserError


def run_command(parser: argparse.ArgumentParser, words: Sequence[str] | None = None) -> int:
    """Parse, call the function that the sub-command set as `command`, and return the exit code."""
    arguments = parser.parse_args(words)
    command: Callable[[argparse.Namespace], None] = arguments.command
    try:
        command(arguments)
    except UserError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("error: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output left (`| head`); nothing is wrong.
        sys.stderr.close()
        return 0
    return 0


def positive_integer(text: str) -> int:
    """For `type=` of an argument."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)
