"""Delimited text: SNAP, HTNE, CSV and their likes."""

import bz2
import gzip
import lzma

import numpy as np
import pytest

from datasets.errors import DatasetError
from datasets.parse import guess_format, read_contacts
from datasets.parse.contacts import Contacts


@pytest.fixture
def read(tmp_path):
    """Write `text` (or bytes) to a file and read its contacts."""

    def read(text: str | bytes, **options) -> Contacts:
        path = tmp_path / "contacts.txt"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_contacts(path, "delimited", options)

    return read


def rows(contacts: Contacts) -> list[tuple[str, str, float]]:
    labels = contacts.labels.to_pylist()
    return [(labels[u], labels[v], t) for u, v, t in zip(contacts.source, contacts.target, contacts.time, strict=True)]


def test_source_target_time_are_the_first_three_columns(read):
    contacts = read("1 2 10\n2 3 5\n1 2 10\n")
    assert rows(contacts) == [("1", "2", 10), ("2", "3", 5), ("1", "2", 10)]
    assert contacts.time.dtype == np.int64
    assert contacts.rows == 3


def test_a_column_after_the_time_is_ignored(read):
    assert rows(read("1 2 10 MT\n2 1 11 RE\n")) == [("1", "2", 10), ("2", "1", 11)]


def test_comments_at_the_top_are_skipped(read):
    assert rows(read("# Nodes: 2\n# u v t\n\n1 2 3\n")) == [("1", "2", 3)]


def test_a_line_below_the_top_that_begins_like_a_comment_is_a_row(read):
    assert rows(read("ann #python 3\n#python ann 4\n", header=False)) == [("ann", "#python", 3), ("#python", "ann", 4)]


def test_comment_lines_are_counted_because_a_row_may_look_like_one(read):
    assert read("#news bob 1\n#news ann 2\n1 2 3\n").facts == {"comment_lines": 2}
    assert read("1 2 3\n").facts == {}


@pytest.mark.parametrize("separator", [" ", "\t", ",", ";"])
def test_the_separator_is_seen_from_the_first_line(read, separator):
    assert rows(read(f"a{separator}b{separator}1\nb{separator}c{separator}2\n", header=False)) == [
        ("a", "b", 1),
        ("b", "c", 2),
    ]


def test_runs_of_mixed_white_space_separate_like_one_space(read):
    assert rows(read("  1 \t2   10\n2\t3 11 \n\n   \n4 5\t12\n")) == [("1", "2", 10), ("2", "3", 11), ("4", "5", 12)]


def test_double_spaces_do_not_shift_the_columns(read):
    """Cut at single spaces, every line would have five cells and the weight would pass for the time."""
    assert rows(read("1 2  1 100\n3 4  1 200\n", columns=[1, 2, 4])) == [("1", "2", 100), ("3", "4", 200)]


def test_a_tab_inside_a_skipped_cell_does_not_shift_the_columns(read):
    assert rows(read("1 2 3\t9 4\n5 6 7\t8 9\n", columns=[1, 2, 4], separator="whitespace")) == [
        ("1", "2", 9),
        ("5", "6", 8),
    ]


def test_columns_are_chosen_by_position_counted_from_one(read):
    assert rows(read("10,x,1,2\n11,x,2,3\n", columns=[3, 4, 1])) == [("1", "2", 10), ("2", "3", 11)]


def test_columns_are_chosen_by_name(read):
    assert rows(read("t,to,from\n5,a,b\n", columns=["from", "to", "t"])) == [("b", "a", 5)]


def test_a_first_line_without_any_number_is_a_header(read):
    contacts = read("source,target,time\na,b,5\n")
    assert rows(contacts) == [("a", "b", 5)]
    assert contacts.facts["header"] == ["source", "target", "time"]


def test_a_header_of_more_than_three_names_asks_for_the_columns(read):
    """By position the weight would pass for the time."""
    text = "source,target,weight,time\na,b,1,100\n"
    with pytest.raises(
        DatasetError, match=r"more than three columns \(source, target, weight, time\); give source, target"
    ):
        read(text)
    assert rows(read(text, columns=["source", "target", "time"])) == [("a", "b", 100)]
    assert rows(read(text, columns=[1, 2, 4])) == [("a", "b", 100)]


@pytest.mark.parametrize("time", ["nan", "NaN", "-inf", "Infinity"])
def test_a_first_line_with_a_missing_time_is_a_row_and_not_a_header(read, time):
    with pytest.raises(DatasetError, match=rf"contacts.txt:1: the time '{time}' is not a number"):
        read(f"a b {time}\nb c 2\n")


def test_a_time_of_day_that_white_space_cuts_off_its_date_is_not_lost(read):
    with pytest.raises(DatasetError, match=r"contacts.txt:2: white space cuts the time of day '10:23:11' off its date"):
        read("# u v t\na b 2016-01-01 10:23:11\n", time_format="iso")
    assert read("a,b,1970-01-01 10:23:11\n", time_format="iso").time.tolist() == [37391]
    assert read("a b 1970-01-02 MT\n", time_format="iso").time.tolist() == [86400]


def test_a_first_line_without_any_number_but_with_a_date_is_a_row(read):
    text = "ann,bob,Jan 02 1970\nbob,cy,Feb 01 1970\n"
    assert rows(read(text, time_format="%b %d %Y")) == [("ann", "bob", 86400), ("bob", "cy", 31 * 86400)]


def test_labels_are_kept_exactly(read):
    contacts = read('007,7,1\n"Zoë, Ann",Ann Lee,2\nNA,null,3\n', header=False)
    assert rows(contacts) == [("007", "7", 1), ("Zoë, Ann", "Ann Lee", 2), ("NA", "null", 3)]


def test_leading_zeros_tell_labels_apart_in_a_file_of_numbers(read):
    assert len(read("1 01 5\n1 001 6\n").labels) == 3


def test_negative_huge_and_sparse_integers_are_labels(read):
    contacts = read("-5 123456789012345678901 1\n0 999999999999999999 2\n-0 0 3\n")
    assert rows(contacts)[0][:2] == ("-5", "123456789012345678901")
    assert rows(contacts)[2][:2] == ("-0", "0")


def test_far_apart_integers_are_encoded_as_labels(read):
    assert rows(read("1 900000000000000000 1\n900000000000000000 2 2\n")) == [
        ("1", "900000000000000000", 1),
        ("900000000000000000", "2", 2),
    ]


def test_spaces_around_a_cell_are_not_part_of_the_label(read):
    contacts = read("a, b, 1\nb , a,2\n", header=False)
    assert contacts.labels.to_pylist() == ["a", "b"]
    assert rows(contacts) == [("a", "b", 1), ("b", "a", 2)]


def test_times_with_fractions_are_floats(read):
    contacts = read("6,2,4,1289241911.72836\n6,5,2,1289241941\n", columns=[1, 2, 4])
    assert contacts.time.dtype == np.float64
    assert contacts.time.tolist() == [1289241911.72836, 1289241941.0]


def test_negative_and_padded_times_are_integers(read):
    contacts = read("1,2, -5\n1,2,007\n")
    assert contacts.time.dtype == np.int64
    assert contacts.time.tolist() == [-5, 7]


def test_dates_become_seconds_since_1970(read):
    contacts = read(
        "Source,Target,Timestamp\n1,2,04/15/04 02:56 PM\n2,3,01/01/70 12:01 AM\n", time_format="%m/%d/%y %I:%M %p"
    )
    assert contacts.time.tolist() == [1082040960, 60]
    assert contacts.time_unit == "seconds"


def test_iso_dates_are_taken_as_utc_unless_they_say_otherwise(read):
    contacts = read("a,b,1970-01-02\na,b,1970-01-01T01:00:00+01:00\na,b,1970-01-01 00:00:01\n", time_format="iso")
    assert contacts.time.tolist() == [86400, 0, 1]
    assert contacts.time.dtype == np.int64


def test_dates_with_fractions_of_a_second_are_floats(read):
    assert read("a,b,1970-01-01T00:00:00.250\n", time_format="iso").time.tolist() == [0.25]


def test_years_stay_years(read):
    contacts = read("a b 1967\nb c 2010\n", time_format="year")
    assert contacts.time.tolist() == [1967, 2010]
    assert contacts.time_unit == "years"


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress], ids=["gz", "bz2", "xz"])
def test_compression_is_told_by_content_not_by_name(read, compress):
    assert rows(read(compress(b"1 2 3\n"))) == [("1", "2", 3)]


def test_a_plain_file_may_be_called_gz(tmp_path):
    path = tmp_path / "contacts.gz"
    path.write_text("1 2 3\n")
    assert rows(read_contacts(path, "delimited")) == [("1", "2", 3)]


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_other_line_ends_are_read(read, end):
    assert rows(read(f"1 2 3{end}2 3 4{end}")) == [("1", "2", 3), ("2", "3", 4)]


def test_a_byte_order_mark_is_not_part_of_the_first_label(read):
    assert rows(read("\ufeff1,2,3\n")) == [("1", "2", 3)]


def test_both_sides_of_a_bipartite_network_are_kept_apart(read):
    contacts = read("1 1 5\n2 1 6\n", prefixes=["user:", "item:"])
    assert rows(contacts) == [("user:1", "item:1", 5), ("user:2", "item:1", 6)]
    assert not set(contacts.source) & set(contacts.target)


def test_a_large_regular_file_gives_the_same_rows_as_its_irregular_twin(read):
    """More than one block for Arrow, and more than one chunk for the line-by-line reader."""
    lines = [f"{i % 977} {i % 1013 + 2000} {i}" for i in range(150_000)]
    regular = read("\n".join(lines) + "\n")
    irregular = read("\n".join(lines) + "  \n 1  2 3\n")
    assert np.array_equal(regular.time, irregular.time[:-1])
    assert np.array_equal(regular.source, irregular.source[:-1])
    assert np.array_equal(regular.target, irregular.target[:-1])


def test_an_open_quote_swallows_no_rows(read):
    """As one quoted cell, `x\\n2,3,6,` would leave a well-formed file of one row fewer."""
    with pytest.raises(DatasetError, match=r"contacts.txt:1: cannot be cut into cells"):
        read('1,2,5,"x\n2,3,6,"y\n3,4,7,z\n')


MALFORMED = {
    "too few columns": ("1 2 3\n\n4 5\n", 3, "has 2 columns where at least 3 are needed"),
    "time is a word": ("# top\n1 2 3\n4 5 soon\n", 3, "'soon' is not a number"),
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
    with pytest.raises(DatasetError) as error:
        read(text, header=False)
    assert f"contacts.txt:{line}: " in str(error.value)
    assert reason in str(error.value)


def test_a_date_that_does_not_fit_its_format_is_named(read):
    with pytest.raises(DatasetError, match=r"contacts.txt:3: the time '2004-13-01' is not a date of the form %Y-%m-%d"):
        read("u,v,t\n1,2,2004-12-01\n1,2,2004-13-01\n", time_format="%Y-%m-%d")


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress], ids=["gz", "bz2", "xz"])
def test_a_truncated_compressed_file_is_named(read, compress):
    whole = compress("".join(f"{i} {i + 1} {i * i}\n" for i in range(20_000)).encode())
    with pytest.raises(DatasetError, match=r"contacts.txt(:\d+)?: the file is cut short or damaged"):
        read(whole[: len(whole) // 2])


@pytest.mark.parametrize("text", ["", "\n\n", "# only\n# comments\n"])
def test_a_file_without_rows_is_refused(read, text):
    with pytest.raises(DatasetError, match="has no rows"):
        read(text)


def test_a_header_without_rows_is_refused(read):
    with pytest.raises(DatasetError, match="has a header but no rows"):
        read("source,target,time\n")


def test_an_archive_is_not_a_text_file(read):
    with pytest.raises(DatasetError, match="is a zip archive; unpack it"):
        read(b"PK\x03\x04rest")


def test_an_unknown_column_is_answered_with_the_nearest(read):
    with pytest.raises(DatasetError, match="has no column 'Sorce'; did you mean 'Source'"):
        read("Source,Target,Time\na,b,1\n", columns=["Sorce", "Target", "Time"])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"time_format": "seconds"}, "time format 'seconds' is not known"),
        ({"separator": "::"}, "separator '::': give one character"),
        ({"separator": "é"}, "separator 'é': give one character"),
        ({"separator": "\0"}, r"separator '\\x00': give one character"),
        ({"columns": [0, 1, 2]}, "positions count from 1"),
        ({"columns": [1, 2]}, "name three of them"),
        ({"columns": [1, 2, 1]}, "name different ones"),
        ({"prefixes": ["x:", "x:"]}, "give two that differ"),
        ({"colums": [1, 2, 3]}, "option of format delimited 'colums' is not known; did you mean 'columns'"),
    ],
)
def test_options_that_make_no_sense_are_refused(read, options, words):
    with pytest.raises(DatasetError, match=words):
        read("1 2 3\n", **options)


def test_an_unknown_format_is_answered_with_the_nearest(tmp_path):
    with pytest.raises(DatasetError, match="format 'konnect' is not known; did you mean 'konect'"):
        read_contacts(tmp_path, "konnect")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(DatasetError, match=r"nowhere.txt: no such file"):
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
