"""Recency and popularity against answers worked out by hand."""

import numpy as np
import pytest

from methods.contract.run import Run
from methods.recency.score import score
from networks.network import TemporalNetwork
from tests.conftest import network_of

# Times 0 to 10: 0-1 meet at 0, 4 and 9, 2-1 at 5 and 10, 2-3 at 8; 4 meets nobody.
NETWORK = network_of([(0, 1, 0), (1, 0, 4), (2, 1, 5), (2, 3, 8), (0, 1, 9), (1, 2, 10)], n_nodes=5)
PAIRS = np.array([(0, 1), (1, 0), (1, 2), (3, 2), (0, 2), (0, 4), (4, 3)], dtype=np.int32)


def scored(of: str, by: str, window: float = 0.2, network: TemporalNetwork = NETWORK) -> list[float]:
    parameters = {"of": of, "by": by, "window": window}
    times = np.full(len(PAIRS), network.time[-1] + 1)
    found: list[float] = score(network, *PAIRS.T, times, parameters, Run(1)).tolist()
    return found


def test_a_pair_scores_the_unit_time_of_its_last_contact_and_below_all_if_it_never_met() -> None:
    assert scored("pair", "last") == pytest.approx([0.9, 0.9, 1.0, 0.8, -1, -1, -1])


@pytest.mark.parametrize(
    ("window", "counts"), [(0.2, [1, 1, 1, 1, 0, 0, 0]), (0.5, [1, 1, 2, 1, 0, 0, 0]), (1, [3, 3, 2, 1, 0, 0, 0])]
)
def test_a_pair_scores_its_contacts_in_the_window_whose_edge_is_in_it(window: float, counts: list[int]) -> None:
    assert scored("pair", "count", window) == pytest.approx(np.log1p(counts))


def test_ends_score_when_each_was_seen_last() -> None:
    """Last seen: 0 at 0.9, 1 and 2 at 1, 3 at 0.8, 4 never."""
    assert scored("ends", "last") == pytest.approx([1.9, 1.9, 2.0, 1.8, 1.9, -0.1, -0.2])


def test_ends_score_their_contacts_in_the_window() -> None:
    """In the last fifth node 0 has 1 contact, 1 has 2, 2 has 2, 3 has 1."""
    expected = [np.log(2 * 3), np.log(2 * 3), np.log(3 * 3), np.log(2 * 3), np.log(2 * 3), np.log(2), np.log(2)]
    assert scored("ends", "count") == pytest.approx(expected)


def test_where_all_contacts_have_one_time_all_of_them_are_recent() -> None:
    network = network_of([(0, 1, 7), (1, 2, 7), (0, 1, 7)], n_nodes=5)
    assert scored("pair", "count", network=network) == pytest.approx(np.log1p([2, 2, 1, 0, 0, 0, 0]))
    assert scored("pair", "last", network=network) == [0, 0, 0, -1, -1, -1, -1]
