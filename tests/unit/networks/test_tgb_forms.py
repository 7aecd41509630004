"""The files of TGB and TGB-Seq in their published forms, made up: got from a mirror and read as the catalog says."""

import dataclasses
import zipfile

import pytest

from networks.bipartite import sides
from networks.catalog import load_catalog
from networks.prepare import prepare_entry
from tests.conftest import labeled

# The header names five columns, the rows have more; editors and pages are both numbered from 0.
WIKI = """user_id,item_id,timestamp,state_label,comma_separated_list_of_features
0,0,0.0,0,-0.175,-0.176,0.5
1,0,36.0,0,-0.175,-0.176,0.5
0,1,77.0,1,0,0,0
"""
COIN = """time,src,dst,weight
1648811421,0x27cb,0x8426,800.0
1648811422,0x8426,0x27cb,1.5
1648811430,0x27cb,0xffff,2.0
"""
REVIEW = """ts,source,target,weight
933984000,1,9,5.0
933984000,1,8,4.0
934070400,2,9,1.0
"""
COMMENT = """ts,src,dst,num_words,score
1134365188,ann,bob_1,12,3
1134365189,[deleted],ann,1,-2
1134365189,bob_1,ann,1,0
"""
FLIGHT = """day,src,dst,callsign,typecode
1546318800,EDDF,KJFK,DLH400,
1546318800,KJFK,EDDF,DLH401,A343
1546405200,EDDF,00AK,,
"""
SEQ = """src,dst,time,split
11,3,954547200,0
12,3,954547200,0
11,4,1400000000,2
"""


def prepared(name: str, text: str, nodes: int, tmp_path):
    """The entry with counts of the made-up file, which lies under its published name on a mirror."""
    entry = dataclasses.replace(load_catalog()[name], counts={"nodes": nodes, "edges": text.count("\n") - 1})
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (file,) = entry.download_names
    if entry.member is None:
        (mirror / file).write_text(text)
    else:
        with zipfile.ZipFile(mirror / file, "w") as archive:
            archive.writestr(f"{name}_val_ns.pkl", b"\x80\x04negatives")
            archive.writestr(entry.member, text)
    return prepare_entry(entry, tmp_path / "downloads", str(mirror))


def test_editors_and_pages_of_the_wiki_are_nodes_apart(tmp_path):
    network = prepared("tgbl_wiki", WIKI, 4, tmp_path)
    assert labeled(network) == [("editor:0", "page:0", 0.0), ("editor:1", "page:0", 36.0), ("editor:0", "page:1", 77.0)]
    assert sides(network).tolist() == [0, 1, 0, 1]


@pytest.mark.parametrize(
    ("name", "text", "nodes", "first"),
    [
        ("tgbl_coin", COIN, 3, ("0x27cb", "0x8426", 1648811421)),
        ("tgbl_review", REVIEW, 4, ("1", "9", 933984000)),
        ("tgbl_comment", COMMENT, 3, ("ann", "bob_1", 1134365188)),
        ("tgbl_flight", FLIGHT, 3, ("EDDF", "KJFK", 1546318800)),
    ],
)
def test_time_stands_before_source_and_target_in_the_other_files_of_tgb(name, text, nodes, first, tmp_path):
    network = prepared(name, text, nodes, tmp_path)
    assert labeled(network)[0] == first
    assert network.n_edges == 3


@pytest.mark.parametrize("name", [name for name in load_catalog() if name.startswith("tgb_seq_")])
def test_a_file_of_tgb_seq_is_read_without_its_split(name, tmp_path):
    network = prepared(name, SEQ, 4, tmp_path)
    assert labeled(network) == [("11", "3", 954547200), ("12", "3", 954547200), ("11", "4", 1400000000)]


def test_a_file_fetched_by_hand_is_recognised_by_its_counts(tmp_path):
    entry = dataclasses.replace(load_catalog()["tgbl_wiki"], counts={"nodes": 4, "edges": 3})
    folder = tmp_path / "tgbl_wiki"
    folder.mkdir()
    with zipfile.ZipFile(folder / "from-a-friend.zip", "w") as archive:
        archive.writestr("tgbl_wiki/test_ns.pkl", b"\x80\x04negatives")
        archive.writestr("tgbl_wiki/edges.csv", WIKI)
    assert prepare_entry(entry, tmp_path).n_edges == 3
