"""Estimates follow the work: units, sizes by the catalog or the audit, corrections by what was measured."""

import pytest

from harness.files import write_json, write_text
from networks.catalog import entry_from_config, load_catalog
from workflow.configuration import read_configuration
from workflow.costs import TABLE, Costs, Size, between, corrections, size_of, work_of_fit
from workflow.experiments import read_experiments
from workflow.steps import steps_of

SMALL = {"run": "small", "datasets": ["digg"], "methods": ["line", "ehna"]}


def costs(**changes):
    return Costs(read_experiments(read_configuration(SMALL | changes)))


def step(of, rule, method="", **wanted):
    wanted |= {"rule": rule, "method": method}
    return next(one for one in steps_of(of.experiments) if wanted.items() <= vars(one).items())


def seconds(of, *arguments, **wanted):
    return of.by_table(step(of, *arguments, **wanted)).cpu_seconds


@pytest.mark.parametrize(
    ("unit", "settings", "work"),
    [
        ("samples", {"samples_per_edge": 10}, 2 * 10 * 1000),
        ("tokens", {"walks_per_node": 2, "walk_length": 30, "epochs": 3}, 100 * 2 * 30 * 3),
        ("windows", {"walks_per_node": 2, "walk_length": 30, "window": 10, "epochs": 1}, 100 * 2 * 21),
        ("contact_epochs", {"epochs": 7}, 7 * 1000),
        ("contacts", {}, 1000),
    ],
)
def test_the_work_of_a_fit(unit, settings, work):
    assert work_of_fit(unit, Size(100, 1000), settings) == work


def test_the_units_of_the_table_are_known_for_every_method_there():
    for name, entry in TABLE["fit"].items():
        settings = {} if name == "other" else costs().experiments.settings.method(name).defaults
        assert work_of_fit(entry["unit"], Size(100, 1000), settings) > 0


def test_between_the_cache_and_beyond_it_an_item_costs_in_between():
    assert between(1, 3, 1e6) == 1
    assert between(1, 3, 1e12) == 3
    assert 1 < between(1, 3, 50e6) < 3


def test_twice_the_samples_take_twice_as_long_beyond_the_start():
    few, many = (costs(parameters={"line": {"samples_per_edge": samples}}) for samples in (100, 200))
    start = TABLE["fit"]["line"]["start"]
    assert seconds(many, "fit", "line") - start == pytest.approx(2 * (seconds(few, "fit", "line") - start))


def test_a_method_that_is_trained_to_score_costs_its_passes_and_one_that_is_not_its_pairs():
    chosen = costs(methods=["graphmixer", "edgebank"])
    more = costs(methods=["graphmixer", "edgebank"], parameters={"graphmixer": {"epochs": 20}})
    start = TABLE["fit"]["graphmixer"]["start"]
    of_passes = seconds(chosen, "score", "graphmixer") - start
    assert seconds(more, "score", "graphmixer") - start == pytest.approx(2 * of_passes)
    assert 0 < seconds(chosen, "score", "edgebank") < of_passes / 100
    small = chosen.by_table(step(chosen, "score", "edgebank")).memory_mb
    assert chosen.by_table(step(chosen, "score", "graphmixer")).memory_mb > small


def test_training_edges_cost_less_than_all():
    found = costs(reconstruction={})
    assert seconds(found, "fit", "line", edges="train") < seconds(found, "fit", "line", edges="all")


def test_the_vectors_of_a_fit_are_its_disk():
    found = costs()
    assert found.by_table(step(found, "fit", "line")).disk_bytes == 279_630 * 128 * 4


def test_a_trial_is_judged_by_its_own_splits_and_the_headline_alone():
    protocols = {"splits": 10, "protocols": ["paper", "degree_matched"], "classifier": "newton"}
    found = costs(link_prediction=protocols, tuning={"methods": ["line"], "trials": 1, "splits": 2})
    start = TABLE["link_prediction"]["start"]
    main, trial = (seconds(found, "link_prediction", "line", purpose=purpose) for purpose in ("", "trial-0/"))
    # Half as many examples, a fifth of the splits, half of the protocols.
    assert main - start == pytest.approx(2 * 5 * 2 * (trial - start), rel=1e-3)


def test_a_check_costs_one_split_by_liblinear_in_the_main_tables_alone():
    def both(classifier):
        found = costs(
            link_prediction={"splits": 10, "draws": 2, "classifier": classifier},
            tuning={"methods": ["line"], "trials": 1},
        )
        return [seconds(found, "link_prediction", "line", purpose=purpose) for purpose in ("", "trial-0/")]

    (newton, trial), (checked, checked_trial), (liblinear, _) = map(both, ("newton", "newton_checked", "liblinear"))
    assert checked_trial == trial
    start = TABLE["link_prediction"]["start"]
    assert checked - newton == pytest.approx((liblinear - start) / 20)


def test_a_network_has_the_size_that_was_counted_or_the_catalogs(tmp_path):
    (entry,) = read_configuration(SMALL).datasets
    assert size_of(entry, str(tmp_path), tmp_path) == Size(279630, 1731653)
    write_json(tmp_path / "networks" / "digg" / "audit.json", {"nodes": 5, "temporal_edges": 7})
    assert size_of(entry, str(tmp_path), tmp_path) == Size(5, 7)


def test_every_network_of_the_catalog_has_a_size_before_it_is_fetched(tmp_path):
    unknown = [name for name, entry in load_catalog().items() if not size_of(entry, str(tmp_path), tmp_path).contacts]
    assert unknown == ["tmall_raw"]


def test_the_size_of_a_file_of_ones_own_follows_from_its_length(tmp_path):
    for name, contacts in (("mine.csv", 100), ("mine.csv.gz", 400)):
        write_text(tmp_path / name, "x" * 2500)
        entry = entry_from_config({"name": "mine", "path": str(tmp_path / name)})
        assert size_of(entry, str(tmp_path), tmp_path) == Size(contacts // 5, contacts)


def test_what_finished_steps_took_corrects_those_of_their_kind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = costs(seeds=[1, 2])
    fits = [one for one in steps_of(found.experiments) if one.rule == "fit" and one.method == "line"]
    write_json(tmp_path / fits[0].output, {"cpu_seconds": 3 * found.by_table(fits[0]).cpu_seconds})
    evaluation = step(found, "link_prediction", "ehna")
    noted = tmp_path / "results/small/costs/link_prediction/digg/ehna/seed-1.tsv"
    write_text(noted, f"s\tcpu_time\n1\t{found.by_table(evaluation).cpu_seconds / 2}\n")
    factors = corrections(found, [fits[0], evaluation, step(found, "prepare")])
    assert factors == pytest.approx({("fit", "line"): 3, ("link_prediction", "ehna"): 0.5})
    corrected = Costs(found.experiments, factors)
    assert corrected.of(fits[1]).cpu_seconds == pytest.approx(3 * found.of(fits[1]).cpu_seconds)
