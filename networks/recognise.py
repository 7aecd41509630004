"""Recognise a network's raw file by its first bytes and its counts, whatever it is called."""

import shutil
from pathlib import Path
from typing import Any

from harness.files import atomic_path
from networks.catalog import Entry
from networks.errors import NetworkError
from networks.fetch.expansion import BLOCK_BYTES, decompressor_for
from networks.fetch.extract import check_compressed, contents, reading
from networks.parse import TOP_BYTES, format_of_top, guess_format, read_contacts, top_of

# What the first bytes hold besides what the format is guessed from: others write XML and JSON, too.
MARKS = {"dblp_xml": b"dblp", "yelp_json": b'"review_id"'}


def format_of(entry: Entry, raw: Path) -> tuple[str, dict[str, Any]]:
    """The format and the options with which the raw file is read: some networks come in one of two formats."""
    if entry.otherwise is not None and guess_format(raw) == entry.otherwise:
        return entry.otherwise, {}
    return entry.format, entry.options


def check_counts(entry: Entry, raw: Path) -> bool:
    """Refuse a file that has not the counts of the catalog; False if none are stated for its format."""
    format, options = format_of(entry, raw)
    if entry.counts is None or format != entry.format:
        return False
    contacts = read_contacts(raw, format, options)
    found = {"nodes": len(contacts.labels), "edges": contacts.rows}
    if found != entry.counts:
        told, wanted = ("{nodes:,} nodes and {edges:,} contacts".format(**counts) for counts in (found, entry.counts))
        raise NetworkError(
            f"{raw}: has {told}, but {entry.name} has {wanted}; to use it as it is, make it a network of your own"
        )
    return True


def recognise(entry: Entry, file: Path, raw: Path) -> bool:
    """Make the raw file from a file (or the archive around it) if that is it; return whether its counts show that."""
    reasons = []
    with atomic_path(raw) as temporary:
        for member, source in contents(file):
            with reading(file), temporary.open("wb") as target:
                top = source.read(TOP_BYTES)
                # An archive may hold gigabytes that are not wanted.
                if member and decompressor_for(top) is None and not _is_like(entry, top):
                    continue
                target.write(top)
                shutil.copyfileobj(source, target, BLOCK_BYTES)
            try:
                return _check(entry, temporary, raw)
            except NetworkError as error:
                reasons.append(str(error).replace(str(temporary), f"{file}: {member}" if member else str(file)))
        known = " or ".join(filter(None, (entry.format, entry.otherwise)))
        raise NetworkError("; ".join(reasons[:3]) or f"{file}: holds no file like {entry.name}, which comes as {known}")


def _check(entry: Entry, file: Path, raw: Path) -> bool:
    top = top_of(file)
    if not _is_like(entry, top):
        known = " or ".join(filter(None, (entry.format, entry.otherwise)))
        raise NetworkError(f"{file}: looks like {format_of_top(top)}, but {entry.name} comes as {known}")
    check_compressed(file)
    is_counted = check_counts(entry, file)
    if not is_counted and format_of_top(top) == "delimited":
        raise NetworkError(f"{file}: nothing in it tells that it is {entry.name}; if it is, call it {raw.name}")
    return is_counted


def _is_like(entry: Entry, top: bytes) -> bool:
    format = format_of_top(top)
    return format in (entry.format, entry.otherwise) and MARKS.get(format, b"") in top
