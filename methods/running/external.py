"""Methods in other languages: write an edge list, run the program, read the vectors that it wrote."""

import json
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from harness.one_line import one_line
from methods.contract.errors import KilledError, MethodError
from methods.contract.registry import Method
from methods.contract.run import Run
from methods.running.ending import ending_in_words, last_lines
from methods.running.parent_death import kill_with_parent
from networks.network import TemporalNetwork


def fit_with_command(method: Method, network: TemporalNetwork, params: dict[str, Any], run: Run) -> NDArray[np.float32]:
    """Run the method's program once: `u v t` lines in order of time go in, word2vec text comes out."""
    with tempfile.TemporaryDirectory(dir=run.folder, prefix="command-") as name:
        folder = Path(name)
        edges, vectors, log = folder / "edges.txt", folder / "vectors.txt", folder / "log.txt"
        write_edges(network, edges)
        values = params | {
            "edges": edges,
            "vectors": vectors,
            "nodes": network.n_nodes,
            "seed": run.seed,
            "threads": run.threads,
            "folder": method.folder.resolve(),
            "python": sys.executable,
        }
        words = [filled(word, values) for word in method.command]
        with run.epoch(network.n_edges, "edges"), log.open("wb") as output:
            exit_code = _run(words, output)
        said = last_lines(log)
        print(said, end="", file=sys.stderr)
        if exit_code == -signal.SIGKILL:
            raise KilledError(f"the program {words[0]} was killed (SIGKILL)")
        if exit_code:
            last = next((line for line in reversed(said.splitlines()) if line.strip()), "it printed nothing")
            raise MethodError(f"the program {words[0]} {ending_in_words(exit_code)}: {one_line(last[:200])}")
        embeddings, missing = read_vectors(vectors, network.n_nodes, params.get("dimensions"))
    run.report(rows_without_vector=missing)
    return embeddings


def filled(word: str, values: dict[str, Any]) -> str:
    """The word of the command with its placeholders replaced; numbers and lists are written as in JSON."""
    texts = {
        key: json.dumps(value) if isinstance(value, bool | list | None) else str(value) for key, value in values.items()
    }
    return word.format_map(texts)


def _run(words: list[str], output: Any) -> int:
    try:
        # Bound to this process, which is bound to its parent: nothing goes on computing for nobody.
        return subprocess.run(
            words,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
            preexec_fn=kill_with_parent,
        ).returncode
    except FileNotFoundError:
        raise MethodError(f"the program {words[0]} was not found; install it or put it on the PATH") from None
    except OSError as error:
        raise MethodError(f"the program {words[0]} cannot be run: {error.strerror}") from None


def write_edges(network: TemporalNetwork, path: Path) -> None:
    """One line `u v t` per contact, node numbers from 0, oldest first."""
    table = pa.table({"u": network.source, "v": network.target, "t": network.time})
    pa.csv.write_csv(table, path, pa.csv.WriteOptions(include_header=False, delimiter=" "))


def read_vectors(path: Path, n_nodes: int, dimensions: int | None) -> tuple[NDArray[np.float32], int]:
    """Read word2vec text: a header `n d`, then n lines `id x1 … xd` in any order.

    Returns the array and how many nodes have no line; those get zeros.
    """
    try:
        file = path.open(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        raise MethodError("the program wrote no vectors; it must write them to the path given as {vectors}") from None
    with file:
        try:
            lines, columns = (int(word[:19]) for word in file.readline(100).split())
        except ValueError:
            raise MethodError("vectors, line 1: the header must be two numbers, lines and dimensions") from None
        if columns != (dimensions or columns) or columns < 1 or not 0 <= lines <= n_nodes:
            expected = f"at most {n_nodes} lines and {dimensions or 'at least 1'} dimensions"
            raise MethodError(f"vectors, line 1: expected {expected}, found {lines} and {columns}")
        # A value takes two bytes at least; a header that promises more would cost memory for nothing.
        if 2 * max(1, lines) * columns > path.stat().st_size:
            raise MethodError(f"vectors, line 1: {lines} lines of {columns} numbers do not fit into the file")
        embeddings = np.zeros((n_nodes, columns), dtype=np.float32)
        seen = np.zeros(n_nodes, dtype=bool)
        number = 1
        for number, line in enumerate(file, start=2):
            words = line.split()
            if not words:
                continue
            node = _node(words[0], n_nodes, seen, number)
            try:
                embeddings[node] = np.array(words[1:], dtype=np.float64).reshape(columns)
            except ValueError:
                raise MethodError(f"vectors, line {number}: expected a node and {columns} numbers") from None
            seen[node] = True
    if seen.sum() != lines:
        raise MethodError(f"vectors, line {number}: the header promises {lines} nodes, but {seen.sum()} came")
    return embeddings, int(n_nodes - lines)


def _node(word: str, n_nodes: int, seen: NDArray[np.bool_], number: int) -> int:
    if not word.isdecimal() or len(word) > 10 or int(word) >= n_nodes:
        raise MethodError(f"vectors, line {number}: {word[:40]!r} is not a node from 0 to {n_nodes - 1}")
    node = int(word)
    if seen[node]:
        raise MethodError(f"vectors, line {number}: node {node} stands twice")
    return node
