"""`tne`, the console command of an installed copy: `tne networks …` is `python -m networks …`, from any folder."""

import runpy
import sys
from importlib.util import find_spec

from harness.schema import nearest

# Named by text: the ground that all packages stand on imports none of them.
PACKAGES = ("networks", "methods", "evaluation", "workflow")


def main() -> int:
    known = [package for package in PACKAGES if find_spec(f"{package}.__main__")]
    words = sys.argv[1:]
    if not words or words[0] in ("-h", "--help"):
        print(f"usage: tne {{{','.join(known)}}} ...\n\n`tne networks` is short for `python -m networks`, and so on.")
        return 0 if words else 2
    if words[0] not in known:
        print(f"error: tne {words[0]}: no such command{nearest(words[0], known)}", file=sys.stderr)
        return 2
    sys.argv = sys.argv[1:]
    runpy.run_module(words[0], run_name="__main__", alter_sys=True)
    return 0
