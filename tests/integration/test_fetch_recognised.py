"""A file that was fetched by hand is recognised whatever its name; a mirror's is proven by its counts."""

import gzip
import hashlib

import pytest

from harness.files import read_json
from networks.catalog import load_catalog
from networks.fetch.obtain import fetch
from networks.prepare import prepare_entry
from tests.integration.hostile_server import serve
from tests.integration.toy_source import BODY, FAST, fails, sha256, tarred, toy, zipped

EXTRACT = b"0 2 0.1\n1 2 0.2\n1 3 0.2\n"
OTHER = b"0 2 0.1\n1 2 0.2\n"
REVIEWS = b'{"review_id": "r", "user_id": "u", "business_id": "b", "stars": 4.0, "date": "2017-01-02", "text": "x"}\n'
TIPS = b'{"user_id": "u", "business_id": "b", "date": "2017-01-02", "text": "x"}\n'
DUMP = b"<dblp><article><author>A</author><author>B</author><year>2000</year></article></dblp>"
KONECT = b"% sym positive\n1 2 1 5\n1 3 1 6\n3 2 1 7\n"
COUNTS = {"nodes": 4, "edges": 3}


@pytest.fixture
def two_forms():
    """As the catalog's Yelp: an extract of known counts, otherwise the reviews themselves."""
    known = {"urls": (), "terms": "accept the terms", "files": ("toy.txt",), "counts": COUNTS}
    return toy("", **known, format="delimited", otherwise="yelp_json")


def put(tmp_path, name: str, body: bytes):
    (tmp_path / "toy").mkdir(exist_ok=True)
    file = tmp_path / "toy" / name
    file.write_bytes(body)
    return file


@pytest.mark.parametrize(
    ("name", "body", "contacts"),
    [
        ("toy.txt", EXTRACT, 3),
        ("yelp (1).dat", EXTRACT, 3),
        ("htne", gzip.compress(EXTRACT), 3),
        ("htne.zip", zipped({"code/READ.ME": b"read me", "data/a.txt": OTHER, "data/b.txt": EXTRACT}), 3),
        ("download", tarred({"a.txt.gz": gzip.compress(EXTRACT)}), 3),
        ("dataset-2019", tarred({"tip.json": TIPS, "review.json": REVIEWS}), 1),
        ("my reviews", REVIEWS, 1),
    ],
    ids=["its own name", "another name", "gzip", "zip", "tar of gzip", "tar of the other form", "the other form"],
)
def test_file_is_recognised_by_its_first_bytes_and_its_counts(tmp_path, two_forms, name, body, contacts):
    put(tmp_path, name, body)
    assert prepare_entry(two_forms, tmp_path).n_edges == contacts
    (tmp_path / "toy" / name).unlink(missing_ok=name != "toy.txt")
    if name != "toy.txt":
        assert prepare_entry(two_forms, tmp_path).n_edges == contacts


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (
            OTHER,
            "has 3 nodes and 2 contacts, but toy has 4 nodes and 3 contacts; to use it as it is, make it a network",
        ),
        (b"0 1\n0 2\n", ":1: has 2 columns where at least 3 are needed"),
        (TIPS, "looks like yelp_json, but toy comes as delimited or yelp_json"),
        (KONECT, "looks like konect, but toy comes as delimited or yelp_json"),
        (b"<!DOCTYPE html><html>", "is an HTML page instead of the file; the source may have moved"),
        (b"", "is an empty file"),
        (gzip.compress(EXTRACT)[:-9], "is damaged or not what its name says: Compressed file ended"),
        (zipped({"tip.json": TIPS}), "holds no file like toy, which comes as delimited or yelp_json"),
        (zipped({"a.txt": OTHER}), "a.txt: has 3 nodes and 2 contacts, but toy has 4 nodes and 3 contacts"),
        (zipped({"a.txt": EXTRACT})[:-9], "is damaged or not what its name says"),
    ],
    ids=[
        *("other counts", "two columns", "tips", "konect", "page", "empty"),
        *("cut gzip", "zip of tips", "zip of other counts", "cut zip"),
    ],
)
def test_any_other_file_is_answered_with_one_sentence_and_stays(tmp_path, two_forms, body, reason):
    file = put(tmp_path, "what is this", body)
    sentence = fails(two_forms, tmp_path)
    assert str(file) in sentence and reason in sentence
    assert sentence.endswith(f"accept the terms; put toy.txt into {tmp_path / 'toy'} by hand and run this again")
    assert {path.name for path in (tmp_path / "toy").iterdir()} == {".lock", file.name}
    assert not (tmp_path / "checksums.json").exists()


def test_text_without_known_counts_has_to_have_its_name(tmp_path):
    file = put(tmp_path, "some.txt", EXTRACT)
    entry = toy("", urls=(), terms="accept the terms", files=("toy.txt",))
    assert f"{file}: nothing in it tells that it is toy; if it is, call it toy.txt" in fails(entry, tmp_path)


def test_a_dump_of_another_day_than_the_pinned_one_is_taken_from_the_users_hand(tmp_path):
    put(tmp_path, "dblp-2024-01-01.xml", DUMP)
    entry = toy("http://127.0.0.1:9/dblp-2018-08-01.xml.gz", format="dblp_xml", md5="0" * 32)
    for _ in range(2):
        assert fetch(entry, tmp_path, limits=FAST).read_bytes() == DUMP
    assert read_json(tmp_path / "checksums.json")["toy/dblp-2024-01-01.xml"]["checksum"] == "first seen"


def test_a_stranger_does_not_keep_the_source_from_being_used(server, tmp_path, caplog):
    put(tmp_path, "notes", b"do not forget\n")
    url = server.script("/toy.txt", serve(BODY))
    assert fetch(toy(url), tmp_path, limits=FAST).read_bytes() == BODY
    assert "notes: nothing in it tells that it is toy" in caplog.text


@pytest.mark.parametrize("place", ["toy.txt", "toy/toy.txt"])
def test_mirror_is_believed_for_its_counts_where_the_checksum_is_of_another_copy(tmp_path, place):
    held = tmp_path / "mirror" / place
    held.parent.mkdir(parents=True)
    held.write_bytes(EXTRACT)
    entry = toy("http://127.0.0.1:9/toy.txt", counts=COUNTS, sha256=sha256(BODY))
    for _ in range(2):
        assert fetch(entry, tmp_path / "downloads", tmp_path / "mirror", FAST).read_bytes() == EXTRACT
    record = read_json(tmp_path / "downloads" / "checksums.json")["toy/toy.txt"]
    assert record["checksum"] == "none; its counts are those stated in the catalog"


@pytest.mark.parametrize("name", ["toy.txt", "toy.txt.gz"])
def test_mirror_with_other_counts_is_said_and_the_source_is_used(server, tmp_path, caplog, name):
    (tmp_path / name).write_bytes(gzip.compress(OTHER) if name.endswith(".gz") else OTHER)
    url = server.script("/toy.txt", serve(EXTRACT))
    entry = toy(url, counts=COUNTS, files=("toy.txt.gz",))
    assert fetch(entry, tmp_path / "downloads", tmp_path, FAST).read_bytes() == EXTRACT
    assert f"mirror: {tmp_path / name}: has 3 nodes and 2 contacts, but toy has 4" in caplog.text.replace("\n", " ")


def test_source_with_other_counts_is_refused_and_leaves_nothing(server, tmp_path):
    url = server.script("/toy.txt", serve(OTHER))
    assert f"{url}: has 3 nodes and 2 contacts, but toy has 4" in fails(toy(url, counts=COUNTS), tmp_path)
    assert {path.name for path in (tmp_path / "toy").iterdir()} == {".lock"}


def test_stated_md5_is_met_or_named(server, tmp_path):
    url = server.script("/toy.txt", serve(BODY))
    md5 = hashlib.md5(BODY, usedforsecurity=False).hexdigest()
    assert f"{url}: has md5 {md5} instead of {'0' * 32} stated in the catalog" in fails(
        toy(url, md5="0" * 32), tmp_path
    )
    assert fetch(toy(url, md5=md5), tmp_path, limits=FAST).read_bytes() == BODY
    assert read_json(tmp_path / "checksums.json")["toy/toy.txt"]["checksum"] == "stated in the catalog"


@pytest.mark.parametrize("name", ["yelp_academic_dataset_review.json", "review.json", "some reviews"])
def test_yelp_is_prepared_from_its_reviews_where_the_extract_cannot_be_had(tmp_path, name):
    (tmp_path / "yelp").mkdir()
    (tmp_path / "yelp" / name).write_bytes(REVIEWS)
    network = prepare_entry(load_catalog()["yelp"], tmp_path)
    assert (network.n_edges, network.facts["format"]) == (1, "yelp_json")


def test_extract_of_yelp_must_have_the_papers_counts(tmp_path):
    (tmp_path / "yelp.txt").write_bytes(EXTRACT)
    sentence = fails(load_catalog()["yelp"], tmp_path / "downloads", tmp_path)
    assert "yelp.txt: has 4 nodes and 3 contacts, but yelp has 424,450 nodes and 2,610,143 contacts" in sentence
