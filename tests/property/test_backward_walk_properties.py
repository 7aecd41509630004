"""Whatever happens at or after the target time, a backward or static walk is the same; times back never rise."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from methods.kernels.backward_walks import NO_NODE, backward_walks, build_history, untimed_walks
from tests.conftest import network_of

N_NODES = 6
LAST = 12


@st.composite
def contact(draw, first=0, last=LAST):
    u = draw(st.integers(0, N_NODES - 1))
    v = draw(st.integers(0, N_NODES - 2))
    return u, v + (v >= u), draw(st.integers(first, last))


@st.composite
def two_futures(draw):
    """A cut-off, and two networks over the same span that agree before it and in nothing after it."""
    cutoff = draw(st.integers(1, LAST))
    # The span sets the unit of time, so both begin at 0 and end at LAST; who meets then is part of the future.
    past = [(0, 1, 0), *draw(st.lists(contact(last=cutoff - 1), max_size=15))]
    futures = [
        [*draw(st.lists(contact(first=cutoff), max_size=10)), draw(contact(first=LAST, last=LAST))] for _ in range(2)
    ]
    return cutoff, *(network_of(past + future, n_nodes=N_NODES) for future in futures)


def walks_of(network, cutoff, walk=backward_walks, **options):
    starts, cutoffs = np.arange(N_NODES, dtype=np.int32), np.full(N_NODES, cutoff)
    return walk(build_history(network, time_scale=3.0), starts, cutoffs, n_walks=4, length=5, seed=11, **options)


@settings(deadline=None, max_examples=200)
@given(two_futures(), st.sampled_from([0.1, 1.0, 8.0]), st.sampled_from([0.1, 1.0, 8.0]))
def test_what_happens_at_or_after_the_target_time_never_changes_a_walk(networks, p, q):
    cutoff, one, other = networks
    for options in ({"p": p, "q": q}, {"walk": untimed_walks}):
        walks, others = (walks_of(network, cutoff, **options) for network in (one, other))
        assert np.array_equal(walks.nodes, others.nodes)
        assert np.array_equal(walks.times, others.times)


@settings(deadline=None, max_examples=100)
@given(two_futures(), st.sampled_from([0.1, 1.0, 8.0]), st.sampled_from([0.1, 1.0, 8.0]))
def test_every_step_is_a_contact_of_the_past_and_times_never_rise(networks, p, q):
    cutoff, network, _ = networks
    known = {
        frozenset(pair)
        for *pair, t in zip(network.source.tolist(), network.target.tolist(), network.time.tolist(), strict=True)
        if t < cutoff
    }
    walks = walks_of(network, cutoff, p=p, q=q)
    for nodes, times in zip(walks.nodes.tolist(), walks.times, strict=True):
        if nodes[1] == NO_NODE:
            assert not any(nodes[0] in pair for pair in known)
            continue
        assert all(frozenset(step) in known for step in pairwise(nodes))
        assert (np.diff(times) <= 0).all()
