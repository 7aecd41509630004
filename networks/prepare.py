"""Prepare: raw contacts become a TemporalNetwork (no self loops, sorted by time, nodes 0..n-1)."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pyarrow as pa

from harness.files import write_json
from networks.audit import audit
from networks.catalog import Entry
from networks.errors import NetworkError
from networks.fetch.obtain import fetch
from networks.network import IntArray, TemporalNetwork, TimeArray, overflowing_span
from networks.parse import Contacts, guess_format, read_contacts
from networks.recognise import format_of
from networks.synthetic import generate

SELF_LOOP = "self loop"
# Rows are counted in int32 throughout (the adjacency names a contact by its row).
MOST_ROWS = np.iinfo(np.int32).max


def prepare_entry(entry: Entry, downloads: Path, mirror: str | None = None) -> TemporalNetwork:
    """Fetch a network of the catalog (or generate it) and prepare it."""
    if entry.generate is not None:
        return replace(generate(**entry.generate), name=entry.name)
    raw = fetch(entry, downloads, mirror)
    return prepare_file(raw, entry.name, *format_of(entry, raw))


def prepare_file(
    path: Path, name: str = "", format: str | None = None, options: Mapping[str, Any] | None = None
) -> TemporalNetwork:
    """Read any raw file; without a format it is guessed. Options are those of the format, or of delimited text."""
    if format is None:
        format = guess_format(path)
        if options and format != "delimited":
            # With columns named, it is the user who knows the format; without, the third column may not be the time.
            if "columns" not in options:
                raise NetworkError(f"{path}: looks like {format}; leave out all options, or name the columns as well")
            format = "delimited"
    elif format == "delimited" and "columns" not in (options or {}) and guess_format(path) == "konect":
        raise NetworkError(f"{path}: looks like konect, where a weight is third; give that format, or name the columns")
    contacts = read_contacts(path, format, options)
    try:
        network = network_of_contacts(contacts, name or network_name(path))
    except NetworkError as error:
        raise NetworkError(f"{path}: {error}") from error
    network.facts.update(file=path.name, format=format, options=dict(options or {}))
    return network


def write_prepared(
    network: TemporalNetwork, folder: Path, paper: dict[str, int] | None = None, raw_file: Path | None = None
) -> dict[str, Any]:
    """Write network.arrow and audit.json; return the audit."""
    network.save(folder / "network.arrow")
    report = audit(network, paper, raw_file)
    write_json(folder / "audit.json", report)
    return report


def network_name(path: Path) -> str:
    """What to call the network of this file: email-Eu.txt.gz gives "email-Eu", KONECT's out.digg gives "digg"."""
    stem = re.sub(r"(\.(txt|csv|tsv|json|xml|log|dat|gz|bz2|xz))+$", "", path.name)
    return stem.removeprefix("out.") or path.name


def network_of_contacts(contacts: Contacts, name: str) -> TemporalNetwork:
    """Drop self loops, sort by time (ties keep the order of the source), number nodes as they first appear then.

    A node known only from dropped rows is not in the network; `facts` tells how many there are.
    """
    contacts = contacts.without(contacts.source == contacts.target, SELF_LOOP)
    if len(contacts.source) == 0:
        reasons = "".join(f", {count} dropped for: {reason}" for reason, count in contacts.dropped.items())
        raise NetworkError(f"no contact between two nodes is left ({contacts.rows} rows{reasons})")
    if len(contacts.source) > MOST_ROWS:
        raise NetworkError(f"has {len(contacts.source)} contacts, of which at most {MOST_ROWS} can be stored")
    source, target, time = sorted_by_time(contacts.source, contacts.target, contacts.time)
    if (problem := overflowing_span(time)) is not None:
        raise NetworkError(problem)
    source, target, first_seen = _renumber(source, target, len(contacts.labels))
    facts = {
        "rows": contacts.rows,
        "dropped": contacts.dropped,
        "labels_in_source": len(contacts.labels),
        "time_unit": contacts.time_unit,
        **contacts.facts,
    }
    return TemporalNetwork(source, target, time, contacts.labels.take(pa.array(first_seen)), name, facts)


def sorted_by_time(source: IntArray, target: IntArray, time: TimeArray) -> tuple[IntArray, IntArray, TimeArray]:
    """The three columns in order of time, ties in the order in which they came.

    Where time and row fit together into 63 bits, sorting these numbers gives the same order as a stable argsort of the
    time, in a fifth of its time (numpy sorts plain integers with vector instructions).
    """
    if bool(np.all(time[1:] >= time[:-1])):
        return source, target, time
    row_bits = len(time).bit_length()
    if time.dtype != np.int64 or (int(time.max()) - int(time.min())).bit_length() + row_bits > 63:
        order = np.argsort(time, kind="stable")
        return source[order], target[order], time[order]
    first = time.min()
    # In place: new arrays of this size cost as much as the arithmetic.
    keys = time - first
    keys <<= row_bits
    keys |= np.arange(len(time))
    keys.sort()
    rows = keys & ((1 << row_bits) - 1)
    keys >>= row_bits
    keys += first
    return source.take(rows), target.take(rows), keys


@numba.njit(cache=True)
def _renumber(source, target, n_codes):
    """Number codes in the order in which they first appear, the source before the target of a row."""
    number = np.full(n_codes, -1, dtype=np.int32)
    first_seen = np.empty(n_codes, dtype=np.int32)
    count = 0
    new_source = np.empty(len(source), dtype=np.int32)
    new_target = np.empty(len(target), dtype=np.int32)
    for row in range(len(source)):
        u, v = source[row], target[row]
        if number[u] < 0:
            number[u] = count
            first_seen[count] = u
            count += 1
        if number[v] < 0:
            number[v] = count
            first_seen[count] = v
            count += 1
        new_source[row], new_target[row] = number[u], number[v]
    return new_source, new_target, first_seen[:count].copy()
