"""Parsers: `read_contacts` turns a raw file of any known format into Contacts.

A parser is a function of a path and of keyword options; adding a format is adding a function to FORMATS.
"""

import inspect
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from harness.schema import nearest
from networks.errors import NetworkError
from networks.parse.contacts import Contacts
from networks.parse.dblp_xml import read_dblp_xml
from networks.parse.delimited import read_delimited
from networks.parse.konect import KONECT_TOP, read_konect
from networks.parse.raw_file import open_raw
from networks.parse.tmall_log import TMALL_HEADER, read_tmall_log
from networks.parse.yelp_json import read_yelp_json

__all__ = ["FORMATS", "TOP_BYTES", "Contacts", "format_of_top", "guess_format", "read_contacts", "top_of"]

TOP_BYTES = 4096

FORMATS: dict[str, Callable[..., Contacts]] = {
    "delimited": read_delimited,
    "konect": read_konect,
    "dblp_xml": read_dblp_xml,
    "yelp_json": read_yelp_json,
    "tmall_log": read_tmall_log,
}


def read_contacts(path: Path, format: str, options: Mapping[str, Any] | None = None) -> Contacts:
    """Read a raw file; unknown formats and options are answered with the nearest known one."""
    reader = FORMATS[_known(format, FORMATS, "format")]
    known = [name for name in inspect.signature(reader).parameters if name != "path"]
    for option in options or {}:
        _known(option, known, f"option of format {format}")
    return reader(path, **(options or {}))


def guess_format(path: Path) -> str:
    """The format that the first bytes point to; whatever is not recognized is delimited text."""
    return format_of_top(top_of(path))


def top_of(path: Path) -> bytes:
    """The first bytes, expanded if the file is compressed."""
    with open_raw(path) as file:
        return file.read(TOP_BYTES)


def format_of_top(top: bytes) -> str:
    """The format of a file that begins so."""
    top = top.removeprefix(b"\xef\xbb\xbf").lstrip()
    if KONECT_TOP.match(top):
        return "konect"
    if top.startswith((b"<?xml", b"<!DOCTYPE dblp", b"<dblp")):
        return "dblp_xml"
    if top.startswith(b"{"):
        return "yelp_json"
    if top.startswith(",".join(TMALL_HEADER[:3]).encode()):
        return "tmall_log"
    return "delimited"


def _known(name: str, names: Any, kind: str) -> str:
    if name in names:
        return name
    raise NetworkError(f"{kind} {name!r} is not known{nearest(name, names)}")
