"""What is counted in a network, and whether it is bipartite."""

import hashlib
import json

import pytest

from networks.audit import audit, reciprocity
from networks.bipartite import sides


def test_pairs_repeats_and_reciprocity_are_counted(repeated):
    """Rows 0-1, 1-0, 0-1, 1-2, 1-2: two pairs; of the ordered pairs 0-1, 1-0, 1-2 two have their reverse."""
    report = audit(repeated)
    assert (report["nodes"], report["temporal_edges"], report["distinct_pairs"]) == (3, 5, 2)
    assert report["repeated_share"] == pytest.approx(3 / 5)
    assert report["reciprocity"] == pytest.approx(2 / 3)


def test_ties_and_distinct_times_are_counted(network_of):
    times = audit(network_of([(0, 1, t) for t in (1, 1, 1, 2, 5, 5)]))["times"]
    assert times == {
        "unit": "",
        "first": 1,
        "last": 5,
        "span": 4,
        "distinct": 3,
        "merged": 0,
        "tied_rows": 5,
        "largest_tie": 3,
    }


def test_the_span_of_distant_times_is_a_whole_number(network_of):
    assert audit(network_of([(0, 1, -(2**62)), (0, 1, 2**62 - 1)]))["times"]["span"] == 2**63 - 1


def test_seconds_are_shown_as_dates(network_of):
    network = network_of([(0, 1, 0), (0, 1, 1082040960)])
    network.facts["time_unit"] = "seconds"
    times = audit(network)["times"]
    assert times["first_date"] == "1970-01-01 00:00:00"
    assert times["last_date"] == "2004-04-15 14:56:00"


def test_seconds_that_no_calendar_holds_have_no_date(network_of):
    network = network_of([(0, 1, 0), (0, 1, 2**62)])
    network.facts["time_unit"] = "seconds"
    assert audit(network)["times"]["last_date"] is None


def test_the_papers_counts_stand_beside_ours(path):
    path.facts.update(rows=5, labels_in_source=6, dropped={"self loop": 2})
    assert audit(path, paper={"nodes": 6, "edges": 4})["paper"] == {
        "nodes": 6,
        "edges": 4,
        "nodes_difference": -2,
        "edges_difference": -1,
        "nodes_difference_in_source": 0,
        "edges_difference_in_source": 1,
    }


def test_the_source_is_told_with_its_checksum(tmp_path, path):
    raw = tmp_path / "raw"
    raw.write_bytes(b"contents")
    path.facts.update(dropped={"self loop": 2})
    source = audit(path, raw_file=raw)["source"]
    assert source == {"dropped": {"self loop": 2}, "sha256": hashlib.sha256(b"contents").hexdigest()}


def test_the_report_is_json(star, triangle):
    for network in (star, triangle):
        assert json.loads(json.dumps(audit(network), allow_nan=False)) == audit(network)


def test_a_star_is_bipartite_and_a_triangle_is_not(star, triangle):
    assert audit(star)["sides"] == [1, 4]
    assert audit(triangle)["bipartite"] is False
    assert "sides" not in audit(triangle)


SIDES = {
    # Two components, of which the second begins with a row that names its ends the other way round.
    "the source is first": ([(0, 2, 1), (1, 2, 2), (5, 3, 3), (3, 5, 4), (4, 5, 5)], [0, 0, 1, 0, 0, 1]),
    "nodes without contact have none": ([(1, 2, 1)], [-1, 0, 1, -1, -1, -1]),
    "an even cycle": ([(i, (i + 1) % 6, 7) for i in range(6)], [0, 1, 0, 1, 0, 1]),
    "an odd cycle": ([(i, (i + 1) % 5, 1) for i in range(5)], None),
    "one odd component": ([(0, 1, 1), (3, 4, 2), (1, 2, 3), (3, 4, 4), (2, 0, 5)], None),
}


@pytest.mark.parametrize(("contacts", "expected"), SIDES.values(), ids=SIDES.keys())
def test_sides_of_a_bipartite_network(network_of, contacts, expected):
    found = sides(network_of(contacts, n_nodes=6))
    assert (found if found is None else found.tolist()) == expected


@pytest.mark.parametrize(
    ("contacts", "share"),
    [
        ([(0, 1, 1)], 0),
        ([(0, 1, 1), (1, 0, 2)], 1),
        ([(0, 1, 1), (0, 1, 2), (0, 1, 3), (1, 0, 4), (1, 2, 5), (3, 2, 6)], 2 / 4),
    ],
    ids=["one way", "both ways", "repeats count once"],
)
def test_reciprocity_is_the_share_of_ordered_pairs_with_their_reverse(network_of, contacts, share):
    assert reciprocity(network_of(contacts)) == share
