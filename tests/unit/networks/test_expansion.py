"""A few bytes never turn into gigabytes: every parser refuses a compressed file that expands beyond all reason."""

import bz2
import gzip
import io
import lzma

import pytest

from networks.errors import NetworkError
from networks.fetch import expansion
from networks.parse import FORMATS, read_contacts
from networks.parse.cells import cut_fast
from networks.parse.layout import look_at_top
from networks.parse.tmall_log import TMALL_HEADER

MIB = 1 << 20
PAPER = b"<article><author>a</author><author>b</author><year>2000</year></article>\n"
# What stands at the top, a row that may be repeated, and what stands at the end.
DOCUMENTS = {
    "integers": ("delimited", b"", b"1 2 3\n", b""),
    "words": ("delimited", b"", b"ann bob 3\n", b""),
    "cells": ("delimited", b"", b"ann,bob,3\n", b""),
    "quoted cells": ("delimited", b"", b'"ann",bob,3\n', b""),
    "only comments": ("delimited", b"", b"# nothing\n", b"1 2 3\n"),
    "konect": ("konect", b"% sym\n", b"1 2 1 5\n", b""),
    "dblp_xml": ("dblp_xml", b"<dblp>", PAPER, b"</dblp>"),
    "yelp_json": ("yelp_json", b"", b'{"user_id": "u", "business_id": "b", "date": "2020-01-02"}\n', b""),
    "tmall_log": ("tmall_log", ",".join(TMALL_HEADER).encode() + b"\n", b"1,2,3,4,5,829,2\n", b""),
}
COMPRESSIONS = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress}


@pytest.fixture(autouse=True)
def low_limits(monkeypatch):
    """A bomb is what expands to more than a MiB and more than 200-fold."""
    monkeypatch.setattr(expansion, "HARMLESS_BYTES", MIB)


def document(kind: str, size: int) -> bytes:
    _, top, row, end = DOCUMENTS[kind]
    return top + row * (size // len(row)) + end


def test_every_format_has_a_bomb():
    assert {format for format, *_ in DOCUMENTS.values()} == set(FORMATS)


@pytest.mark.parametrize("compression", COMPRESSIONS)
@pytest.mark.parametrize("kind", DOCUMENTS)
def test_a_parser_refuses_a_bomb_whatever_its_name(tmp_path, kind, compression):
    path = tmp_path / "contacts.txt"
    path.write_bytes(COMPRESSIONS[compression](document(kind, 4 * MIB)))
    most = max(MIB, 200 * path.stat().st_size)
    with pytest.raises(NetworkError) as refusal:
        read_contacts(path, DOCUMENTS[kind][0])
    assert str(refusal.value) == (
        f"{path}: expands to more than {most} bytes, as no network does; if it is right, unpack it yourself"
    )


def test_a_bomb_is_refused_by_the_fast_reader_and_not_read_again_line_by_line(tmp_path):
    path = tmp_path / "contacts.csv"
    path.write_bytes(gzip.compress(document("cells", 4 * MIB)))
    with pytest.raises(NetworkError, match="as no network does"):
        cut_fast(path, look_at_top(path, (1, 2, 3)))


@pytest.mark.parametrize("kind", DOCUMENTS)
def test_what_a_parser_reads_of_a_dense_file_below_the_limit_is_what_the_plain_file_holds(tmp_path, kind):
    format = DOCUMENTS[kind][0]
    plain, packed = tmp_path / "plain", tmp_path / "packed"
    plain.write_bytes(document(kind, MIB - 1000))
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    ours, theirs = read_contacts(packed, format), read_contacts(plain, format)
    assert ours.rows == theirs.rows > 0
    assert ours.time.tolist() == theirs.time.tolist()


def test_a_plain_file_may_be_as_repetitive_as_it_likes(tmp_path):
    path = tmp_path / "contacts.gz"
    path.write_bytes(document("integers", 4 * MIB))
    assert read_contacts(path, "delimited").rows == 4 * MIB // 6


def test_closing_the_limited_stream_closes_the_one_below(tmp_path):
    below = io.BytesIO(b"1 2 3\n")
    with expansion.limited(below, tmp_path) as limited:
        assert limited.read() == b"1 2 3\n"
    assert below.closed
