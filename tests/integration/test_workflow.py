"""The whole DAG on toy sizes: what it makes, what it makes again, and what it says when something is wrong."""

import html
import json
import re
import shutil
from collections import Counter

import numpy as np
import pandas as pd
import pytest
import yaml

from evaluation.report.manifest import verify
from tests.integration.project_copy import copy_project, snakemake
from tests.integration.scratch_methods import put
from workflow.configuration import read_configuration
from workflow.experiments import read_experiments
from workflow.steps import steps_of


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project in which the test configuration has run once."""
    folder = copy_project(tmp_path_factory.mktemp("project"))
    finished = snakemake(folder, "--configfile", "config/test.yaml")
    assert finished.returncode == 0, finished.stdout
    return folder


def planned(folder, *arguments):
    """The jobs that snakemake would run: (rule, wildcards) pairs."""
    dry = snakemake(folder, "--dry-run", "--workflow-profile", "none", *arguments)
    assert dry.returncode == 0, dry.stdout
    jobs = re.findall(r"^(?:local)?rule (\w+):\n((?:    .*\n)+)", dry.stdout, flags=re.MULTILINE)
    return [
        (rule, dict(re.findall(r"(\w+)=([^,\s]+)", "".join(re.findall(r"wildcards: (.*)", body)))))
        for rule, body in jobs
    ]


# Changes that leave only the main tables.
NOTHING_ELSE = {"ablation": None, "efficiency": None, "sensitivity": None, "tuning": None}


def with_config(folder, name, **changes):
    """A variation of the test configuration; a section that is None is left out."""
    config = yaml.safe_load((folder / "config" / "test.yaml").read_text()) | changes
    config = {key: section for key, section in config.items() if section is not None}
    path = folder / "config" / f"{name}.yaml"
    path.write_text(yaml.safe_dump(config))
    return str(path)


def test_the_run_leaves_tables_figures_a_page_and_a_manifest(project):
    results = project / "results" / "test"
    table = pd.read_csv(results / "tables" / "link_prediction.csv")
    config = yaml.safe_load((project / "config" / "test.yaml").read_text())
    assert set(table["method"]) == set(config["methods"]) | set(config["ablation"])
    assert set(table["dataset"]) == set(config["datasets"])
    # Precision is undefined where a classifier on so few examples predicts no positive; AUC always exists.
    assert set(table[table["metric"] == "auc"]["status"]) == {"ok"}
    for experiment in ("ablation", "efficiency", "scaling", "sensitivity", "tuning"):
        assert (results / "tables" / f"{experiment}.csv").exists()
    assert "<table" in (results / "index.html").read_text()
    assert json.loads((results / "manifest.json").read_text())["files"]


def test_the_report_shows_every_figure_and_table_with_its_caption(project):
    results = project / "results" / "test"
    made = snakemake(project, "--configfile", "config/test.yaml", "--report", "results/test/report.html")
    assert made.returncode == 0, made.stdout
    page = (results / "report.html").read_text(encoding="utf-8")
    shown, categories = (
        json.loads(re.search(rf'<script id="{name}">\s*var {name} = (.*);$', page, flags=re.MULTILINE)[1])
        for name in ("results", "categories")
    )
    wanted = [results / "index.html", results / "leakage" / "tiny_communities.json"]
    wanted += [*results.glob("figures/*.svg"), *results.glob("tables/*.csv")]
    assert set(shown) == {str(path.relative_to(project)) for path in wanted}
    assert "Other" not in categories
    for name, result in shown.items():
        said = html.unescape(re.sub(r"<[^>]+>", "", result["caption"])).strip()
        path = project / name
        if path.suffix == ".svg":
            assert said == path.with_suffix(".txt").read_text().strip()
        elif path.with_suffix(".md").exists():
            assert said == path.with_suffix(".md").read_text().strip().splitlines()[-1]
        else:
            assert said
    assert verify(results) > 0  # the report does not count as a change of the run


def test_a_plan_lists_the_steps_that_snakemake_lists(project):
    jobs = planned(project, "--configfile", "config/test.yaml", "--forceall")
    config = yaml.safe_load((project / "config" / "test.yaml").read_text())
    steps = steps_of(read_experiments(read_configuration(config)))
    assert Counter(step.rule for step in steps) == Counter(rule for rule, _ in jobs if rule != "default")
    # What a step makes lies where the plan looks for it.
    assert [step.output for step in steps if not (project / step.output).exists()] == []


def test_a_part_of_the_paper_run_is_one_short_command(project):
    jobs = planned(project, "--config", "datasets=[digg]", "methods=[htne,ehna]")
    assert {wildcards["dataset"] for _, wildcards in jobs if "dataset" in wildcards} >= {"digg"}
    assert not {wildcards.get("dataset") for _, wildcards in jobs} & {"yelp", "tmall", "dblp"}
    fitted = {wildcards["method"] for rule, wildcards in jobs if rule == "fit"}
    assert fitted == {"htne", "ehna", "ehna_na", "ehna_rw", "ehna_sl"}


def test_a_finished_run_has_nothing_left_to_do(project):
    assert planned(project, "--configfile", "config/test.yaml") == []


def test_editing_a_method_runs_that_method_again_and_no_other(project):
    edited = project / "methods" / "random" / "fit.py"
    before = edited.read_text()
    try:
        edited.write_text(before + "\n# another thought\n")
        assert planned(project, "--configfile", "config/test.yaml") == []
        edited.write_text(before + "\nANOTHER_THOUGHT = 1\n")
        jobs = planned(project, "--configfile", "config/test.yaml")
    finally:
        edited.write_text(before)
    fits = [wildcards for rule, wildcards in jobs if rule in ("fit", "score")]
    assert fits
    assert {wildcards["method"] for wildcards in fits} == {"random"}
    assert not {rule for rule, _ in jobs} & {"fetch", "prepare", "split", "examples"}


def test_adding_a_seed_runs_only_the_new_seed(project):
    jobs = planned(project, "--configfile", with_config(project, "two-seeds", seeds=[1, 2]))
    seeds = [wildcards["seed"] for rule, wildcards in jobs if "seed" in wildcards]
    assert seeds
    assert set(seeds) == {"2"}


def test_more_splits_of_the_classifier_make_no_fit_anew(project):
    given = yaml.safe_load((project / "config" / "test.yaml").read_text())["link_prediction"]
    more = given | {"splits": given["splits"] + 1}
    jobs = planned(project, "--configfile", with_config(project, "splits", link_prediction=more))
    assert {rule for rule, _ in jobs} == {
        *("link_prediction", "describe", "tables", "figures", "manifest", "page", "default")
    }
    assert not [wildcards for _, wildcards in jobs if wildcards.get("settings", "").startswith("trial-")]


def test_other_limits_leave_finished_fits_alone(project):
    config = with_config(project, "limits", limits={"hours": 0.2, "memory_gb": 5}, strict=True)
    assert {rule for rule, _ in planned(project, "--configfile", config)} == {
        *("describe", "tables", "figures", "manifest", "page", "default")
    }


def test_another_number_of_threads_runs_again_the_methods_whose_vectors_depend_on_it(project):
    jobs = planned(project, "--configfile", with_config(project, "threads", threads=2))
    refitted = {wildcards["method"] for rule, wildcards in jobs if rule == "fit"}
    assert {"line", "node2vec", "ctdne", "htne", "ehna", "ehna_na"} <= refitted
    assert not {rule for rule, _ in jobs} & {"fetch", "prepare", "split", "examples"}


def test_a_timed_fit_has_the_settings_that_tuning_chose(project):
    jobs = planned(
        project, "--configfile", with_config(project, "tuned", tuning={"methods": ["node2vec"], "trials": 3})
    )
    timed = [(wildcards["dataset"], wildcards["method"]) for rule, wildcards in jobs if rule == "timing"]
    assert timed == [("tiny_communities", "node2vec")]


def test_a_new_raw_file_makes_its_network_stale_and_another_mirror_does_not(project, tmp_path):
    target = "results/mirrored/networks/dblp_htne/network.arrow"
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "dblp.txt").write_bytes(b"1 2 0\n2 3 5\n1 3 6\n")
    small = {"run": "mirrored", "datasets": ["dblp_htne"], "methods": ["random"], "downloads": str(tmp_path / "raw")}
    first, second = (
        with_config(project, f"mirror-{name}", mirror=str(tmp_path / name), **small, **NOTHING_ELSE)
        for name in ("one", "two")
    )
    assert snakemake(project, target, "--configfile", first).returncode == 0
    assert planned(project, target, "--configfile", second) == []
    raw = tmp_path / "raw" / "dblp_htne" / "dblp.txt"
    raw.write_bytes(b"1 2 0\n2 3 5\n1 3 7\n")
    assert [rule for rule, _ in planned(project, target, "--configfile", second)] == ["prepare"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"run": None}, "configuration: the key 'run' is missing"),  # it is not completed by the paper's
        ({"sedes": [1]}, "unknown key 'sedes'; did you mean 'seeds'?"),
    ],
    ids=["no run", "wrong key"],
)
def test_a_wrong_configuration_stops_the_run_with_one_sentence(project, changes, sentence):
    finished = snakemake(project, "--configfile", with_config(project, "wrong", **changes))
    assert finished.returncode != 0
    assert sentence in finished.stdout
    assert "Traceback" not in finished.stdout


def test_another_working_folder_is_answered_with_the_right_one(project, tmp_path):
    finished = snakemake(tmp_path, "--dry-run", "-s", str(project / "Snakefile"))
    assert finished.returncode != 0
    assert f"run snakemake in {project}, not in {tmp_path}" in finished.stdout
    assert "MissingInputException" not in finished.stdout


def test_the_paper_configuration_plans_the_download_of_its_four_networks(project):
    jobs = planned(project)
    assert {wildcards["dataset"] for rule, wildcards in jobs if rule == "fetch"} == {"digg", "yelp", "tmall", "dblp"}


@pytest.fixture
def project_with_broken_method(project):
    put(project, "broken", "    raise ValueError('the cause of it all')\n")
    yield project
    shutil.rmtree(project / "methods" / "broken")


def test_a_failing_method_marks_its_cells_and_spares_the_others(project_with_broken_method):
    project = project_with_broken_method
    config = with_config(
        project, "broken", run="broken", datasets=["tiny_communities"], methods=["random", "broken"], **NOTHING_ELSE
    )
    finished = snakemake(project, "--configfile", config)
    assert finished.returncode == 0, finished.stdout
    table = pd.read_csv(project / "results" / "broken" / "tables" / "link_prediction.csv")
    broken, others = table[table["method"] == "broken"], table[table["method"] != "broken"]
    assert set(broken["status"]) == {"failed"}
    assert broken["mean"].isna().all()
    assert set(others["status"]) == {"ok"}
    assert "the cause of it all" in (project / "results" / "broken" / "index.html").read_text()


def test_strict_turns_a_failing_method_into_an_error(project_with_broken_method):
    project = project_with_broken_method
    small = {"datasets": ["tiny_communities"], "methods": ["random", "broken"]}
    config = with_config(project, "strict", run="strict", strict=True, **small, **NOTHING_ELSE)
    finished = snakemake(project, "--configfile", config)
    assert finished.returncode != 0
    assert "the cause of it all" in finished.stdout
    assert not (project / "results" / "strict" / "index.html").exists()


def test_a_network_and_vectors_of_ones_own_need_a_few_lines_of_configuration(project):
    generator = np.random.default_rng(1)
    days = pd.date_range("2020-01-01", periods=300)
    people = np.array(["Ann", "Bob", "Çelik", "007", "7", "x y"] + [f"p{i}" for i in range(30)])
    source, target = generator.integers(0, len(people), (2, 300))
    contacts = pd.DataFrame({"from": people[source], "to": people[target], "day": days.strftime("%d.%m.%Y")})
    contacts.to_csv(project / "my contacts.csv.gz", index=False, sep=";")
    labels = list(dict.fromkeys([*contacts["from"], *contacts["to"]]))
    # The text form of word2vec cannot hold a label with a space: that node has no vector.
    vectors = [f"{label} {generator.random()} {generator.random()}" for label in labels if " " not in label]
    (project / "my vectors.txt").write_text(f"{len(vectors)} 2\n" + "\n".join(vectors) + "\n")
    own = {
        "name": "mine",
        "label": "My contacts",
        "path": "my contacts.csv.gz",
        "columns": ["from", "to", "day"],
        "separator": ";",
        "time_format": "%d.%m.%Y",
    }
    config = with_config(
        project,
        "own",
        run="own",
        datasets=[own],
        methods=["random"],
        embeddings={"my_method": {"label": "My method", "files": {"mine": "my vectors.txt"}}},
        **NOTHING_ELSE,
    )
    finished = snakemake(project, "--configfile", config)
    assert finished.returncode == 0, finished.stdout
    table = pd.read_csv(project / "results" / "own" / "tables" / "link_prediction.csv")
    auc = table[(table["metric"] == "auc") & (table["method"] == "my_method")]
    assert set(auc["dataset"]) == {"mine"}
    assert set(auc["status"]) == {"ok"}
    page = (project / "results" / "own" / "index.html").read_text()
    assert "My contacts" in page
    assert "My method" in page
