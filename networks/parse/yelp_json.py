"""Yelp's open dataset: reviews as JSON lines; a review is a contact of a user and a business."""

import json
from pathlib import Path

import pyarrow as pa

from networks.errors import NetworkError
from networks.parse.contacts import Contacts
from networks.parse.encode import encode_labels
from networks.parse.raw_file import numbered_lines, refuse_undecodable
from networks.parse.times import UnreadableCellError, to_numbers

ROWS_PER_CHUNK = 1 << 16
FIELDS = ("user_id", "business_id", "date")
PREFIXES = ("user:", "business:")


def read_yelp_json(path: Path) -> Contacts:
    """Read `yelp_academic_dataset_review.json` (called `review.json` in some rounds).

    Every line is an object with, among others, `user_id`, `business_id` and `date`, which is a day in the older rounds
    and a second ("2018-07-07 22:09:11") in the newer; both are taken as UTC.
    """
    chunks: list[list[pa.Array]] = [[], [], []]
    cells: list[list[str]] = [[], [], []]
    lines: list[int] = []

    def store() -> None:
        for column, values in zip(chunks, cells, strict=True):
            column.append(pa.array(values, pa.string()))
            values.clear()

    for number, line in numbered_lines(path):
        if not line.strip():
            continue
        try:
            review = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise NetworkError(f"{path}:{number}: is not JSON ({error})") from error
        for values, field in zip(cells, FIELDS, strict=True):
            value = review.get(field) if isinstance(review, dict) else None
            if not isinstance(value, str) or not value.strip():
                raise NetworkError(f"{path}:{number}: is not a review, it has no {field}")
            # JSON can spell half a character ("\\ud800"), which is no text.
            refuse_undecodable(path, number, value)
            values.append(value)
        lines.append(number)
        if len(lines) % ROWS_PER_CHUNK == 0:
            store()
    store()
    user, business, date = (pa.chunked_array(column, pa.string()) for column in chunks)
    try:
        time = to_numbers(date, "iso")
    except UnreadableCellError as error:
        raise NetworkError(f"{path}:{lines[error.rows[0]]}: {error}") from error
    users, businesses, labels = encode_labels(user, business, PREFIXES)
    return Contacts(users, businesses, time, labels, len(lines), "seconds")
