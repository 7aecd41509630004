"""What holds for every delimited file: what was written is read, whichever of the two readers does it."""

import csv
import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from networks.errors import NetworkError
from networks.parse import read_contacts
from networks.parse.cells import BadRows, cut_carefully, cut_fast
from networks.parse.integers import read_integers
from networks.parse.layout import look_at_top
from networks.prepare import network_of_contacts
from tests.conftest import labeled

words = st.text(st.characters(codec="utf-8", exclude_characters="\0\r\n", exclude_categories=["Cs"]), min_size=1)
labels = words.filter(lambda text: text == text.strip(" \t\v\f") and text)
numbers = st.integers(-3, 12).map(str) | st.sampled_from(["007", "+7", "-0", "00", "123456789012345678901"])
times = st.integers(-(2**62), 2**62)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Write text or bytes to a file, always the same one."""
    path = tmp_path_factory.mktemp("parse") / "contacts.csv"

    def written(contents):
        path.write_bytes(contents if isinstance(contents, bytes) else contents.encode())
        return path

    return written


def table(rows) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


@given(st.lists(st.tuples(labels | numbers, labels | numbers, times), min_size=1, max_size=20))
def test_any_label_and_time_written_as_csv_are_read_exactly(written, rows):
    path = written(table([("source", "target", "time"), *rows]))
    contacts = read_contacts(path, "delimited", {"separator": ",", "header": True})
    assert labeled(contacts) == rows
    assert contacts.time.dtype == np.int64
    assert len(set(contacts.labels.to_pylist())) == len(contacts.labels)


@given(st.lists(st.tuples(numbers, numbers, st.floats(allow_nan=False, allow_infinity=False)), min_size=1))
def test_times_with_fractions_are_read_exactly(written, rows):
    contacts = read_contacts(written("".join(f"{u} {v} {t!r}\n" for u, v, t in rows)), "delimited")
    assert contacts.time.tolist() == [t for _, _, t in rows]


@given(
    st.lists(st.tuples(numbers, numbers, st.integers(0, 99).map(str)), min_size=1),
    st.lists(st.text(" \t", min_size=1, max_size=3), min_size=1),
)
def test_white_space_of_any_width_separates(written, rows, gaps):
    lines = [gaps[i % len(gaps)].join(row) for i, row in enumerate(rows)]
    contacts = read_contacts(written("\n".join(lines)), "delimited", {"separator": "whitespace", "header": False})
    assert labeled(contacts) == [(u, v, int(t)) for u, v, t in rows]


lines = st.text(st.sampled_from('0123456789ab,." \t-'), max_size=12) | st.text(st.sampled_from("12 ,\n\r"), max_size=40)


@given(
    lines,
    st.sampled_from([",", "whitespace"]),
    st.sampled_from([(1, 2, 3), (2, 4, 1)]),
    st.sampled_from(["1,2,3,4", "1 2 3 4"]),
)
def test_all_readers_cut_a_file_alike(written, text, separator, columns, first):
    """The fast readers may give up on a file, but where they do not, they find what the line-by-line reader finds.

    Cells that are empty or hold white space are left out: they are refused later, or trimmed.
    """
    path = written(f"{first}\n{text}\n")
    layout = look_at_top(path, columns, separator, header=False)
    for cut in (cut_fast, read_integers):
        fast = cut(path, layout)
        if fast is not None and all(
            text and not set(text) & set(" \t") for column in fast for text in texts_of(column)
        ):
            careful, _ = cut_carefully(path, layout, (None, None, None), BadRows(path))
            assert [texts_of(column) for column in fast] == [column.to_pylist() for column in careful]


def texts_of(column):
    return [str(value) for value in (column.tolist() if isinstance(column, np.ndarray) else column.to_pylist())]


@given(st.lists(st.tuples(*[st.integers(-(10**17), 10**17)] * 3), min_size=1, max_size=40), st.sampled_from(["", "\n"]))
def test_a_table_of_plain_integers_is_read_by_the_fastest_reader(written, rows, end):
    path = written("# top\n" + "\n".join(f"{u}\t{v}\t{t}\tx y" for u, v, t in rows) + end)
    columns = read_integers(path, look_at_top(path, (1, 2, 3), header=False))
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == rows


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused_in_one_sentence(written, contents):
    path = written(contents)
    try:
        contacts = read_contacts(path, "delimited")
    except NetworkError as error:
        assert str(error).startswith(str(path))
        assert "\n" not in str(error)
    else:
        assert len(contacts.source) == len(contacts.target) == len(contacts.time) == contacts.rows > 0


@given(st.lists(st.tuples(numbers, numbers, st.integers(0, 5)), min_size=1, max_size=30))
def test_preparing_keeps_every_contact_and_sorts_them(written, rows):
    contacts = read_contacts(written("".join(f"{u} {v} {t}\n" for u, v, t in rows)), "delimited")
    expected = sorted(((u, v, t) for u, v, t in rows if u != v), key=lambda row: row[2])
    if not expected:
        return
    network = network_of_contacts(contacts, "any")
    assert labeled(network) == expected
    assert network.facts["dropped"].get("self loop", 0) == len(rows) - len(expected)
    ends = np.stack([network.source, network.target], axis=1).ravel()
    first_seen = list(dict.fromkeys(ends.tolist()))
    assert first_seen == list(range(network.n_nodes))
