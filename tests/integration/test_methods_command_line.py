"""`python -m methods` as a user meets it."""

import json
import os
import pty
import subprocess
import sys
import termios
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from threadpoolctl import threadpool_info

from harness.command_line import run_command
from methods.__main__ import build_parser
from methods.contract.registry import load_method, method_names
from tests.conftest import network_of
from tests.integration.scratch_methods import DESCRIPTION, GOOD_END, copy_methods, methods, put


def command(*words: object) -> int:
    return run_command(build_parser(), [str(word) for word in words])


@pytest.fixture
def network(tmp_path: Path) -> Path:
    network_of([(0, 1, 1), (1, 2, 2), (2, 0, 3), (2, 3, 4)], n_nodes=5).save(tmp_path / "train.arrow")
    return tmp_path / "train.arrow"


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    rows = {"source": [0, 3, 4], "target": [3, 2, 0], "time": [9, 9, 9]}
    types = {"source": pa.int32(), "target": pa.int32(), "time": pa.int64()}
    table = pa.table({name: pa.array(values, types[name]) for name, values in rows.items()})
    with pa.OSFile(str(tmp_path / "draw-0.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    return tmp_path / "draw-0.arrow"


def test_list_names_every_method_and_variant(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("list") == 0
    first_words = [line.split()[0] for line in capsys.readouterr().out.splitlines()]
    assert first_words == method_names(variants=True)


@pytest.mark.parametrize("name", method_names(variants=True))
def test_describe_tells_every_parameter_with_its_default(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command("describe", name) == 0
    said = capsys.readouterr().out
    method = load_method(name)
    assert all(f"  {key} = " in said for key in method.parameters)
    assert method.label in said
    assert method.citation in said


def test_fit_writes_embeddings_and_a_record_that_agree(network: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert command("fit", "random", "--network", network, "--out", out, "--set", "dimensions=3", "--seed", 9) == 0
    embeddings = np.load(out / "embeddings.npy")
    record = json.loads((out / "fit.json").read_text())
    assert embeddings.tobytes() == np.random.default_rng(9).standard_normal((5, 3), dtype=np.float32).tobytes()
    assert sorted(path.name for path in out.iterdir()) == ["embeddings.npy", "fit.json"]
    assert list(record) == [
        "method", "label", "role", "parameters", "seed", "threads", "device", "status", "reason", "wall_seconds",
        "cpu_seconds", "peak_bytes", "epochs", "facts", "versions", "machine", "network", "embeddings",
    ]  # fmt: skip
    assert (record["parameters"], record["seed"], record["threads"]) == ({"dimensions": 3}, 9, 1)
    assert record["network"] == {"name": "toy", "nodes": 5, "edges": 4}
    assert (record["embeddings"]["rows"], record["embeddings"]["dimensions"]) == (5, 3)
    assert {"python", "numpy", "numba"} <= set(record["versions"])
    # This process may have loaded scipy's as well.
    blas = [item for item in threadpool_info() if item["user_api"] == "blas"]
    assert record["versions"]["blas"] in {f"{x['internal_api']} {x['version']} {x['architecture']}" for x in blas}
    assert "torch" not in record["versions"]
    assert record["wall_seconds"] > 0
    assert record["cpu_seconds"] > 0
    assert record["peak_bytes"] > 20_000_000


def test_a_fit_on_a_terminal_shows_its_speed_and_the_time_left(network: Path, tmp_path: Path) -> None:
    words = ["htne", "--network", network, "--out", tmp_path / "out", "--set", "dimensions=4", "--set", "epochs=1"]
    reader, writer = pty.openpty()
    termios.tcsetwinsize(writer, (24, 100))
    done = subprocess.run([sys.executable, "-m", "methods", "fit", *map(str, words)], stderr=writer, timeout=300)
    os.close(writer)
    said = os.read(reader, 100_000).decode()
    os.close(reader)
    assert done.returncode == 0
    assert "HTNE: 100%" in said
    assert " edges/s" in said


def test_the_note_of_a_fit_is_printed(network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # No walk over four contacts has the ten nodes of a window.
    assert command("fit", "ctdne", "--network", network, "--out", tmp_path / "out", "--set", "dimensions=4") == 0
    assert "; note: trained on 0 of 2840 context windows" in capsys.readouterr().out


def test_score_writes_one_number_per_example(network: Path, examples: Path, tmp_path: Path) -> None:
    words = ("--network", network, "--examples", examples, "--out", tmp_path / "out")
    assert command("score", "edgebank", *words) == 0
    assert np.load(tmp_path / "out" / "scores.npy").tolist() == [0, 1, 0]
    record = json.loads((tmp_path / "out" / "score.json").read_text())
    assert (record["status"], record["scores"]["rows"], record["epochs"][0]["unit"]) == ("ok", 3, "pairs")
    assert record["facts"] == {"pairs_remembered": 4}


def test_a_variant_is_fitted_by_its_name(network: Path, examples: Path, tmp_path: Path) -> None:
    words = ("--network", network, "--examples", examples, "--out", tmp_path / "out")
    assert command("score", "edgebank_tw", *words) == 0
    record = json.loads((tmp_path / "out" / "score.json").read_text())
    assert (record["method"], record["parameters"]["memory"]) == ("edgebank_tw", "window")
    assert record["facts"] == {"pairs_remembered": 1}


def test_a_good_fit_clears_away_what_a_failed_one_left(network: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    words = ("fit", "random", "--network", network, "--out", out)
    assert command(*words, "--hours", "1e-9") == 1
    assert json.loads((out / "fit.json").read_text())["status"] == "timeout"
    assert np.load(out / "embeddings.npy").shape == (0, 0)
    assert command(*words) == 0
    assert json.loads((out / "fit.json").read_text())["status"] == "ok"
    assert sorted(path.name for path in out.iterdir()) == ["embeddings.npy", "fit.json"]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("describe", "edgebnak"), "no method named 'edgebnak'; did you mean 'edgebank'?"),
        (("fit", "randm"), "no method named 'randm'; did you mean 'random'?"),
        (
            ("fit", "random", "--set", "dimension=3"),
            "--set dimension=3: unknown parameter 'dimension'; did you mean 'dim",
        ),
        (
            ("fit", "random", "--set", "dimensions=0"),
            "--set dimensions=0: parameter dimensions is 0, but must be an int",
        ),
        (("fit", "degree", "--set", "p=0"), "--set p=0: unknown parameter 'p'; none is known here"),
        (("fit", "edgebank"), "edgebank scores pairs and has no embedding; use `python -m methods score`"),
        (("score", "random", "--examples", "x"), "random makes an embedding and scores no pairs; use `python -m met"),
        (("fit", "random", "--network", "nowhere.arrow"), "nowhere.arrow: no such file"),
        (("score", "edgebank", "--examples", "nowhere.arrow"), "nowhere.arrow: no such file"),
    ],
)
def test_a_mistake_is_one_sentence_and_no_file(
    words: tuple[str, ...], sentence: str, network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    places = () if words[0] == "describe" else ("--out", str(tmp_path / "out"))
    if places and "--network" not in words:
        places += ("--network", str(network))
    assert command(*words, *places) == 1
    said = capsys.readouterr()
    assert said.err.startswith(f"error: {sentence}")
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert not (tmp_path / "out").exists()


def test_an_empty_network_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    network_of([], n_nodes=2, name="nobody").save(tmp_path / "empty.arrow")
    assert command("fit", "random", "--network", tmp_path / "empty.arrow", "--out", tmp_path / "out") == 1
    assert capsys.readouterr().err == "error: the network 'nobody' has no contacts; there is nothing to learn from\n"
    assert list((tmp_path / "out").iterdir()) == []


def test_a_file_that_is_no_network_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "edges.txt").write_text("0 1 5\n")
    assert command("fit", "random", "--network", tmp_path / "edges.txt", "--out", tmp_path / "out") == 1
    assert "edges.txt: cannot be read as a stored network" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ({"source": [0], "target": [7], "time": [1]}, "names a node that is not one of the network's 0 to 4"),
        ({"source": [-1], "target": [0], "time": [1]}, "names a node that is not one of the network's 0 to 4"),
        ({"source": [0], "time": [1]}, "not a set of examples"),
    ],
)
def test_examples_that_do_not_fit_the_network_are_refused(
    rows: dict[str, list[int]], sentence: str, network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = pa.table(rows)
    with pa.OSFile(str(tmp_path / "bad.arrow"), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)
    words = ("--network", network, "--examples", tmp_path / "bad.arrow", "--out", tmp_path / "out")
    assert command("score", "edgebank", *words) == 1
    assert sentence in capsys.readouterr().err


def test_an_output_that_cannot_be_made_is_refused(
    network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert command("fit", "random", "--network", network, "--out", tmp_path / "file" / "out") == 1
    assert "file/out: no folder can be made there" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("--seed", "-1", "invalid seed (a whole number from 0 to 4294967295) value: '-1'"),
        ("--threads", "0", "invalid positive whole number value: '0'"),
        ("--hours", "nan", "invalid positive number value: 'nan'"),
        ("--memory-gb", "-2", "invalid positive number value: '-2'"),
    ],
)
def test_an_option_out_of_range_is_refused(
    option: str, value: str, sentence: str, network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit, match="2"):
        command("fit", "random", "--network", network, "--out", tmp_path / "out", f"{option}={value}")
    assert sentence in capsys.readouterr().err


def test_a_gpu_that_is_not_there_is_refused_to_methods_that_can_use_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    project = copy_methods(tmp_path)
    put(project, "wants_a_gpu", GOOD_END, DESCRIPTION.replace("}", ", needs: {threads: 1, gpu: true}}"))
    words = ("--network", "train.arrow", "--out", "fits/gpu", "--device", "cuda")
    refused = methods(project, "fit", "wants_a_gpu", *words)
    sentence = "error: --device cuda: torch finds no GPU here; use --device cpu, or leave it to auto\n"
    assert (refused.returncode, refused.stderr) == (1, sentence)
    assert methods(project, "fit", "random", *words).returncode == 0


@pytest.mark.parametrize(("more", "dimensions"), [((), 5), (("--set", "dimensions=2"), 2)])
def test_settings_that_tuning_chose_are_used_unless_the_command_line_sets_others(
    more: tuple[str, ...], dimensions: int, network: Path, tmp_path: Path
) -> None:
    (tmp_path / "chosen.json").write_text('{"parameters": {"dimensions": 5}}')
    words = ("--network", network, "--out", tmp_path, "--settings", tmp_path / "chosen.json", *more)
    assert command("fit", "random", *words) == 0
    assert np.load(tmp_path / "embeddings.npy").shape == (5, dimensions)


def test_a_settings_file_that_is_none_is_named(
    network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "rubbish.json").write_text("[1]")
    words = ("--network", network, "--out", tmp_path / "out", "--settings", tmp_path / "rubbish.json")
    assert command("fit", "random", *words) == 1
    assert "rubbish.json: has no `parameters`" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_failed_fit_is_an_error_with_its_reason_unless_failures_are_recorded(
    network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("fit", "random", "--network", network, "--out", tmp_path / "out", "--hours", 1e-9)
    for flags, code, stream in (((), 1, "err"), (("--record-failures",), 0, "out")):
        assert command(*words, *flags) == code
        assert "random: timeout: not done after 3.6e-06 s, the limit" in getattr(capsys.readouterr(), stream)
        assert json.loads((tmp_path / "out" / "fit.json").read_text())["status"] == "timeout"
