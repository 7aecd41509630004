"""Methods that are programs: the edge list they read, the vectors they write, and what is said when they are wrong."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from methods.contract.errors import KilledError, MethodError
from methods.contract.registry import Method, load_method
from methods.contract.run import Run
from methods.running.child import perform_fit
from methods.running.external import filled, read_vectors, write_edges
from networks.network import TemporalNetwork
from tests.conftest import network_of

DESCRIPTION = """\
label: Program
role: baseline
citation: none
description: a program for tests
parameters:
  dimensions: {{type: integer, minimum: 1, default: 2, description: size}}
command: {command}
"""
# Writes (number of contacts, time of the last one) for every node that it meets.
AWK = """\
{ n[$1]++; n[$2]++; t[$1] = $3; t[$2] = $3 }
END { c = 0; for (i in n) c++; print c, 2 > out; for (i in n) print i, n[i], t[i] > out }
"""


def program(folder: Path, command: str, files: dict[str, str] | None = None) -> Method:
    method = folder / "methods" / "program"
    method.mkdir(parents=True)
    (method / "method.yaml").write_text(DESCRIPTION.format(command=command))
    for name, text in (files or {}).items():
        (method / name).write_text(text)
    return load_method("program", folder / "methods")


def python(folder: Path, code: str) -> Method:
    words = '["{python}", "{folder}/embed.py", "{edges}", "{vectors}", "{dimensions}", "{seed}", "{nodes}"]'
    start = "import sys\nedges, vectors, dimensions, seed, nodes = sys.argv[1:]\n"
    return program(folder, words, {"embed.py": start + code})


def fitted(method: Method, network: TemporalNetwork, run: Run | None = None, **params: Any) -> np.ndarray:
    return perform_fit(method, network, method.defaults | params, run or Run(1))


def test_a_program_reads_contacts_and_writes_vectors(tmp_path: Path, repeated: TemporalNetwork) -> None:
    command = '[awk, -v, "out={vectors}", -f, "{folder}/embed.awk", "{edges}"]'
    run = Run(1)
    vectors = fitted(program(tmp_path, command, {"embed.awk": AWK}), repeated, run)
    assert vectors.tolist() == [[3, 3], [5, 4], [2, 4]]
    assert [(epoch.work, epoch.unit) for epoch in run.epochs] == [(5, "edges")]
    assert run.facts == {"rows_without_vector": 0}


def test_nodes_without_a_vector_get_zeros_and_are_counted(tmp_path: Path) -> None:
    run = Run(1)
    method = python(tmp_path, "open(vectors, 'w').write('1 2\\n1 0.5 -1e-3\\n')")
    vectors = fitted(method, network_of([(0, 1, 1)], n_nodes=3), run)
    assert vectors.tolist() == [[0, 0], [0.5, np.float32(-1e-3)], [0, 0]]
    assert run.facts == {"rows_without_vector": 2}


def test_a_program_is_told_parameters_seed_and_size(tmp_path: Path, star: TemporalNetwork) -> None:
    code = "open(vectors, 'w').write(f'1 {dimensions}\\n0 {seed} {nodes} {dimensions}\\n')"
    assert fitted(python(tmp_path, code), star, Run(42), dimensions=3)[0].tolist() == [42, 5, 3]


def test_processor_time_of_the_program_counts_as_the_epochs(tmp_path: Path, star: TemporalNetwork) -> None:
    code = "import time\nwhile time.process_time() < 0.3: pass\nopen(vectors, 'w').write('0 2\\n')"
    run = Run(1)
    fitted(python(tmp_path, code), star, run)
    assert run.epochs[0].cpu_seconds >= 0.3


def test_words_are_passed_as_they_are_and_no_shell_reads_them() -> None:
    values = {"seed": 1, "name": "a; rm -rf $HOME", "flag": True, "sizes": [1, 2], "window": None}
    assert filled("{{x}}-{seed}-{name}-{flag}-{sizes}-{window}", values) == "{x}-1-a; rm -rf $HOME-true-[1, 2]-null"


def test_the_edge_list_has_one_line_per_contact_oldest_first(tmp_path: Path) -> None:
    write_edges(network_of([(2, 0, 30), (0, 1, -10)]), tmp_path / "edges")
    assert (tmp_path / "edges").read_text() == "0 1 -10\n2 0 30\n"
    write_edges(network_of([(0, 1, 0.1), (1, 2, 2.5)]), tmp_path / "edges")
    assert (tmp_path / "edges").read_text() == "0 1 0.1\n1 2 2.5\n"


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("", "the program wrote no vectors; it must write them to the path given as {vectors}"),
        ("sys.exit('no memory for\\nmatrix')", "ended with exit code 1: matrix"),
        ("import os; os._exit(4)", "ended with exit code 4: it printed nothing"),
        ("import os; os.abort()", "was ended by SIGABRT: it printed nothing"),
    ],
)
def test_a_program_that_fails_is_named_with_its_last_word(
    code: str, sentence: str, tmp_path: Path, star: TemporalNetwork
) -> None:
    with pytest.raises(MethodError) as failure:
        fitted(python(tmp_path, code), star)
    assert sentence in str(failure.value)
    assert "\n" not in str(failure.value)


def test_a_program_that_is_killed_is_told_from_one_that_fails(tmp_path: Path, star: TemporalNetwork) -> None:
    with pytest.raises(KilledError, match=r"the program .* was killed \(SIGKILL\)"):
        fitted(python(tmp_path, "import os; os.kill(os.getpid(), 9)"), star)


def test_of_what_a_program_prints_the_last_lines_are_kept(
    tmp_path: Path, star: TemporalNetwork, capsys: pytest.CaptureFixture[str]
) -> None:
    code = "for i in range(40_000): print(i)\nprint('no matrix')\nsys.stdout.flush()\nimport os; os._exit(1)"
    with pytest.raises(MethodError, match="ended with exit code 1: no matrix"):
        fitted(python(tmp_path, code), star)
    said = capsys.readouterr().err.splitlines()
    assert said[-2:] == ["39999", "no matrix"]
    printed = sum(len(f"{i}\n") for i in range(40_000)) + len("no matrix\n")
    kept = sum(len(line) + 1 for line in said[1:])
    assert said[0] == f"[{printed - kept:,} bytes before this are left out]"
    assert kept <= 64_000


def test_a_program_that_is_not_there_is_named(tmp_path: Path, star: TemporalNetwork) -> None:
    with pytest.raises(MethodError, match="the program no-such-program was not found"):
        fitted(program(tmp_path, '[no-such-program, "{edges}"]'), star)


def test_a_file_that_is_no_program_is_named(tmp_path: Path, star: TemporalNetwork) -> None:
    with pytest.raises(MethodError, match="cannot be run: Permission denied"):
        fitted(program(tmp_path, '["{folder}/embed"]', {"embed": "not executable"}), star)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "vectors, line 1: the header must be two numbers"),
        ("0 1.5 2.5\n", "vectors, line 1: the header must be two numbers"),
        ("9 2\n", "vectors, line 1: expected at most 3 lines and 2 dimensions, found 9 and 2"),
        ("3 4\n", "vectors, line 1: expected at most 3 lines and 2 dimensions, found 3 and 4"),
        ("-1 2\n", "vectors, line 1: expected at most 3 lines"),
        ("1 2\n0 1\n", "vectors, line 2: expected a node and 2 numbers"),
        ("1 2\n0 1 2 3\n", "vectors, line 2: expected a node and 2 numbers"),
        ("2 2\n0 1 2\n1 1 two\n", "vectors, line 3: expected a node and 2 numbers"),
        ("1 2\n3 1 2\n", "vectors, line 2: '3' is not a node from 0 to 2"),
        ("1 2\n-1 1 2\n", "vectors, line 2: '-1' is not a node from 0 to 2"),
        ("1 2\n</s> 1 2\n", "vectors, line 2: '</s>' is not a node from 0 to 2"),
        ("1 2\n" + "9" * 9999 + " 1 2\n", "is not a node from 0 to 2"),
        ("2 2\n0 1 2\n\n0 1 2\n", "vectors, line 4: node 0 stands twice"),
        ("2 2\n0 1 2\n", "vectors, line 2: the header promises 2 nodes, but 1 came"),
        ("1 2\n0 1 2\n1 1 2\n", "vectors, line 3: the header promises 1 nodes, but 2 came"),
        ("\udcff\udcfe 2\n", "vectors, line 1: the header must be two numbers"),
    ],
)
def test_malformed_vectors_are_refused_with_the_line(text: str, sentence: str, tmp_path: Path) -> None:
    (tmp_path / "vectors").write_bytes(text.encode(errors="surrogateescape"))
    with pytest.raises(MethodError) as refusal:
        read_vectors(tmp_path / "vectors", 3, 2)
    assert sentence in str(refusal.value)
    assert len(str(refusal.value)) < 200


def test_vectors_with_numbers_that_are_not_finite_break_the_contract(tmp_path: Path, star: TemporalNetwork) -> None:
    with pytest.raises(MethodError, match="NaN or infinity in 1 of 5 rows, the first of them 3"):
        fitted(python(tmp_path, "open(vectors, 'w').write('1 2\\n3 nan 1e999\\n')"), star)


def test_a_program_leaves_no_scratch_files(tmp_path: Path, star: TemporalNetwork) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    fitted(python(tmp_path, "open(vectors, 'w').write('0 2\\n')"), star, Run(1, folder=scratch))
    assert list(scratch.iterdir()) == []
