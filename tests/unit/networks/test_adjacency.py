"""The time-ordered adjacency."""

from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import network_of

contacts = st.lists(
    st.tuples(st.integers(0, 7), st.integers(0, 7), st.integers(-3, 3)).filter(lambda row: row[0] != row[1])
)


def contacts_of(network, node):
    adjacency = network.adjacency
    at = slice(adjacency.offsets[node], adjacency.offsets[node + 1])
    return list(
        zip(adjacency.neighbors[at].tolist(), adjacency.times[at].tolist(), adjacency.edges[at].tolist(), strict=True)
    )


def test_every_node_lists_its_contacts_oldest_first(triangle):
    assert contacts_of(triangle, 0) == [(1, 10, 0), (2, 30, 2)]
    assert contacts_of(triangle, 1) == [(0, 10, 0), (2, 20, 1)]
    assert contacts_of(triangle, 2) == [(1, 20, 1), (0, 30, 2)]


def test_the_adjacency_is_built_once(path):
    assert path.adjacency is path.adjacency


@given(contacts)
def test_the_adjacency_is_what_a_loop_over_all_rows_finds(rows):
    network = network_of(rows, n_nodes=8)
    for node in range(8):
        expected = []
        for row, (u, v, t) in enumerate(zip(network.source, network.target, network.time, strict=True)):
            if u == node:
                expected.append((v, t, row))
            elif v == node:
                expected.append((u, t, row))
        assert contacts_of(network, node) == expected
