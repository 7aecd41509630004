"""Parsers: `read_contacts` turns a raw file of any known format into Contacts.

A parser is a function of a path and of keyword options; adding a format is adding a function to FORMATS.
"""

import inspect
from collections.abc import Callable, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from datasets.errors import DatasetError
from datasets.parse.contacts import Contacts
from datasets.parse.dblp_xml import read_dblp_xml
from datasets.parse.delimited import read_delimited
from datasets.parse.konect import KONECT_TOP, read_konect
from datasets.parse.raw_file import open_raw
from datasets.parse.tmall_log import TMALL_HEADER, read_tmall_log
from datasets.parse.yelp_json import read_yelp_json

__all__ = ["FORMATS", "Contacts", "guess_format", "read_contacts"]

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
    with open_raw(path) as file:
        top = file.read(4096).removeprefix(b"\xef\xbb\xbf").lstrip()
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
    near = get_close_matches(name, list(names), n=1, cutoff=0.0)
    raise DatasetError(f"{kind} {name!r} is not known" + (f"; did you mean {near[0]!r}?" if near else ""))
