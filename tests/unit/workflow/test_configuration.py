"""A configuration is checked at the border: one sentence names the key that is wrong."""

from copy import deepcopy
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from harness.errors import UserError
from methods.contract.registry import load_method
from workflow.configuration import read_configuration
from workflow.experiments import read_experiments

ROOT = Path(__file__).parents[3]
SMALL = {"run": "small", "datasets": ["college_msg"], "methods": ["random", "edgebank"]}


def changed(**sections):
    return deepcopy(SMALL) | sections


@pytest.mark.parametrize("path", sorted((ROOT / "config").glob("*.yaml")), ids=lambda path: path.stem)
def test_every_configuration_of_the_project_is_valid(path):
    settings = read_configuration(yaml.safe_load(path.read_text()))
    read_experiments(settings)
    assert settings.run == path.stem


def test_the_paper_configuration_says_what_the_paper_says():
    settings = read_configuration(yaml.safe_load((ROOT / "config" / "paper.yaml").read_text()))
    assert settings.dataset_names == ["digg", "yelp", "tmall", "dblp"]
    assert settings.values["split"]["test_fraction"] == 0.2
    assert settings.classifier_section["splits"] == 10
    assert settings.protocols[0] == "paper"
    assert settings.values["reconstruction"]["nodes"] == 10_000
    assert settings.values["reconstruction"]["draws"] == 10


def test_defaults_are_filled_in():
    settings = read_configuration(changed(split={"ties": "row"}))
    assert settings.values["split"] == {"test_fraction": 0.2, "validation_fraction": 0.1, "ties": "row"}
    assert settings.seeds == [1]


def test_threads_are_those_of_the_variant_or_of_its_method_or_one():
    settings = read_configuration(changed(threads={"ehna": 8, "ehna_na": 2}))
    threads = {name: settings.threads_of(name) for name in ("ehna", "ehna_na", "ehna_rw", "line", "line_10")}
    assert threads == {"ehna": 8, "ehna_na": 2, "ehna_rw": 8, "line": 1, "line_10": 10}


@pytest.mark.parametrize("independent", [False, True])
def test_another_number_of_threads_matters_unless_a_method_says_that_its_vectors_do_not_depend_on_it(
    independent, monkeypatch
):
    monkeypatch.setattr(
        "workflow.configuration.load_method", lambda name: replace(load_method(name), thread_independent=independent)
    )
    one, two = (read_configuration(changed(threads=threads)) for threads in (1, 2))
    for name in ("line", "ehna", "ehna_na"):
        assert (one.threads_that_matter(name) != two.threads_that_matter(name)) != independent
    # line_10 has 10 threads whatever the configuration says.
    assert one.threads_that_matter("line_10") == two.threads_that_matter("line_10")


def test_the_vectors_of_methods_that_share_a_table_between_threads_depend_on_their_number():
    named = [load_method(name) for name in ("line", "node2vec", "ctdne", "htne", "ehna")]
    assert not any(method.thread_independent for method in named)


def test_reading_a_configuration_does_not_change_it():
    config = changed()
    read_configuration(config)
    assert config == SMALL


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (changed(sedes=[1]), ["'sedes'", "did you mean 'seeds'"]),
        (changed(split={"tie": "row"}), ["split", "'tie'", "did you mean 'ties'"]),
        (changed(split={"ties": "rows"}), ["split.ties", '"rows"', 'group", "row']),
        (changed(seeds=["one"]), ["seeds.0", '"one"', "integer"]),
        (changed(seeds=[]), ["seeds", "must be a list, not empty"]),
        (
            changed(sensitivity={"dataset": "college_msg", "method": "random", "parameters": {}}),
            ["sensitivity.parameters is {}", "must be a mapping of keys to values, not empty"],
        ),
        (changed(seeds=[1, 1]), ["seeds", "twice"]),
        (changed(datasets=["colege_msg"]), ["datasets", "'colege_msg'", "did you mean 'college_msg'"]),
        (changed(threads={"enha": 2}), ["threads", "'enha'", "did you mean 'ehna'"]),
        (changed(threads={"ehna": 0}), ["threads.ehna", "at least 1"]),
        (changed(threads=0), ["threads", "at least 1"]),
        (changed(methods=["randm"]), ["'randm'", "did you mean 'random'"]),
        (changed(parameters={"random": {"dimension": 3}}), ["parameters.random", "did you mean 'dimensions'"]),
        (changed(parameters={"random": {"dimensions": 0}}), ["parameters.random.dimensions", "at least 1"]),
        (changed(link_prediction={"protocols": ["papers"]}), ["'papers'", "did you mean 'paper'"]),
        (changed(embeddings={"mine": {"files": {"digg": "x.npy"}}}), ["embeddings.mine.files", "digg"]),
        (changed(embeddings={"random": {"files": {"college_msg": "x.npy"}}}), ["random", "twice"]),
        (
            changed(ablation=["ehna_na"], embeddings={"ehna_na": {"files": {"college_msg": "x.npy"}}}),
            ["ehna_na", "twice"],
        ),
        (
            changed(embeddings={"My": {"files": {"college_msg": "x.npy"}}}),
            ['embeddings: "My" is no name; use small letters, digits and _, a letter first'],
        ),
        (
            changed(run="../escape"),
            ['key run: "../escape" is no name; use small letters, digits, _ and -, a letter first'],
        ),
        (
            changed(split={"test_fraction": 0.6, "validation_fraction": 0.4}),
            ["split: test_fraction 0.6 and validation_fraction 0.4", "together they must be less than 1"],
        ),
        (changed(downloads=""), ["downloads", "not empty"]),
        (changed(downloads="~nobody-here/raw"), ["downloads: ~nobody-here/raw", "no such home"]),
        (
            changed(embeddings={"mine": {"files": {"college_msg": ""}}}),
            ["embeddings.mine.files.college_msg", "not empty"],
        ),
        (changed(run="small\n"), ["run", "small"]),
        # An integer is written without a point, and a number is finite.
        (changed(link_prediction={"draws": 2.0}), ["key link_prediction.draws is 2.0, but must be an integer"]),
        (changed(seeds=[2.0]), ["key seeds.0 is 2.0, but must be an integer"]),
        (changed(reconstruction={"nodes": 50.0}), ["key reconstruction.nodes is 50.0, but must be an integer"]),
        (changed(threads=True), ["key threads is true, but must be an integer"]),
        (changed(limits={"hours": float("nan")}), ["key limits.hours is NaN, but must be a number"]),
        (changed(limits={"hours": float("inf")}), ["key limits.hours is Infinity, but must be a number"]),
        (changed(split={"test_fraction": float("nan")}), ["key split.test_fraction is NaN, but must be a number"]),
        ({"datasets": ["college_msg"], "methods": ["random"]}, ["'run'", "missing"]),
    ],
    ids=lambda value: "" if isinstance(value, dict) else value[0],
)
def test_a_mistake_is_answered_with_the_key_and_the_remedy(config, words):
    with pytest.raises(UserError) as error:
        read_configuration(config)
    assert "\n" not in str(error.value)
    for word in words:
        assert word in str(error.value)


@pytest.mark.parametrize(
    ("network", "sentence"),
    [
        ({"name": "shop"}, "network shop: the key 'path' is missing"),
        ({"name": "shop", "pth": "x.csv"}, "network shop: unknown key 'pth'; did you mean 'path'?"),
        (
            {"name": "Shop", "path": "x.csv"},
            'network Shop: key name: "Shop" is no name; use small letters, digits and _',
        ),
        ({"name": "my-shop", "path": "x.csv"}, 'network my-shop: key name: "my-shop" is no name'),
        ({"name": "shop\n", "path": "x.csv"}, "is no name"),
        ({"name": "shop", "path": "x.csv", "format": "konekt"}, 'key format is "konekt", but must be one of'),
        (
            {"name": "shop", "path": "out.x", "format": "konect", "time_format": "year"},
            "network shop: the format konect has no time_format; leave it out, or leave out the format",
        ),
        ({"name": "shop", "path": "~nobody-here/x"}, "network shop: key path: ~nobody-here/x begins with ~"),
        (7, "key datasets.0 is 7, but must be a text or a mapping of keys to values"),
    ],
)
def test_a_mistake_in_a_network_of_ones_own_is_answered_with_its_name_and_key(network, sentence):
    with pytest.raises(UserError) as error:
        read_configuration(changed(datasets=[network]))
    assert str(error.value).startswith("configuration: ")
    assert sentence in str(error.value)


@pytest.mark.parametrize("written", ["raw/", "./raw", "raw"])
def test_a_path_has_one_spelling_however_it_is_written(written):
    settings = read_configuration(changed(downloads=written, embeddings={"mine": {"files": {"college_msg": written}}}))
    assert settings.downloads == "raw"
    assert settings.vectors("college_msg", "mine", "1", "") == ["raw"]


def test_a_path_may_begin_with_the_home_folder(monkeypatch):
    monkeypatch.setenv("HOME", "/home/ann")
    settings = read_configuration(
        changed(downloads="~/raw", embeddings={"mine": {"files": {"college_msg": "~/mine.npy"}}})
    )
    assert settings.downloads == "/home/ann/raw"
    assert settings.vectors("college_msg", "mine", "1", "") == ["/home/ann/mine.npy"]


def test_parameters_of_a_method_reach_its_command_only_where_they_differ_from_the_defaults():
    settings = read_configuration(changed(parameters={"random": {"dimensions": 16}}))
    assert settings.fit_arguments("random") == ["--set", "dimensions=16"]
    assert settings.fit_arguments("edgebank") == []
    assert read_configuration(changed(parameters={"random": {"dimensions": 128}})).fit_arguments("random") == []


@pytest.mark.parametrize(("strict", "words"), [(False, ["--record-failures"]), (True, [])])
def test_fits_are_asked_to_record_failures_unless_the_run_is_strict(strict, words):
    settings = read_configuration(changed(strict=strict, limits={"hours": 2, "memory_gb": 8}))
    assert settings.limit_arguments(None, None) == ["--hours", "2", "--memory-gb", "8", *words]


def test_a_network_of_ones_own_is_prepared_with_its_columns():
    own = {"name": "mine", "path": "a b.csv", "columns": ["from", "to", "at"], "separator": ";", "time_format": "%Y"}
    settings = read_configuration(changed(datasets=[own]))
    assert (settings.fetched_files("mine"), settings.own_files("mine")) == ([], ["a b.csv"])
    assert settings.prepare_arguments("mine") == [
        *("./a b.csv", "--name", "mine", "--format", "delimited", "--columns", '["from", "to", "at"]'),
        *("--separator", ";", "--time-format", "%Y"),
    ]


def test_a_network_of_ones_own_may_have_a_name_of_the_catalog():
    settings = read_configuration(changed(datasets=[{"name": "digg", "path": "mine.txt"}]))
    assert settings.prepare_arguments("digg") == ["./mine.txt", "--name", "digg", "--format", "delimited"]
    assert read_configuration(changed(datasets=["digg"])).prepare_arguments("digg")[0] == "digg"


def test_the_entry_of_a_network_changes_with_the_catalog():
    settings = read_configuration(changed(datasets=["college_msg", "tiny_communities"]))
    before = [settings.catalog_entry(name) for name in settings.dataset_names]
    seed = settings.datasets[1].generate | {"seed": 77}
    for change in ({"generate": seed}, {"sha256": "0" * 64}, {"size_bytes": 7}, {"paper": {"nodes": 3, "edges": 4}}):
        after = replace(settings, datasets=(settings.datasets[0], replace(settings.datasets[1], **change)))
        same = [after.catalog_entry(name) == old for name, old in zip(settings.dataset_names, before, strict=True)]
        assert same == [True, False]


def test_vectors_made_elsewhere_are_one_more_column():
    settings = read_configuration(changed(embeddings={"mine": {"label": "Mine", "files": {"college_msg": "m.npy"}}}))
    assert settings.vector_arguments("college_msg", "mine", "1", "") == ["--embeddings", "m.npy"]
    assert "results/small/link_prediction/college_msg/mine/seed-1.csv" in settings.link_prediction_files()


def test_methods_that_score_pairs_are_not_asked_to_reconstruct():
    settings = read_configuration(changed(reconstruction={}))
    assert settings.reconstruction_files() == ["results/small/reconstruction/college_msg/random/seed-1.csv"]


def test_numbers_that_the_command_line_hands_over_as_texts_are_numbers() -> None:
    given = SMALL | {
        "seeds": ["1", "2"],
        "split": {"test_fraction": "0.25"},
        "parameters": {"line": {"dimensions": "8"}},
    }
    values = read_configuration(given).values
    assert values["seeds"] == [1, 2]
    assert values["split"]["test_fraction"] == 0.25
    assert values["parameters"]["line"] == {"dimensions": 8}
    with pytest.raises(UserError, match=r"seeds\.0 is \"one\""):
        read_configuration(SMALL | {"seeds": ["one"]})
