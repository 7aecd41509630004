"""Efficiency, sensitivity and tuning: which files they ask for, with which settings."""

import pytest

from harness.errors import UserError
from methods.contract.registry import load_method
from workflow.configuration import read_configuration
from workflow.experiments import grid_points, read_experiments
from workflow.steps import steps_of


def experiments(**sections):
    config = {"run": "small", "datasets": ["college_msg"], "methods": ["random", "degree"]}
    return read_experiments(read_configuration(config | sections))


def test_absent_sections_ask_for_nothing():
    nothing = experiments()
    assert nothing.timing_files() == nothing.sensitivity_files() == nothing.tuning_files() == []
    assert nothing.chosen_file("college_msg", "random") == []


def test_ranking_is_opt_in_and_has_queries_and_scores_of_its_own():
    assert experiments(methods=["edgebank"]).settings.ranking_files() == []
    ranked = experiments(methods=["edgebank", "random"], seeds=[1, 2], ranking={"negatives": 20})
    assert ranked.settings.ranking_files() == [
        f"results/small/ranking/college_msg/{fit}.csv" for fit in ("edgebank/seed-1", "random/seed-1", "random/seed-2")
    ]
    assert ranked.settings.ranking_arguments == ["--negatives", "20", "--queries", "10000"]
    steps = {step.output: step for step in steps_of(ranked)}
    queries = "results/small/examples/college_msg/ranking/draw-1.arrow"
    scores = "results/small/scores/college_msg/ranking/edgebank/seed-1/draw-1/score.json"
    assert steps[queries].rule == "queries"
    assert (steps[scores].rule, steps[scores].waits_for) == ("score", (queries,))
    assert set(steps["results/small/ranking/college_msg/edgebank/seed-1.csv"].waits_for) == {scores, queries}
    fit = "results/small/fits/college_msg/train/random/seed-2/fit.json"
    assert fit in steps["results/small/ranking/college_msg/random/seed-2.csv"].waits_for


@pytest.mark.parametrize(
    ("section", "networks"),
    [({}, ["college_msg", "pubmed", "scaling_100"]), ({"networks": ["pubmed"]}, ["pubmed", "scaling_100"])],
)
def test_timed_fits_are_made_on_every_network_or_those_named_and_on_the_generated_ones(section, networks):
    efficiency = {"methods": ["random"], "scaling": [100]} | section
    timed = experiments(datasets=["college_msg", "pubmed"], efficiency=efficiency)
    assert timed.timing_files() == [f"results/small/timings/{network}/random/fit.json" for network in networks]
    assert timed.generate_arguments("scaling_100") == ["--nodes", "20", "--edges", "100", "--seed", "1"]


@pytest.mark.parametrize(
    ("method", "of_the_run", "for_timing", "settings"),
    [
        ("random", {"random": {"dimensions": 8}}, {"random": {}}, ["dimensions=8"]),
        ("random", {"random": {"dimensions": 8}}, {"random": {"dimensions": 4}}, ["dimensions=4"]),
        ("ehna_na", {}, {"ehna": {"epochs": 1, "walks": 2}, "ehna_na": {"walks": 3}}, ["epochs=1", "walks=3"]),
    ],
)
def test_settings_for_timing_come_on_top_of_those_of_the_run_and_a_variants_on_its_methods(
    method, of_the_run, for_timing, settings
):
    timed = experiments(parameters=of_the_run, efficiency={"methods": [method], "parameters": for_timing})
    assert timed.timing_arguments(method) == [word for setting in settings for word in ("--set", setting)]


def test_settings_for_timing_are_given_even_where_they_are_the_defaults_because_tuning_may_have_chosen_others():
    epochs = load_method("htne").defaults["epochs"]
    timed = experiments(efficiency={"methods": ["htne"], "parameters": {"htne": {"epochs": epochs}}})
    assert timed.timing_arguments("htne") == ["--set", f"epochs={epochs}"]


def test_a_variant_waits_for_the_tuning_of_its_method_but_nothing_is_tuned_on_generated_networks():
    tuned = experiments(
        methods=["ehna"], tuning={"methods": ["ehna"], "trials": 1}, efficiency={"methods": ["ehna"], "scaling": [100]}
    )
    for method in ("ehna", "ehna_na"):
        assert tuned.chosen_file("college_msg", method) == ["results/small/tuning/college_msg/ehna/chosen.json"]
    assert tuned.chosen_file("scaling_100", "ehna") == []


def test_sensitivity_changes_one_parameter_at_a_time():
    section = {"dataset": "college_msg", "method": "random", "parameters": {"dimensions": [2, 4]}}
    sensitive = experiments(seeds=[1, 2], sensitivity=section)
    assert sensitive.sensitivity_settings() == ["dimensions=2", "dimensions=4"]
    assert sensitive.sensitivity_files() == [
        f"results/small/link_prediction/college_msg/random/dimensions={value}/seed-{seed}.csv"
        for value in (2, 4)
        for seed in (1, 2)
    ]
    assert sensitive.fit_arguments("random", "dimensions=2/") == ["--set", "dimensions=2"]


def test_a_value_that_the_main_fits_have_needs_no_fit_unless_tuning_may_choose_another():
    section = {"dataset": "college_msg", "method": "ehna", "parameters": {"walk_length": [1, 5], "p": [1, 2]}}
    sensitive = experiments(methods=["ehna"], sensitivity=section)
    assert sensitive.settings_of_main_fits() == ["walk_length=5", "p=1"]
    assert not [file for file in sensitive.sensitivity_files() if "walk_length=5" in file or "p=1/" in file]
    tuned = experiments(methods=["ehna"], sensitivity=section, tuning={"methods": ["ehna"], "trials": 2})
    assert tuned.settings_of_main_fits() == ["walk_length=5"]
    other = experiments(methods=["ehna"], sensitivity=section, parameters={"ehna": {"walk_length": 1}})
    assert other.settings_of_main_fits() == ["walk_length=1", "p=1"]
    seeds = experiments(methods=["ehna"], sensitivity=section | {"seeds": [7]})
    absent = experiments(sensitivity=section)
    assert seeds.settings_of_main_fits() == absent.settings_of_main_fits() == []


class Wildcards(dict):
    __getattr__ = dict.__getitem__


def job(**wildcards):
    return Wildcards({"dataset": "college_msg", "method": "ehna", "seed": "1", "settings": ""} | wildcards)


def test_a_trial_is_fitted_and_judged_without_the_test_block_and_waits_for_no_choice():
    tuned = experiments(
        methods=["ehna"], tuning={"methods": ["ehna"], "trials": 2}, link_prediction={"splits": 7, "draws": 2}
    )
    trial, main = job(settings="trial-1/"), job()
    assert tuned.fit_folder(trial) == "results/small/fits/college_msg/tuning/ehna/trial-1/seed-1"
    assert tuned.fit_folder(main) == "results/small/fits/college_msg/train/ehna/seed-1"
    assert tuned.example_files(trial) == ["results/small/examples/college_msg/validation/draw-1.arrow"]
    assert tuned.example_files(main) == [
        f"results/small/examples/college_msg/test/draw-{draw}.arrow" for draw in (1, 2)
    ]
    assert tuned.chosen_files(trial) == []
    assert tuned.chosen_files(main) == ["results/small/tuning/college_msg/ehna/chosen.json"]
    assert "1" in tuned.classifier_arguments(trial)
    assert "7" in tuned.classifier_arguments(main)
    assert "7" not in tuned.classifier_arguments(trial)


@pytest.mark.parametrize(
    ("classifier", "beside"), [("newton_checked", "newton"), ("newton", "newton"), ("liblinear", "liblinear")]
)
def test_only_numbers_of_the_main_tables_are_compared_with_liblinear(classifier, beside):
    found = experiments(link_prediction={"classifier": classifier})
    for wildcards, expected in ((job(), classifier), (job(settings="margin=2/"), beside)):
        arguments = found.classifier_arguments(wildcards)
        assert arguments[arguments.index("--classifier") + 1] == expected


def test_beside_the_main_tables_the_headline_protocol_is_enough():
    found = experiments(link_prediction={"protocols": ["degree_matched", "paper"]})
    assert found.protocols(job()) == ["degree_matched", "paper"]
    assert found.protocols(job(settings="p=2/")) == ["degree_matched"]


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ({"sensitivity": {"dataset": "digg", "method": "random", "parameters": {"dimensions": [2]}}}, "digg"),
        (
            {"sensitivity": {"dataset": "college_msg", "method": "random", "parameters": {"dimension": [2]}}},
            "did you mean 'dimensions'",
        ),
        ({"efficiency": {"methods": ["randm"]}}, "did you mean 'random'"),
        ({"efficiency": {"methods": ["random"], "networks": ["digg"]}}, "efficiency.networks: no 'digg' in this run"),
        ({"tuning": {"methods": ["degree"], "trials": 2}}, "no `search` grid"),
        ({"ablation": ["randm"]}, "did you mean 'random'"),
        ({"efficiency": {"methods": ["edgebank"]}}, "efficiency.methods: edgebank scores pairs"),
        ({"tuning": {"methods": ["edgebank"], "trials": 2}}, "tuning.methods: edgebank scores pairs"),
        (
            {"sensitivity": {"dataset": "college_msg", "method": "edgebank", "parameters": {"x": [1]}}},
            "sensitivity.method: edgebank scores pairs",
        ),
        ({"tuning": {"methods": ["ehna_na"], "trials": 2}}, "ehna_na is a variant of ehna; name ehna"),
        (
            {"tuning": {"methods": ["htne"], "trials": 2}, "parameters": {"htne": {"epochs": 5}}},
            "parameters.htne.epochs: tuning searches it too",
        ),
        (
            {"tuning": {"methods": ["ehna"], "trials": 2}, "parameters": {"ehna_na": {"p": 2}}},
            "parameters.ehna_na.p: tuning searches it too",
        ),
        ({"tuning": {"methods": ["htne"], "trials": 2}}, "tuning.methods: no fit of this run would use"),
        (
            {
                "datasets": [{"name": "scaling_100", "path": "x.txt"}],
                "efficiency": {"methods": ["random"], "scaling": [100]},
            },
            "datasets: scaling_100 is a name that efficiency.scaling gives",
        ),
    ],
)
def test_a_mistake_is_named_before_anything_runs(section, words):
    with pytest.raises(UserError) as error:
        experiments(**section)
    assert words in str(error.value)


def searching(**search):
    """A method whose grid is this, for the test of the grid alone."""
    from dataclasses import replace

    return replace(load_method("random"), search=search, defaults={"p": 1, "q": 1})


def test_a_grid_within_the_budget_is_tried_whole_and_the_default_comes_first():
    points = grid_points(searching(p=[0.5, 1], q=[1, 2]), most=10)
    assert points[0] == {"p": 1, "q": 1}
    assert sorted(map(str, points)) == sorted(str({"p": p, "q": q}) for p in (0.5, 1) for q in (1, 2))


def test_a_larger_grid_is_cut_to_the_budget_the_same_way_every_time():
    method = searching(p=[0.25, 0.5, 1, 2, 4], q=[0.25, 0.5, 1, 2, 4])
    points = grid_points(method, most=6)
    assert len(points) == 6
    assert points == grid_points(method, most=6)
    assert len({str(point) for point in points}) == 6
    assert len({point["p"] for point in points}) > 1
    assert len({point["q"] for point in points}) > 1
