"""Tables of a run: the paper's layout, statuses instead of numbers, equal bytes for equal results."""

import csv
import json
import re

import pytest

from evaluation.__main__ import build_parser
from evaluation.errors import EvaluationError
from evaluation.report.tables.all_tables import write_tables
from evaluation.report.tables.formats import Table, latex, markdown, number_text, p_text
from harness.command_line import run_command
from tests.synthetic_run import (
    METHODS,
    cell,
    only,
    rows_of,
    set_level,
    write_fit,
    write_json,
    write_link_prediction,
    write_reconstruction,
    write_run,
)


@pytest.fixture
def run_folder(tmp_path):
    return write_run(tmp_path / "results" / "synthetic")


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A run in which everything worked, with its tables."""
    folder = write_run(tmp_path_factory.mktemp("written") / "synthetic")
    write_tables(folder)
    return folder


def test_long_table_has_the_columns_that_the_page_reads(written):
    header = (written / "tables" / "link_prediction.csv").read_text().splitlines()[0]
    assert header == "dataset,protocol,operator,metric,method,mean,sd,ci_low,ci_high,n,status,ties_with_best"
    header = (written / "tables" / "link_prediction_subsets.csv").read_text().splitlines()[0]
    assert header == "dataset,protocol,operator,subset,metric,method,mean,sd,ci_low,ci_high,n,status"


def test_long_table_gives_mean_and_count_of_all_repeats(written):
    rows = rows_of(written, "link_prediction.csv")
    found = cell(rows, dataset="digg", protocol="paper", operator="hadamard", metric="auc", method="ehna")
    assert (found["mean"], found["n"], found["status"]) == ("0.814000", "12", "ok")
    assert float(found["ci_low"]) < 0.814 < float(found["ci_high"])
    # 2 networks x 2 protocols x 5 metrics x (5 methods x (4 operators and their summary) + EdgeBank's score)
    assert len(rows) == 2 * 2 * 5 * 26


def test_deviation_of_each_layer_is_written(written):
    rows = rows_of(written, "link_prediction_layers.csv")
    found = cell(rows, dataset="toy", protocol="paper", operator="mean", metric="auc", method="line")
    assert found["sd_seed"] == "0.003000"  # the seeds of this method move its scores by -0.003, 0 and 0.003
    assert (found["seeds"], found["draws"], found["splits"]) == ("3", "2", "2")


@pytest.mark.parametrize(
    ("classifier", "by_liblinear", "sentence"),
    [
        ("liblinear", {}, "Classifier: LIBLINEAR."),
        ("newton", {}, "Classifier: LIBLINEAR's objective, minimised by Newton's method."),
        (
            "newton_checked",
            {("paper", "all", "auc"): [0.0, -0.00002], ("paper", "all", "f1"): [0.0003, 0.0001]},
            "Largest difference to LIBLINEAR in the first split of each cell: 2e-05 in AUC, 0.0003 in F1.",
        ),
        # Neither another protocol nor a subset of the examples is what the table shows.
        (
            "newton_checked",
            {("paper", "all", "auc"): [0.0, 0.0], ("pair_grouped", "all", "auc"): [0.1], ("paper", "new", "f1"): [0.1]},
            "Largest difference to LIBLINEAR in the first split of each cell: 0 in AUC.",
        ),
    ],
)
def test_caption_gives_the_largest_difference_to_liblinear(run_folder, classifier, by_liblinear, sentence):
    run = json.loads((run_folder / "run.json").read_text())
    run["config"].setdefault("link_prediction", {})["classifier"] = classifier
    write_json(run_folder / "run.json", run)
    path = run_folder / "link_prediction" / "digg" / "line" / "seed-2.csv"
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for (protocol, subset, metric), offsets in by_liblinear.items():
        wanted = {"protocol": protocol, "subset": subset, "metric": metric, "draw": "1", "split": "1"}
        for row, offset in zip([row for row in rows if wanted.items() <= row.items()], offsets, strict=False):
            row["by_liblinear"] = repr(float(row["value"]) + offset)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    write_tables(run_folder)
    assert (run_folder / "tables" / "link_prediction_digg.md").read_text().rstrip().endswith(sentence)


def test_paper_table_has_operators_and_metrics_in_rows_and_methods_in_columns(written):
    rows = rows_of(written, "link_prediction_digg.csv")
    assert list(rows[0]) == [
        *("Operator", "Metric", "LINE", "Node2Vec", "EHNA", "Error Reduction", "Degree †", "EdgeBank †")
    ]
    assert [(row["Operator"], row["Metric"]) for row in rows] == [
        (operator, metric)
        for operator in ("Mean", "Hadamard", "Weighted-L1", "Weighted-L2")
        for metric in ("AUC", "F1", "Precision", "Recall")
    ]
    assert [rows[4][name] for name in ("LINE", "Node2Vec", "EHNA")] == ["0.6140", "0.7140", "0.8140"]


def test_error_reduction_is_against_the_best_baseline_and_not_against_controls(run_folder, monkeypatch):
    set_level(monkeypatch, run_folder, "degree", 0.79)
    write_tables(run_folder)
    hadamard_auc = rows_of(run_folder, "link_prediction_digg.csv")[4]
    assert hadamard_auc["Degree †"] == "0.8040"
    assert hadamard_auc["Error Reduction"] == f"{100 * (0.814 - 0.714) / (1 - 0.714):.1f}%"


def test_best_compared_method_is_bold_and_controls_never_are(run_folder, monkeypatch):
    set_level(monkeypatch, run_folder, "degree", 0.9)
    write_tables(run_folder)
    text = (run_folder / "tables" / "link_prediction_digg.md").read_text()
    assert "| Mean | AUC | 0.6040 | 0.7040 | **0.8040** | 33.8% | 0.9040 | 0.5040 |" in text
    assert r"\textbf{0.8040} & 33.8\% & 0.9040" in (run_folder / "tables" / "link_prediction_digg.tex").read_text()


def test_error_reduction_is_absent_without_a_proposed_method(run_folder):
    only(run_folder, "line", "node2vec", "degree")
    write_tables(run_folder)
    assert list(rows_of(run_folder, "link_prediction_digg.csv")[0]) == [
        *("Operator", "Metric", "LINE", "Node2Vec", "Degree †")
    ]


def test_failed_method_shows_its_status_and_the_others_their_numbers(run_folder):
    for seed in (1, 2, 3):
        write_link_prediction(run_folder, "digg", "line", seed, status="oom", reason="needed 20 GB")
        write_reconstruction(run_folder, "digg", "line", seed, status="oom", reason="needed 20 GB")
        write_fit(run_folder, "digg", METHODS[0], seed, status="oom", reason="needed 20 GB")
    write_tables(run_folder)
    row = rows_of(run_folder, "link_prediction_digg.csv")[0]
    assert (row["LINE"], row["Node2Vec"]) == ("oom", "0.7040")
    found = cell(
        rows_of(run_folder, "link_prediction.csv"),
        **{"dataset": "digg", "protocol": "paper", "operator": "mean", "metric": "auc", "method": "line"},
    )
    assert (found["mean"], found["n"], found["status"]) == ("", "0", "oom")
    assert "| Digg | 100 | oom | 0.7000 |" in (run_folder / "tables" / "reconstruction.md").read_text()
    assert cell(rows_of(run_folder, "efficiency.csv"), Network="Digg", Method="LINE")["Status"] == "oom"


def test_status_table_gives_the_reason_once_per_seed_and_protocol(run_folder):
    write_link_prediction(run_folder, "digg", "line", 2, status="timeout", reason="stopped after 1 h")
    write_fit(run_folder, "digg", METHODS[0], 2, status="timeout", reason="stopped after 1 h")
    write_tables(run_folder)
    rows = rows_of(run_folder, "status.csv")
    assert [(row["task"], row["method"], row["seed"], row["protocol"], row["status"]) for row in rows] == [
        ("fit on train edges", "line", "2", "", "timeout"),
        ("link prediction", "line", "2", "paper", "timeout"),
        ("link prediction", "line", "2", "pair_grouped", "timeout"),
    ]
    assert {row["reason"] for row in rows} == {"stopped after 1 h"}


def test_a_note_of_a_fit_is_in_the_status_table_with_no_missing_cell(run_folder):
    path = run_folder / "fits" / "digg" / "train" / "line" / "seed-2" / "fit.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"facts": {"note": "trained on 4 of 9 windows"}}))
    write_tables(run_folder)
    (row,) = rows_of(run_folder, "status.csv")
    told = (row["method"], row["seed"], row["status"], row["reason"], row["cells"])
    assert told == ("line", "2", "note", "trained on 4 of 9 windows", "0")


def test_status_table_is_empty_when_everything_worked(written):
    assert rows_of(written, "status.csv") == []


def test_one_failed_seed_leaves_a_marked_mean_of_the_others(run_folder):
    write_link_prediction(run_folder, "digg", "line", 1, status="failed", reason="diverged")
    write_tables(run_folder)
    found = cell(
        rows_of(run_folder, "link_prediction.csv"),
        **{"dataset": "digg", "protocol": "paper", "operator": "mean", "metric": "auc", "method": "line"},
    )
    assert (found["mean"], found["n"], found["status"]) == ("0.605500", "8", "partial")  # seeds 2 and 3
    assert rows_of(run_folder, "link_prediction_digg.csv")[0]["LINE"] == "0.6055*"


def test_tables_whose_inputs_are_absent_are_not_written(tmp_path):
    folder = write_run(tmp_path, datasets=["toy"], methods=METHODS[:1], seeds=[1])
    for path in [*folder.glob("reconstruction/**/*.csv"), *folder.glob("fits/**/*.json"), *folder.glob("networks/*/*")]:
        path.unlink()
    write_tables(folder)
    assert sorted(path.name for path in (folder / "tables").iterdir()) == [
        "link_prediction.csv",
        "link_prediction_layers.csv",
        "link_prediction_subsets.csv",
        "link_prediction_toy.csv",
        "link_prediction_toy.md",
        "link_prediction_toy.tex",
        "paper_audit.csv",
        "paper_audit.md",
        "status.csv",
    ]


def test_run_without_any_repeats_has_an_empty_long_table(tmp_path):
    folder = write_run(tmp_path, methods=[])
    write_tables(folder)
    assert rows_of(folder, "link_prediction.csv") == []


def test_two_runs_with_equal_results_give_equal_bytes(run_folder, tmp_path):
    other = write_run(tmp_path / "other")
    write_tables(run_folder)
    write_tables(other)
    first, second = ({p.name: p.read_bytes() for p in (f / "tables").iterdir()} for f in (run_folder, other))
    assert first == second


def test_order_of_methods_and_networks_is_that_of_the_run(run_folder):
    run = json.loads((run_folder / "run.json").read_text())
    run["methods"].reverse()
    run["datasets"].reverse()
    write_json(run_folder / "run.json", run)
    write_tables(run_folder)
    rows = rows_of(run_folder, "link_prediction.csv")
    assert list(dict.fromkeys(row["dataset"] for row in rows)) == ["toy", "digg"]
    in_one_cell = [row["method"] for row in rows if (row["dataset"], row["protocol"]) == ("digg", "paper")]
    assert list(dict.fromkeys(in_one_cell)) == ["edgebank", "degree", "ehna_na", "ehna", "node2vec", "line"]


def test_reconstruction_table_gives_precision_and_ceiling(written):
    found = cell(
        rows_of(written, "reconstruction.csv"),
        **{"dataset": "digg", "similarity": "cosine", "pairs": "1000", "method": "ehna"},
    )
    assert (found["mean"], found["ceiling"], found["edges_in_sample"]) == ("0.640000", "0.800000", "800.0")
    assert found["n"] == "6"
    text = (written / "tables" / "reconstruction.md").read_text()
    assert "| Digg | 1,000 | 0.4800 | 0.5600 | **0.6400** | 0.4400 | 0.8000 |" in text
    assert "| 500 |" not in text  # the printed table keeps to powers of ten


def test_ablation_shows_the_method_and_its_variants(written):
    assert rows_of(written, "ablation.csv") == [
        {"Method": "EHNA", "Digg": "0.8360 [0.811, 0.861]", "Toy": "0.8350 [0.810, 0.860]"},
        {"Method": "EHNA-NA", "Digg": "0.7860 [0.755, 0.817]", "Toy": "0.7850 [0.754, 0.816]"},
    ]
    assert "EHNA-NA" not in (written / "tables" / "link_prediction_digg.csv").read_text()


def test_efficiency_gives_seconds_per_epoch_threads_throughput_memory_and_machine(written):
    found = cell(rows_of(written, "efficiency.csv"), Network="Toy", Method="EHNA")
    assert found["Wall s/epoch"] == "2.000"
    assert found["CPU s/epoch"] == "3.000"
    assert (found["Threads"], found["Fits"], found["Units/s"], found["Unit"]) == ("2", "3", "2500", "edges")
    assert found["Peak MB"] == "200"
    assert re.search(r"Machine: .+ \d+ cores, [\d.]+ GB", (written / "tables" / "efficiency.md").read_text())


def test_datasets_stand_beside_the_papers(written):
    lines = (written / "tables" / "datasets.csv").read_text().splitlines()
    assert lines[1].endswith('"279,630","-278,630","1,731,653","-1,726,653"')
    assert lines[2].endswith("99,,,,")


def test_every_number_of_the_paper_about_a_network_of_the_run_stands_beside_ours(written):
    rows = rows_of(written, "paper_diff.csv")
    assert {row["dataset"] for row in rows} == {"Digg"}
    assert len(rows) == 2 + 96 + 4 + 7
    found = cell(rows, table="link_prediction", operator="Hadamard", metric="AUC", method="EHNA")
    assert (found["paper"], found["ours"], found["difference"]) == ("0.9292", "0.8140", "-0.1152")
    assert cell(rows, table="ablation", method="EHNA-NA")["ours"] == "0.7860"
    assert cell(rows, table="efficiency", method="EHNA")["ours"] == "2.00"
    assert cell(rows, table="datasets", metric="n_nodes")["difference"] == "-278630"
    absent = cell(rows, table="link_prediction", operator="Mean", metric="F1", method="HTNE")
    assert (absent["ours"], absent["status"]) == ("", "not in this run")
    # Digg's five cells, and the ablation table, which repeats one of them.
    assert sum(row["paper_contradicts_itself"] == "yes" for row in rows) == 6


def test_the_papers_ablation_and_efficiency_tables_stand_beside_ours(written):
    ablation = (written / "tables" / "paper_diff_ablation.md").read_text()
    assert "| EHNA-NA | 0.7860 (0.8131, -0.0271) |" in ablation
    efficiency = (written / "tables" / "paper_diff_efficiency.md").read_text()
    assert "| EHNA | 2.00 (7.8e2, -778.00) |" in efficiency


def test_no_comparison_with_the_paper_on_other_networks(tmp_path):
    folder = write_run(tmp_path, datasets=["toy"])
    write_tables(folder)
    assert not list((folder / "tables").glob("paper_diff*"))


def test_audit_of_the_paper_is_written_with_the_seven_cells(written):
    assert len(rows_of(written, "paper_audit.csv")) == 7


@pytest.mark.parametrize(
    ("line", "pattern", "replacement", "words"),
    [
        (0, ",seed,", ",sede,", "1: lacks the column seed"),
        (3, r"0\.\d+,ok", ",ok", "4: status is ok, but value is not a number"),
        (3, "^digg,line,1,", "digg,line,one,", "4: seed is not a whole number"),
    ],
    ids=["column", "value", "seed"],
)
def test_what_is_wrong_in_a_raw_table_is_named_by_file_and_line(run_folder, line, pattern, replacement, words):
    path = run_folder / "link_prediction" / "digg" / "line" / "seed-1.csv"
    lines = path.read_text().splitlines()
    lines[line] = re.sub(pattern, replacement, lines[line], count=1)
    path.write_text("\n".join(lines) + "\n")
    with pytest.raises(EvaluationError, match=rf"seed-1\.csv:{words}"):
        write_tables(run_folder)


def test_command_needs_a_run_folder(tmp_path, capsys):
    assert run_command(build_parser(), ["tables", "--run-folder", str(tmp_path)]) == 1
    assert "run.json: no such file" in capsys.readouterr().err


def test_markdown_escapes_pipes_and_latex_its_special_characters():
    table = Table("t", ["a|b", "100%"], [["x_1", "5"]], "R&D", bold=frozenset({(0, 1)}))
    assert markdown(table).splitlines()[0] == r"| a\|b | 100% |"
    text = latex(table)
    assert r"x\_1 & \textbf{5} \\" in text
    assert r"100\%" in text
    assert r"\caption{R\&D}" in text


def test_latex_has_a_minus_before_negative_numbers_and_signs_that_old_fonts_lack():
    table = Table("t", ["a", "b"], [["under-used", "-0.5"], ["<1e-15", "-"]], "none")
    text = latex(table)
    assert r"under-used & $-$0.5 \\" in text
    assert r"$<$1e-15 & - \\" in text


def test_latex_braces_and_environments_balance(written):
    for path in (written / "tables").glob("*.tex"):
        text = path.read_text()
        plain = re.sub(r"\\[{}]", "", text)
        assert plain.count("{") == plain.count("}"), path
        assert text.count(r"\begin{") == text.count(r"\end{") == 2, path
        body = text.split(r"\toprule")[1].split(r"\bottomrule")[0]
        widths = {line.replace(r"\&", "").count("&") for line in body.splitlines() if line.endswith(r"\\")}
        assert len(widths) == 1, path


def test_numbers_are_written_without_negative_zero():
    assert number_text(-0.00000001) == "0.000000"
    assert number_text(-0.5, 1) == "-0.5"
    assert number_text(None) == ""
    assert p_text(1e-16) == "<1e-15"
