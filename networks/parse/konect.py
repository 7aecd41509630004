"""KONECT's `out.*` files: a `%` header, then source, target, weight and unix seconds, of which the last may lack."""

import re
from pathlib import Path

import numpy as np

from networks.parse.contacts import Column, Contacts
from networks.parse.delimited import check_labels, read_cells
from networks.parse.encode import encode_labels
from networks.parse.layout import WHITESPACE, look_at_top
from networks.parse.times import to_numbers

NO_TIME = "no time"
# The first line says of which kind the network is; a line that only begins with % is anybody's comment.
KONECT_TOP = re.compile(rb"%\s*(sym|asym|bip)\b")


def read_konect(path: Path) -> Contacts:
    """Read contacts; rows whose time is missing or 0 (KONECT's word for unknown) are dropped and counted.

    A contact has no weight here: weights other than 1 are counted and ignored. In a file that calls itself `bip`,
    both sides are numbered from 1, so their labels get the prefixes "left:" and "right:".
    """
    layout = look_at_top(path, (1, 2, 4, 3), WHITESPACE, header=False, comment="%")
    header = [line.strip("% \t") for line in layout.comments]
    prefixes = ("left:", "right:") if header and header[0].split()[:1] == ["bip"] else None

    def contacts_of(cells: list[Column]) -> Contacts:
        source, target, time, weight = cells
        codes = encode_labels(source, target, prefixes)
        check_labels(*codes, prefixes or ("", ""), layout)
        times = to_numbers(time, "unix")
        weights = to_numbers(weight, "number")
        facts = {"header": header, "weights_other_than_1": int(np.count_nonzero(weights != 1))}
        contacts = Contacts(*codes[:2], times, codes[2], len(times), "seconds", facts=facts)
        return contacts.without(times == 0, NO_TIME)

    return read_cells(path, layout, contacts_of, (None, None, "0", "1"))
