"""Parsers of particular sources: KONECT, Yelp and Tmall."""

import pytest

from networks.errors import NetworkError
from networks.parse import read_contacts
from tests.conftest import labeled

KONECT = """% asym positive
% 5 4 4
1 2 1 100
2 3 1 0
3 1 2 50
4 1 -1 60
1 4 1 0
"""


@pytest.fixture
def write(tmp_path):
    def write(text):
        path = tmp_path / "raw"
        path.write_text(text)
        return path

    return write


@pytest.mark.parametrize(
    ("text", "rows", "dropped"),
    [
        (KONECT, [("1", "2", 100), ("3", "1", 50), ("4", "1", 60)], {"no time": 2}),
        ("% sym unweighted\n1 2 1 9\n1 3\n2 3 1\n", [("1", "2", 9)], {"no time": 2}),
        ("% asym\n1 2\t1\t9\n2 3\t1\t10\n", [("1", "2", 9), ("2", "3", 10)], {}),
        ("% bip unweighted\n1 1 1 9\n", [("left:1", "right:1", 9)], {}),
    ],
    ids=["time zero is none", "lines that stop before the time", "tabs and spaces", "sides are numbered apart"],
)
def test_konect_rows_are_read_and_those_without_a_time_dropped_and_counted(write, text, rows, dropped):
    contacts = read_contacts(write(text), "konect")
    assert labeled(contacts) == rows
    assert {reason: n for reason, n in contacts.dropped.items() if n} == dropped
    assert contacts.rows == len(rows) + sum(dropped.values())


def test_konect_weights_other_than_one_are_counted_and_ignored(write):
    assert read_contacts(write(KONECT), "konect").facts["weights_other_than_1"] == 2


def test_konect_malformed_line_is_named(write):
    with pytest.raises(NetworkError, match=r"raw:4: the time 'x' is not a number"):
        read_contacts(write("% asym\n%\n1 2 1 9\n1 2 1 x\n"), "konect")


REVIEW = '{{"review_id": "r", "user_id": "{0}", "business_id": "{1}", "stars": 4, "text": "a, b", "date": "{2}"}}\n'


def test_a_yelp_review_joins_a_user_and_a_business(write):
    path = write(REVIEW.format("x", "x", "2018-07-07 22:09:11") + "\n" + REVIEW.format("y", "x", "2018-07-08"))
    contacts = read_contacts(path, "yelp_json")
    assert labeled(contacts) == [("user:x", "business:x", 1531001351), ("user:y", "business:x", 1531008000)]
    assert contacts.rows == 2


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"user_id": ', "is not JSON"),
        ("[1]\n", "is not a review, it has no user_id"),
        ('{"user_id": "a", "date": "2018-01-01"}', "is not a review, it has no business_id"),
        ('{"user_id": "a", "business_id": 3, "date": "2018-01-01"}', "is not a review, it has no business_id"),
        (REVIEW.format("a", "b", "July"), "the time 'July' is not an ISO 8601 date"),
    ],
)
def test_a_malformed_yelp_line_is_named(write, line, reason):
    with pytest.raises(NetworkError, match=rf"raw:2: {reason}"):
        read_contacts(write(REVIEW.format("a", "b", "2018-01-01") + line), "yelp_json")


TMALL = """user_id,item_id,cat_id,seller_id,brand_id,time_stamp,action_type
1,1,833,2882,2661.0,829,0
1,1,833,2882,2661.0,829,2
2,1,1271,2882,,1111,2
2,9,1271,2882,,0511,3
"""


def test_tmall_purchases_join_a_user_and_an_item_on_a_day_of_2014(write):
    contacts = read_contacts(write(TMALL), "tmall_log")
    assert labeled(contacts) == [("user:1", "item:1", 1409270400), ("user:2", "item:1", 1415664000)]
    assert contacts.rows == 4
    assert contacts.dropped == {"another action": 2}


def test_tmall_action_and_year_can_be_chosen(write):
    contacts = read_contacts(write(TMALL), "tmall_log", {"action_type": 3, "year": 1970})
    assert labeled(contacts) == [("user:2", "item:9", 130 * 86400)]


def test_a_tmall_day_that_is_not_in_the_calendar_is_named(write):
    with pytest.raises(NetworkError, match=r"raw:6: the time '20141131' is not a date"):
        read_contacts(write(TMALL + "3,1,2,3,4,1131,2\n"), "tmall_log")


def test_another_file_than_the_tmall_log_is_refused(write):
    with pytest.raises(NetworkError, match="has no column 'time_stamp'"):
        read_contacts(write("user_id,item_id,action_type\n1,2,3\n"), "tmall_log")
