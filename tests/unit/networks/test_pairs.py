"""The set of pairs behaves as one."""

import numpy as np
import pytest

from networks.pairs import contains_all, empty_set, insert_all, pair_keys, set_of


@pytest.mark.parametrize("stride", [1, 2**20, 2**44])
def test_a_set_holds_what_was_put_in_and_nothing_else(stride):
    keys = np.arange(500, dtype=np.int64) * stride
    known = set_of(keys[::2])
    assert contains_all(known, keys).tolist() == [True, False] * 250


def test_only_the_first_of_equal_keys_is_fresh():
    assert insert_all(empty_set(4), np.array([7, 0, 7, 0, 3])).tolist() == [True, True, False, False, True]


def test_a_pair_is_found_in_either_direction():
    known = set_of(pair_keys(np.array([3], np.int32), np.array([1], np.int32), 5))
    u, v = np.array([1, 3, 1], np.int32), np.array([3, 1, 2], np.int32)
    assert contains_all(known, pair_keys(u, v, 5)).tolist() == [True, True, False]


def test_an_empty_set_holds_nothing():
    assert not contains_all(set_of(np.empty(0, dtype=np.int64)), np.arange(10)).any()
