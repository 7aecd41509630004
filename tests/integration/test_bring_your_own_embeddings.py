"""Vectors from anywhere go through the same evaluation as those of a method, with one command."""

import json
import subprocess
import sys

import numpy as np
import pytest

from evaluation.__main__ import build_parser
from evaluation.repeats_file import LINK_PREDICTION_COLUMNS
from harness.command_line import run_command
from networks.split import split_rows, write_split
from tests.conftest import network_of
from tests.synthetic_run import read_rows

N_NODES = 60


def evaluation(*arguments):
    return run_command(build_parser(), [str(argument) for argument in arguments])


def predict_links(folder, *arguments, draws=(1,)):
    """Evaluate on the stored examples of these draws; without draws, on examples that are made on the fly."""
    examples = ("--examples", *(folder / f"draw-{draw}.arrow" for draw in draws)) if draws else ()
    return evaluation("link-prediction", "--network", folder / "network.arrow", *examples, *arguments)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A network of two communities with its split, three example sets, and vectors in two formats."""
    folder = tmp_path_factory.mktemp("own")
    generator = np.random.default_rng(0)
    contacts = []
    while len(contacts) < 600:
        u, v = generator.integers(0, N_NODES, size=2)
        if u != v and u % 2 == v % 2:
            contacts.append((int(u), int(v), len(contacts)))
    network = network_of(contacts, N_NODES, name="two_halves")
    network.save(folder / "network.arrow")
    write_split(network, split_rows(network), folder)
    vectors = generator.normal(size=(N_NODES, 8)).astype(np.float32)
    vectors[:, 0] = np.where(np.arange(N_NODES) % 2, 3, -3)
    np.save(folder / "mine.npy", vectors)
    lines = [f"{node} {' '.join(map(repr, map(float, vectors[node])))}" for node in reversed(range(N_NODES))]
    (folder / "mine.txt").write_text("\n".join([f"{N_NODES} 8", *lines]) + "\n", encoding="utf-8")
    for draw in (1, 2):
        network_and_split = ("--network", folder / "network.arrow", "--split", folder / "split.json")
        evaluation("examples", *network_and_split, "--draw", draw, "--out", folder / f"draw-{draw}.arrow")
    return folder


def write_fit(folder, **record):
    folder.mkdir()
    defaults = {"method": "mine", "seed": 3, "status": "ok", "reason": "", "network": {"edges": 480}}
    (folder / "fit.json").write_text(json.dumps(defaults | record), encoding="utf-8")
    return folder


def test_a_network_and_an_npy_file_are_enough(folder):
    files = ("--network", str(folder / "network.arrow"), "--embeddings", str(folder / "mine.npy"))
    done = subprocess.run(
        [sys.executable, "-m", "evaluation", "link-prediction", *files, "--splits", "3"],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert lines[0] == "paper: mean (standard deviation) of 3 repeats"
    assert lines[1].split() == ["AUC", "F1", "Precision", "Recall", "AP", "MRR", "Hits@10"]
    assert [line.split()[0] for line in lines[2:]] == ["mean", "hadamard", "weighted_l1", "weighted_l2"]
    assert float(lines[3].split()[1]) > 0.7, "the first coordinate tells the communities apart"


def test_text_with_labels_gives_the_same_table_as_npy(folder, tmp_path):
    for name in ("mine.npy", "mine.txt"):
        words = ("--embeddings", folder / name, "--splits", 2, "--out", tmp_path / f"{name}.csv")
        assert predict_links(folder, *words, draws=()) == 0
    assert (tmp_path / "mine.npy.csv").read_text() == (tmp_path / "mine.txt.csv").read_text()


def test_a_fit_and_its_vectors_as_a_file_give_the_same_numbers(folder, tmp_path):
    fit = write_fit(tmp_path / "fit")
    (fit / "embeddings.npy").write_bytes((folder / "mine.npy").read_bytes())
    shared = ("--split", folder / "split.json", "--splits", 2)
    by_file = ("--embeddings", folder / "mine.npy", "--seed", 3, "--out", tmp_path / "file.csv")
    assert predict_links(folder, *shared, "--fit", fit, "--out", tmp_path / "fit.csv", draws=(1, 2)) == 0
    assert predict_links(folder, *shared, *by_file, draws=(1, 2)) == 0
    assert (tmp_path / "fit.csv").read_text() == (tmp_path / "file.csv").read_text()
    rows = read_rows(tmp_path / "fit.csv")
    assert list(rows[0]) == LINK_PREDICTION_COLUMNS
    assert {(row["dataset"], row["method"], row["seed"]) for row in rows} == {("two_halves", "mine", "3")}
    assert {row["draw"] for row in rows} == {"1", "2"}
    assert {row["protocol"] for row in rows} == {"paper", "pair_grouped", "older_newer", "node_disjoint"}
    assert all((row["value"] != "") == (row["status"] == "ok") for row in rows)


@pytest.mark.parametrize("network", [{}, {"name": "two_halves", "nodes": 40, "edges": 480}])
def test_a_failed_fit_becomes_marked_cells(network, folder, tmp_path):
    fit = write_fit(tmp_path / "fit", status="timeout", reason="stopped after 2 hours", network=network)
    np.save(fit / "embeddings.npy", np.empty((0, 0)))
    code = predict_links(folder, "--protocols", "paper", "--fit", fit, "--out", tmp_path / "fit.csv")
    rows = read_rows(tmp_path / "fit.csv")
    assert code == 0
    assert len(rows) == 4 * 4 * 7, "operators x subsets x metrics"
    assert {(row["value"], row["status"], row["reason"]) for row in rows} == {("", "timeout", "stopped after 2 hours")}


def test_a_fit_with_nan_becomes_marked_cells_and_a_file_with_nan_an_error(folder, tmp_path, capsys):
    fit = write_fit(tmp_path / "fit")
    vectors = np.load(folder / "mine.npy")
    vectors[7, 2] = np.nan
    np.save(fit / "embeddings.npy", vectors)
    assert predict_links(folder, "--fit", fit, "--out", tmp_path / "fit.csv") == 0
    assert {(row["status"], row["reason"]) for row in read_rows(tmp_path / "fit.csv")} == {
        ("failed", "embeddings.npy: 1 vectors have NaN, infinite values or values beyond 1e+38, first node 7 (label 7)")
    }
    capsys.readouterr()
    assert predict_links(folder, "--embeddings", fit / "embeddings.npy", "--out", tmp_path / "file.csv") == 1
    assert capsys.readouterr().err.startswith(f"error: {fit}/embeddings.npy: 1 vectors have NaN")
    assert not (tmp_path / "file.csv").exists()


def test_a_fit_that_saw_the_held_out_contacts_is_refused(folder, tmp_path, capsys):
    fit = write_fit(tmp_path / "fit", network={"edges": 600})
    (fit / "embeddings.npy").write_bytes((folder / "mine.npy").read_bytes())
    assert predict_links(folder, "--fit", fit, "--out", tmp_path / "fit.csv") == 1
    message = capsys.readouterr().err
    assert "trained on 600 contacts, but the examples hold out everything after the first 480" in message


def test_scores_of_pairs_are_evaluated_draw_by_draw(folder, tmp_path):
    folders = []
    for draw in (1, 2):
        scores = tmp_path / f"draw-{draw}"
        scores.mkdir()
        record = {"method": "oracle", "seed": 1, "status": "ok" if draw == 1 else "failed", "reason": "no memory"}
        (scores / "score.json").write_text(json.dumps(record), encoding="utf-8")
        np.save(scores / "scores.npy", np.repeat([1.0, 0.0], 120))
        folders.append(scores)
    words = ("--protocols", "paper", "--splits", 2, "--scores", *folders, "--out", tmp_path / "s.csv")
    assert predict_links(folder, *words, draws=(1, 2)) == 0
    rows = read_rows(tmp_path / "s.csv")
    first = [row for row in rows if row["draw"] == "1" and row["subset"] == "all"]
    assert {(row["operator"], float(row["value"])) for row in first} == {("score", 1.0)}
    assert {(row["status"], row["reason"]) for row in rows if row["draw"] == "2"} == {("failed", "no memory")}


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        (np.zeros(7), "scores.npy: float64 of shape (7,); it must hold one number for each of 240 examples"),
        (np.full(240, np.nan), "scores.npy: 240 scores are NaN or infinite"),
    ],
)
def test_scores_that_do_not_fit_the_examples_become_marked_cells(folder, tmp_path, scores, reason):
    np.save(tmp_path / "scores.npy", scores)
    (tmp_path / "score.json").write_text('{"method": "bad", "status": "ok"}', encoding="utf-8")
    assert predict_links(folder, "--scores", tmp_path, "--out", tmp_path / "s.csv") == 0
    assert {(row["status"], row["reason"]) for row in read_rows(tmp_path / "s.csv")} == {("failed", reason)}


def test_examples_of_another_split_are_refused(folder, tmp_path, capsys):
    split = json.loads((folder / "split.json").read_text(encoding="utf-8"))
    (tmp_path / "split.json").write_text(json.dumps(split | {"train_end": 500}), encoding="utf-8")
    assert predict_links(folder, "--split", tmp_path / "split.json", "--embeddings", folder / "mine.npy") == 1
    assert "made from another split" in capsys.readouterr().err


def test_the_leakage_report_is_written(folder, tmp_path):
    code = evaluation(
        "leakage", "--network", folder / "network.arrow", "--split", folder / "split.json",
        "--examples", folder / "draw-1.arrow", "--out", tmp_path / "leakage.json",
    )  # fmt: skip
    assert code == 0
    report = json.loads((tmp_path / "leakage.json").read_text(encoding="utf-8"))
    assert report["dataset"] == "two_halves"
    assert report["negatives"]["uniform"]["edges_of_the_whole_network"] == 0


def test_vectors_that_lack_nodes_are_judged_on_the_same_examples(folder, tmp_path):
    lines = (folder / "mine.txt").read_text(encoding="utf-8").splitlines()
    (tmp_path / "half.txt").write_text("\n".join([f"{N_NODES // 2} 8", *lines[1 : 1 + N_NODES // 2]]) + "\n")
    shared = ("--protocols", "paper", "--embeddings")
    assert predict_links(folder, *shared, tmp_path / "half.txt", "--out", tmp_path / "half.csv") == 0
    vectors = np.load(folder / "mine.npy")
    vectors[: N_NODES // 2] = 0
    np.save(tmp_path / "zeros.npy", vectors)
    assert predict_links(folder, *shared, tmp_path / "zeros.npy", "--out", tmp_path / "zeros.csv") == 0
    half, zeros = ([row["value"] for row in read_rows(tmp_path / name)] for name in ("half.csv", "zeros.csv"))
    assert half == zeros


@pytest.mark.parametrize("record", ["[]", '{"status": "ok", "network": 3}'])
@pytest.mark.parametrize("task", ["link-prediction", "reconstruction"])
def test_a_record_that_is_none_is_refused_in_one_sentence(folder, tmp_path, capsys, task, record):
    (tmp_path / "fit.json").write_text(record, encoding="utf-8")
    arguments = (task, "--network", folder / "network.arrow", "--fit", tmp_path, "--out", tmp_path / "out.csv")
    assert evaluation(*arguments) == 1
    assert f"{tmp_path / 'fit.json'}: is not the record of a fit" in capsys.readouterr().err


def test_reconstruction_refuses_a_fit_on_a_part_of_the_network(folder, tmp_path, capsys):
    fit = write_fit(tmp_path / "fit")
    arguments = ("--network", folder / "network.arrow", "--fit", fit, "--out", tmp_path / "out.csv")
    assert evaluation("reconstruction", *arguments) == 1
    assert "trained on 480 contacts, but the network has 600" in capsys.readouterr().err


def test_a_fit_without_a_name_takes_that_of_its_folder(folder, tmp_path):
    fit = write_fit(tmp_path / "nameless", method=None)
    np.save(fit / "embeddings.npy", np.load(folder / "mine.npy"))
    assert predict_links(folder, "--fit", fit, "--out", tmp_path / "out.csv") == 0
    assert {row["method"] for row in read_rows(tmp_path / "out.csv")} == {"nameless"}


def test_an_unknown_protocol_is_named(folder, capsys):
    with pytest.raises(SystemExit):
        predict_links(folder, "--embeddings", folder / "mine.npy", "--protocols", "hard", draws=())
    assert "no protocol named hard" in capsys.readouterr().err
