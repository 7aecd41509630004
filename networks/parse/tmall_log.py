"""Tmall's log of the Double 11 sales (Tianchi dataset 42): a purchase is a contact of a user and an item.

Assumed of the source, as its users describe it: `user_log_format1.csv` has a header and the columns below; `time_stamp`
is the day as month and day without a year ("829" is 29 August), of May to November 2014; `action_type` is 0 for a
click, 1 for putting into the cart, 2 for a purchase, 3 for marking as favorite. The extract that the paper uses comes
from the same sales, but its exact rule was never published, so its counts need not come out.
"""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from networks.parse.contacts import Column, Contacts
from networks.parse.delimited import check_labels, read_cells
from networks.parse.encode import encode_labels
from networks.parse.layout import look_at_top
from networks.parse.times import UnreadableCellError, to_numbers

TMALL_HEADER = ("user_id", "item_id", "cat_id", "seller_id", "brand_id", "time_stamp", "action_type")
PREFIXES = ("user:", "item:")


def read_tmall_log(path: Path, *, action_type: int = 2, year: int = 2014) -> Contacts:
    """Read the actions of one type; the others are counted as dropped. Times are the seconds at which the day began."""
    layout = look_at_top(path, ("user_id", "item_id", "time_stamp", "action_type"), ",", header=True, comment="")

    def contacts_of(cells: list[Column]) -> Contacts:
        rows = len(cells[0])
        actions = to_numbers(cells[3], "number")
        rows_of_action = np.flatnonzero(actions == action_type)
        user, item, day = (column.take(rows_of_action) for column in cells[:3])
        try:
            codes = encode_labels(user, item, PREFIXES)
            check_labels(*codes, PREFIXES, layout)
            time = to_numbers(_dates(day, year), "%Y%m%d")
        except UnreadableCellError as error:
            reason = str(error)
            raise UnreadableCellError(rows_of_action[error.rows], lambda _: reason) from error
        dropped = {"another action": rows - len(rows_of_action)} if rows > len(rows_of_action) else {}
        return Contacts(*codes[:2], time, codes[2], rows, "seconds", dropped)

    return read_cells(path, layout, contacts_of, (None, None, None, None))


def _dates(days: Column, year: int) -> pa.ChunkedArray:
    """ "829" as "20140829"."""
    texts = pa.chunked_array([pa.array(days).cast(pa.string())]) if isinstance(days, np.ndarray) else days
    return pc.binary_join_element_wise(pa.scalar(str(year)), pc.utf8_lpad(texts, 4, "0"), pa.scalar(""))
