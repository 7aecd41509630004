"""Delimited text: SNAP, HTNE, CSV and their likes."""

import bz2
import gzip
import lzma
from typing import Any

import numpy as np
import pytest

from networks.errors import NetworkError
from networks.parse import guess_format, read_contacts
from networks.parse.contacts import Contacts
from tests.conftest import labeled

NO_NUMBERS = ("nan", "NaN", "-inf", "Infinity")


@pytest.fixture
def read(tmp_path):
    """Write `text` (or bytes) to a file and read its contacts."""

    def read(text: str | bytes, **options) -> Contacts:
        path = tmp_path / "contacts.txt"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_contacts(path, "delimited", options)

    return read


def test_source_target_time_are_the_first_three_columns(read):
    contacts = read("1 2 10\n2 3 5\n1 2 10\n")
    assert labeled(contacts) == [("1", "2", 10), ("2", "3", 5), ("1", "2", 10)]
    assert contacts.time.dtype == np.int64
    assert contacts.rows == 3


WEIGHTED = "source,target,weight,time\na,b,1,100\n"
# What the file holds, how it is to be read, and its rows.
READ: dict[str, tuple[str, dict[str, Any], list[tuple[str, str, float]]]] = {
    "a column after the time is ignored": ("1 2 10 MT\n2 1 11 RE\n", {}, [("1", "2", 10), ("2", "1", 11)]),
    "comments at the top are skipped": ("# Nodes: 2\n# u v t\n\n1 2 3\n", {}, [("1", "2", 3)]),
    "below the top, what begins like a comment is a row": (
        "ann #python 3\n#python ann 4\n",
        {"header": False},
        [("ann", "#python", 3), ("#python", "ann", 4)],
    ),
    "the separator is seen: space": ("a b 1\nb c 2\n", {"header": False}, [("a", "b", 1), ("b", "c", 2)]),
    "the separator is seen: tab": ("a\tb\t1\nb\tc\t2\n", {"header": False}, [("a", "b", 1), ("b", "c", 2)]),
    "the separator is seen: comma": ("a,b,1\nb,c,2\n", {"header": False}, [("a", "b", 1), ("b", "c", 2)]),
    "the separator is seen: semicolon": ("a;b;1\nb;c;2\n", {"header": False}, [("a", "b", 1), ("b", "c", 2)]),
    "runs of mixed white space separate like one space": (
        "  1 \t2   10\n2\t3 11 \n\n   \n4 5\t12\n",
        {},
        [("1", "2", 10), ("2", "3", 11), ("4", "5", 12)],
    ),
    # Cut at single spaces, every line would have five cells and the weight would pass for the time.
    "double spaces do not shift the columns": (
        "1 2  1 100\n3 4  1 200\n",
        {"columns": [1, 2, 4]},
        [("1", "2", 100), ("3", "4", 200)],
    ),
    "a tab inside a skipped cell does not shift the columns": (
        "1 2 3\t9 4\n5 6 7\t8 9\n",
        {"columns": [1, 2, 4], "separator": "whitespace"},
        [("1", "2", 9), ("5", "6", 8)],
    ),
    "columns by position, counted from one": (
        "10,x,1,2\n11,x,2,3\n",
        {"columns": [3, 4, 1]},
        [("1", "2", 10), ("2", "3", 11)],
    ),
    "columns by name": ("t,to,from\n5,a,b\n", {"columns": ["from", "to", "t"]}, [("b", "a", 5)]),
    "columns by name beside a weight": (WEIGHTED, {"columns": ["source", "target", "time"]}, [("a", "b", 100)]),
    "columns by position beside a weight": (WEIGHTED, {"columns": [1, 2, 4]}, [("a", "b", 100)]),
    "a first line without any number but with a date is a row": (
        "ann,bob,Jan 02 1970\nbob,cy,Feb 01 1970\n",
        {"time_format": "%b %d %Y"},
        [("ann", "bob", 86400), ("bob", "cy", 31 * 86400)],
    ),
    "labels are kept exactly": (
        '007,7,1\n"Zoë, Ann",Ann Lee,2\nNA,null,3\n',
        {"header": False},
        [("007", "7", 1), ("Zoë, Ann", "Ann Lee", 2), ("NA", "null", 3)],
    ),
    "leading zeros tell labels apart": ("1 01 5\n1 001 6\n", {}, [("1", "01", 5), ("1", "001", 6)]),
    "negative and huge integers are labels": (
        "-5 123456789012345678901 1\n0 999999999999999999 2\n-0 0 3\n",
        {},
        [("-5", "123456789012345678901", 1), ("0", "999999999999999999", 2), ("-0", "0", 3)],
    ),
    "far apart integers are labels": (
        "1 900000000000000000 1\n900000000000000000 2 2\n",
        {},
        [("1", "900000000000000000", 1), ("900000000000000000", "2", 2)],
    ),
    "spaces around a cell are not part of the label": (
        "a, b, 1\nb , a,2\n",
        {"header": False},
        [("a", "b", 1), ("b", "a", 2)],
    ),
    "line ends of Windows": ("1 2 3\r\n2 3 4\r\n", {}, [("1", "2", 3), ("2", "3", 4)]),
    "line ends of old": ("1 2 3\r2 3 4\r", {}, [("1", "2", 3), ("2", "3", 4)]),
    "a byte order mark is not part of the first label": ("\ufeff1,2,3\n", {}, [("1", "2", 3)]),
}


@pytest.mark.parametrize(("text", "options", "expected"), READ.values(), ids=READ.keys())
def test_rows_are_read_as_they_are_meant(read, text, options, expected):
    contacts = read(text, **options)
    assert labeled(contacts) == expected
    assert len(contacts.labels) == len({label for source, target, _ in expected for label in (source, target)})


TIMES: dict[str, tuple[str, dict[str, Any], list[float]]] = {
    "fractions are floats": (
        "6,2,4,1289241911.72836\n6,5,2,1289241941\n",
        {"columns": [1, 2, 4]},
        [1289241911.72836, 1289241941.0],
    ),
    "negative and padded ones are integers": ("1,2, -5\n1,2,007\n", {}, [-5, 7]),
    "dates become seconds since 1970": (
        "Source,Target,Timestamp\n1,2,04/15/04 02:56 PM\n2,3,01/01/70 12:01 AM\n",
        {"time_format": "%m/%d/%y %I:%M %p"},
        [1082040960, 60],
    ),
    "iso dates are UTC unless they say otherwise": (
        "a,b,1970-01-02\na,b,1970-01-01T01:00:00+01:00\na,b,1970-01-01 00:00:01\n",
        {"time_format": "iso"},
        [86400, 0, 1],
    ),
    "a word after an iso date is no time of day": ("a b 1970-01-02 MT\n", {"time_format": "iso"}, [86400]),
    "a time of day stays with its date": ("a,b,1970-01-01 10:23:11\n", {"time_format": "iso"}, [37391]),
    "fractions of a second are floats": ("a,b,1970-01-01T00:00:00.250\n", {"time_format": "iso"}, [0.25]),
    "years stay years": ("a b 1967\nb c 2010\n", {"time_format": "year"}, [1967, 2010]),
}


@pytest.mark.parametrize(("text", "options", "expected"), TIMES.values(), ids=TIMES.keys())
def test_times_are_integers_or_floats_in_their_unit(read, text, options, expected):
    contacts = read(text, **options)
    assert contacts.time.tolist() == expected
    assert contacts.time.dtype == np.array(expected).dtype
    if "time_format" in options:
        assert contacts.time_unit == ("years" if options["time_format"] == "year" else "seconds")


def test_comment_lines_are_counted_because_a_row_may_look_like_one(read):
    assert read("#news bob 1\n#news ann 2\n1 2 3\n").facts == {"comment_lines": 2}
    assert read("1 2 3\n").facts == {}


def test_a_first_line_without_any_number_is_a_header(read):
    contacts = read("source,target,time\na,b,5\n")
    assert labeled(contacts) == [("a", "b", 5)]
    assert contacts.facts["header"] == ["source", "target", "time"]


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress], ids=["gz", "bz2", "xz"])
def test_compression_is_told_by_content_not_by_name(read, compress):
    assert labeled(read(compress(b"1 2 3\n"))) == [("1", "2", 3)]


def test_a_plain_file_may_be_called_gz(tmp_path):
    path = tmp_path / "contacts.gz"
    path.write_text("1 2 3\n")
    assert labeled(read_contacts(path, "delimited")) == [("1", "2", 3)]


def test_both_sides_of_a_bipartite_network_are_kept_apart(read):
    contacts = read("1 1 5\n2 1 6\n", prefixes=["user:", "item:"])
    assert labeled(contacts) == [("user:1", "item:1", 5), ("user:2", "item:1", 6)]
    assert not set(contacts.source) & set(contacts.target)


def test_a_large_regular_file_gives_the_same_rows_as_its_irregular_twin(read):
    """More than one block for Arrow, and more than one chunk for the line-by-line reader."""
    lines = [f"{i % 977} {i % 1013 + 2000} {i}" for i in range(150_000)]
    regular = read("\n".join(lines) + "\n")
    irregular = read("\n".join(lines) + "  \n 1  2 3\n")
    assert np.array_equal(regular.time, irregular.time[:-1])
    assert np.array_equal(regular.source, irregular.source[:-1])
    assert np.array_equal(regular.target, irregular.target[:-1])


MALFORMED = {
    "too few columns": ("1 2 3\n\n4 5\n", 3, "has 2 columns where at least 3 are needed"),
    "time is a word": ("# top\n1 2 3\n4 5 soon\n", 3, "'soon' is not a number"),
    "time is an iso date": ("1,2,2020-01-02\n", 1, "is not a number; dates such as this one"),
    "time is another date": ("1,2,31/12/2020\n", 1, "'31/12/2020' is not a number; if it is a date, give its pattern"),
    "time is nan": ("1 2 nan\n", 1, "'nan' is not a number"),
    "time is infinite": ("1 2 3\n1 2 inf\n", 2, "'inf' is not a number"),
    "time is too large": ("1 2 3\n1 2 1e999\n", 2, "'1e999' is not a finite number"),
    "time is hexadecimal": ("1 2 3\n1 2 0x1F\n", 2, "'0x1F' is not a number"),
    "time has an underscore": ("1 2 3\n1 2 1_000\n", 2, "'1_000' is not a number"),
    "time is empty": ("1,2,3\n1,2,\n", 2, "'' is not a number"),
    "label is empty": ("1,2,3\n1,,3\n", 2, "the label is empty"),
    "label is blank": ("1,2,3\n1,2,4\n ,2,5\n", 3, "the label is empty"),
    "label has a NUL": ("a,b,1\na,b\0c,2\n", 2, "NUL"),
    "encoding": (b"a,b,1\n\xe9,b,2\n", 2, "not UTF-8"),
    "open quote": ('1,2,3\n"1,2,3\n4,5,6\n', 2, "cannot be cut into cells"),
    "comment below the top": ("1 2 3\n# more\n", 2, "columns"),
}


@pytest.mark.parametrize(("text", "line", "reason"), MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_line_is_named_with_what_is_wrong(read, text, line, reason):
    with pytest.raises(NetworkError) as error:
        read(text, header=False)
    assert f"contacts.txt:{line}: " in str(error.value)
    assert reason in str(error.value)


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress], ids=["gz", "bz2", "xz"])
def test_a_truncated_compressed_file_is_named(read, compress):
    whole = compress("".join(f"{i} {i + 1} {i * i}\n" for i in range(20_000)).encode())
    with pytest.raises(NetworkError, match=r"contacts.txt(:\d+)?: the file is cut short or damaged"):
        read(whole[: len(whole) // 2])


@pytest.mark.parametrize(
    ("text", "options", "sentence"),
    [
        # By position the weight would pass for the time.
        (WEIGHTED, {}, r"more than three columns \(source, target, weight, time\); give source, target"),
        # A first line whose time is missing is a row and not a header.
        *((f"a b {time}\nb c 2\n", {}, rf"contacts.txt:1: the time '{time}' is not a number") for time in NO_NUMBERS),
        (
            "# u v t\na b 2016-01-01 10:23:11\n",
            {"time_format": "iso"},
            r"contacts.txt:2: white space cuts the time of day '10:23:11' off its date",
        ),
        # As one quoted cell, `x\n2,3,6,` would leave a well-formed file of one row fewer.
        ('1,2,5,"x\n2,3,6,"y\n3,4,7,z\n', {}, r"contacts.txt:1: cannot be cut into cells"),
        (
            "u,v,t\n1,2,2004-12-01\n1,2,2004-13-01\n",
            {"time_format": "%Y-%m-%d"},
            r"contacts.txt:3: the time '2004-13-01' is not a date of the form %Y-%m-%d",
        ),
        ("", {}, "has no rows"),
        ("\n\n", {}, "has no rows"),
        ("# only\n# comments\n", {}, "has no rows"),
        ("source,target,time\n", {}, "has a header but no rows"),
        (b"PK\x03\x04rest", {}, "is a zip archive; unpack it"),
        ("Source,Target,T\na,b,1\n", {"columns": ["Sorce", "Target", "T"]}, "no column 'Sorce'; did you mean 'Source'"),
        ("1 2 3\n", {"time_format": "seconds"}, "time format 'seconds' is not known"),
        ("1 2 3\n", {"separator": "::"}, "separator '::': give one character"),
        ("1 2 3\n", {"separator": "é"}, "separator 'é': give one character"),
        ("1 2 3\n", {"separator": "\0"}, r"separator '\\x00': give one character"),
        ("1 2 3\n", {"columns": [0, 1, 2]}, "positions count from 1"),
        ("1 2 3\n", {"columns": [1, 2]}, "name three of them"),
        ("1 2 3\n", {"columns": [1, 2, 1]}, "name different ones"),
        ("1 2 3\n", {"prefixes": ["x:", "x:"]}, "give two that differ"),
        ("1 2 3\n", {"colums": [1, 2, 3]}, "delimited 'colums' is not known; did you mean 'columns'"),
    ],
)
def test_a_file_and_options_that_do_not_fit_are_refused(read, text, options, sentence):
    with pytest.raises(NetworkError, match=sentence):
        read(text, **options)


def test_an_unknown_format_is_answered_with_the_nearest(tmp_path):
    with pytest.raises(NetworkError, match="format 'konnect' is not known; did you mean 'konect'"):
        read_contacts(tmp_path, "konnect")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(NetworkError, match=r"nowhere.txt: no such file"):
        read_contacts(tmp_path / "nowhere.txt", "delimited")


@pytest.mark.parametrize(
    ("top", "format"),
    [
        ("% asym\n1 2 1 5\n", "konect"),
        ("%bip weighted\n1 2 1 5\n", "konect"),
        ("% user item time stars\n1 2 100 5\n", "delimited"),
        ('<?xml version="1.0"?><dblp/>', "dblp_xml"),
        ('{"user_id": "a"}\n', "yelp_json"),
        ("user_id,item_id,cat_id,seller_id\n", "tmall_log"),
        ("1 2 3\n", "delimited"),
        ("# SNAP\n1 2 3\n", "delimited"),
    ],
)
def test_the_format_is_guessed_from_the_first_bytes(tmp_path, top, format):
    path = tmp_path / "raw.gz"
    path.write_bytes(gzip.compress(top.encode()))
    assert guess_format(path) == format


@pytest.mark.parametrize(
    ("times", "options", "distinct", "merged"),
    [
        ([f"17000000000000000{i:02d}" for i in range(50)], {}, 50, 0),
        ([f"17000000000000000{i:02d}" for i in range(50)] + ["1.5"], {}, 2, 49),
        (["1", "1.0", "1.00", "2.5", "2.50"], {}, 2, 0),
        (["0.1", "0.10000000000000001", "0.2"], {}, 2, 1),
        ([f"2020-01-01T00:00:00.{i:09d}" for i in range(2000)], {"time_format": "iso"}, 2, 1998),
        (["2020-01-01T00:00:00Z", "2020-01-01T01:00:00+01:00"], {"time_format": "iso"}, 1, 0),
    ],
)
def test_times_that_fall_together_are_counted(read, times, options, distinct, merged):
    contacts = read("".join(f"a,b,{time}\n" for time in times), separator=",", **options)
    assert len(set(contacts.time.tolist())) == distinct
    assert contacts.facts.get("merged_times", 0) == merged


BAD = "a b 1\na b\nb c soon\nb c 2\na c 3\nc d 4\nc d never\n"


def test_bad_rows_are_skipped_counted_and_listed_up_to_the_number_allowed(read):
    contacts = read(BAD, skip_bad_rows=3)
    assert labeled(contacts) == [("a", "b", 1), ("b", "c", 2), ("a", "c", 3), ("c", "d", 4)]
    assert (contacts.rows, contacts.dropped) == (7, {"unreadable": 3})
    assert contacts.facts["skipped_lines"] == {
        "2": "has 2 columns where at least 3 are needed",
        "3": "the time 'soon' is not a number",
        "7": "the time 'never' is not a number",
    }


def test_one_bad_row_more_than_allowed_is_an_error(read):
    with pytest.raises(NetworkError, match=r"txt:7: the time 'never' is not a number \(one bad row more than the 2"):
        read(BAD, skip_bad_rows=2)
