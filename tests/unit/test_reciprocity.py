"""Reciprocity of networks that can be drawn on paper."""

import pytest

from datasets.reciprocity import reciprocity


@pytest.mark.parametrize(
    ("contacts", "share"),
    [
        ([(0, 1, 1)], 0),
        ([(0, 1, 1), (1, 0, 2)], 1),
        ([(0, 1, 1), (0, 1, 2), (0, 1, 3), (1, 0, 4), (1, 2, 5), (3, 2, 6)], 2 / 4),
    ],
    ids=["one way", "both ways", "repeats count once"],
)
def test_reciprocity_is_the_share_of_ordered_pairs_with_their_reverse(network_of, contacts, share):
    assert reciprocity(network_of(contacts)) == share
