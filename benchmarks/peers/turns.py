"""The peer's side of measuring in turns: a name on every line of input, numbers as a line of JSON in answer."""

import json
import sys
from collections.abc import Callable, Mapping


def answer_in_turns(peers: Mapping[str, Callable[[], Callable[[], dict[str, float]]]]) -> None:
    """`peers` are prepared at their first turn (graph, tables, compilation), which is not timed."""
    answers, sys.stdout = sys.stdout, sys.stderr  # whatever a peer prints is no answer
    prepared: dict[str, Callable[[], dict[str, float]]] = {}
    for line in sys.stdin:
        name = line.strip()
        if name not in prepared:
            prepared[name] = peers[name]()
        print(json.dumps(prepared[name]()), file=answers, flush=True)
