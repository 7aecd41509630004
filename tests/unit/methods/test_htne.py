"""HTNE: its gradient against autograd, what counts as history, and what the fitted vectors look like."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from benchmarks.peers.plain_htne import PlainHTNE
from methods.contract.run import Run
from methods.htne.events import events_of
from methods.htne.fit import fit, initial_tables, shares_of
from methods.htne.gradient import sample_gradient
from methods.htne.training import Setting, draw_samples, room_for_batch, train
from methods.kernels.sampling import noise_table
from tests.conftest import interrupted_after, network_of

SMALL: dict[str, Any] = {
    "dimensions": 8,
    "history_length": 3,
    "negatives": 2,
    "learning_rate": 0.01,
    "batch_size": 1000,
    "epochs": 4,
    "released_sign": False,
    "released_padding": False,
    "released_ties": False,
}
K, HISTORY = 2, 3  # negatives and places for history in the samples below

# Two groups of five; in every round each member meets the next one of its own group.
TWO_GROUPS = [(group + i % 5, group + (i + 1 + i // 5 % 4) % 5, i) for i in range(60) for group in (0, 5)]

# Source, target, two negatives, three places of history.
SAMPLES = {
    "full history": ([0, 1, 2, 3, 4, 5, 6], 3),
    "one contact": ([0, 1, 2, 3, 4, 0, 0], 1),
    "no history": ([0, 1, 2, 3, 0, 0, 0], 0),
    "history is the target again": ([0, 1, 2, 3, 1, 1, 1], 3),
    "history meets a negative": ([0, 1, 2, 3, 2, 3, 2], 3),
    "a negative is the target": ([0, 1, 1, 3, 4, 5, 6], 3),
    "a negative is the source": ([0, 1, 0, 3, 4, 5, 6], 3),
    "one negative twice": ([0, 1, 2, 2, 4, 4, 6], 3),
    "padding is the source": ([0, 1, 2, 3, 4, 0, 0], 1),
    "padding is the target": ([5, 0, 2, 3, 4, 0, 0], 1),
}


def tables(seed: int = 0, n_nodes: int = 7, dimensions: int = 11) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_nodes, dimensions), scale=0.4), rng.normal(size=n_nodes, loc=1.0)


def gradient_of(
    embeddings: NDArray[Any],
    delta: NDArray[Any],
    nodes: list[int],
    n_history: int,
    n_real: int,
    elapsed: Any,
    sign: float,
) -> tuple[float, float, NDArray[Any]]:
    """Loss, gradient of the source's decay rate, and gradients of the sample's rows."""
    dimensions, dtype = embeddings.shape[1], embeddings.dtype
    rows, room = np.zeros((1, 2 + K + HISTORY, dimensions), dtype), (np.empty(dimensions, dtype) for _ in range(2))
    loss, of_delta = sample_gradient(
        embeddings, delta, np.array([nodes], np.int32), 1 + K, n_history, n_real, elapsed, sign, rows, 0, 0, 0, *room,
        np.empty((4, HISTORY), dtype),
    )  # fmt: skip
    return float(loss), of_delta, rows[0]


@pytest.mark.parametrize("padding", [False, True], ids=["masked", "released padding"])
@pytest.mark.parametrize("sign", [-1.0, 1.0], ids=["decay", "released sign"])
@pytest.mark.parametrize("case", SAMPLES)
def test_gradient_is_that_of_autograd(case: str, sign: float, padding: bool) -> None:
    (nodes, n_real), (embeddings, delta) = SAMPLES[case], tables()
    elapsed = np.array([0.7, 0.2, 0.0])  # the last contact of the history at the very moment of the sample
    plain = PlainHTNE(embeddings, delta, 0.01)
    expected = plain.loss(
        torch.tensor([nodes]), torch.tensor(elapsed)[None], torch.tensor([n_real]), K, sign=sign, padding=padding
    )
    expected.backward()  # type: ignore[no-untyped-call]

    n_history = HISTORY if padding else n_real
    loss, delta_gradient, rows = gradient_of(embeddings, delta, nodes, n_history, n_real, elapsed[None], sign)
    gradient, of_delta = np.zeros_like(embeddings), np.zeros_like(delta)
    np.add.at(gradient, nodes[: 2 + K + n_history], rows[: 2 + K + n_history])
    of_delta[nodes[0]] = delta_gradient
    assert loss == pytest.approx(expected.item(), rel=1e-12)
    np.testing.assert_allclose(gradient, plain.embeddings.weight.grad.to_dense(), rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(of_delta, plain.delta.weight.grad.to_dense()[:, 0], rtol=1e-6, atol=1e-12)
    assert n_real == 0 or delta_gradient != 0


def loss_of(
    embeddings: NDArray[np.float64], nodes: list[int], n_real: int, elapsed: float, sign: float, pad: bool
) -> float:
    n_history, ages = HISTORY if pad else n_real, np.full((1, HISTORY), elapsed)
    return gradient_of(embeddings, np.ones(len(embeddings)), nodes, n_history, n_real, ages, sign)[0]


def test_an_older_contact_excites_less_and_in_the_released_form_more() -> None:
    embeddings, _ = tables()
    nodes, without = [0, 1, 2, 3, 4, 0, 0], [0, 1, 2, 3, 0, 0, 0]
    base = loss_of(embeddings, without, 0, 0.0, -1.0, False)
    recent, old = (abs(loss_of(embeddings, nodes, 1, age, -1.0, False) - base) for age in (0.1, 0.9))
    assert old < recent
    recent, old = (abs(loss_of(embeddings, nodes, 1, age, 1.0, False) - base) for age in (0.1, 0.9))
    assert old > recent


def test_padding_takes_no_attention_unless_released() -> None:
    embeddings, _ = tables()
    nodes = [5, 1, 2, 3, 4, 0, 0]  # one contact, two places padded with node 0
    masked, released = (loss_of(embeddings, nodes, 1, 0.5, -1.0, pad) for pad in (False, True))
    embeddings[0] += 0.3
    assert loss_of(embeddings, nodes, 1, 0.5, -1.0, False) == masked
    assert loss_of(embeddings, nodes, 1, 0.5, -1.0, True) != released


def history_of(network: Any, node: int, nth: int, length: int, ties: bool) -> list[int]:
    """The partners in the history of the `nth` contact of `node`."""
    events = events_of(network, length, ties)
    event = events[events["source"] == node][nth]
    return [int(p) for p in events["target"][event["end"] - event["n_history"] : event["end"]]]


def test_history_is_the_latest_contacts_before_oldest_first() -> None:
    network = network_of([(0, partner, partner) for partner in range(1, 7)])
    assert [history_of(network, 0, nth, 3, False) for nth in range(6)] == [
        [], [1], [1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 5],
    ]  # fmt: skip
    assert all(history_of(network, leaf, 0, 3, False) == [] for leaf in range(1, 7))


def test_contacts_of_the_same_moment_are_no_history_of_each_other_unless_released() -> None:
    network = network_of([(0, 1, 10), (0, 2, 20), (0, 3, 20), (4, 0, 20), (0, 5, 30)])
    assert [history_of(network, 0, nth, 2, False) for nth in range(5)] == [[], [1], [1], [1], [3, 4]]
    assert [history_of(network, 0, nth, 2, True) for nth in range(5)] == [[], [1], [1, 2], [2, 3], [3, 4]]


def test_every_contact_is_a_sample_of_both_its_ends() -> None:
    events = events_of(network_of([(0, 1, 10), (2, 1, 20), (0, 1, 30)]), 5, False)
    assert [(int(e["source"]), int(e["target"]), float(e["time"])) for e in events] == [
        (0, 1, 0.0), (0, 1, 1.0), (1, 0, 0.0), (1, 2, 0.5), (1, 0, 1.0), (2, 1, 0.5),
    ]  # fmt: skip


@pytest.mark.parametrize("batch_size", [1, 7, 1000])
def test_training_follows_plain_torch_batch_by_batch(batch_size: int) -> None:
    network = network_of(TWO_GROUPS)
    setting = Setting(negatives=K, history_length=HISTORY, learning_rate=0.01, sign=-1.0, pad_history=False, seed=3)
    events, noise = events_of(network, HISTORY, False), noise_table(network.degrees)
    embeddings, delta = tables(n_nodes=network.n_nodes)
    plain = PlainHTNE(embeddings, delta, 0.01)
    batch = room_for_batch(min(batch_size, len(events)), setting, embeddings)
    order = np.random.default_rng(1).permutation(len(events)).astype(np.int32)
    expected = 0.0
    for number, first in enumerate(range(0, len(order), batch_size)):
        batch_events = order[first : first + batch_size]
        draw_samples(events, delta, batch_events, noise, setting, 17 + number, batch)
        nodes, elapsed, n_real = (
            torch.from_numpy(array[: len(batch_events)]) for array in (batch.nodes, batch.elapsed, batch.n_real)
        )
        expected += plain.step(nodes, elapsed, n_real, K)
    loss = train(embeddings, delta, events, order, noise, setting, 17, batch)
    assert loss == pytest.approx(expected, rel=1e-9)
    np.testing.assert_allclose(embeddings, plain.embeddings.weight.detach(), rtol=1e-7, atol=1e-10)
    np.testing.assert_allclose(delta, plain.delta.weight.detach()[:, 0], rtol=1e-7, atol=1e-10)


@given(st.integers(1, 5000), st.integers(1, 700), st.integers(1, 12))
def test_shares_of_an_epoch_hold_every_event_once_and_at_most_one_share_per_thread(
    n: int, size: int, threads: int
) -> None:
    rounds = list(shares_of(n, size, threads))
    assert all(len(shares) <= threads for shares in rounds)
    covered = [i for shares in rounds for share in shares for i in range(share.start, share.stop)]
    assert covered == list(range(n))


@pytest.mark.parametrize(("threads", "batch_size"), [(1, 1000), (4, 10)], ids=["one thread", "threads that share"])
def test_loss_of_every_epoch_is_reported_and_falls(threads: int, batch_size: int) -> None:
    run = Run(1, threads=threads)
    fit(network_of(TWO_GROUPS), SMALL | {"epochs": 30, "batch_size": batch_size}, run)
    losses = run.facts["loss_per_epoch"]
    assert len(losses) == len(run.epochs) == 30
    assert losses[-1] < 0.9 * losses[0]
    assert {(epoch.work, epoch.unit) for epoch in run.epochs} == {(len(TWO_GROUPS), "edges")}


def test_members_of_a_group_end_closer_than_strangers() -> None:
    vectors = fit(network_of(TWO_GROUPS), SMALL | {"dimensions": 16, "epochs": 60}, Run(2))
    distance = ((vectors[:, None] - vectors[None]) ** 2).sum(axis=2)
    same = np.kron(np.eye(2), np.ones((5, 5))).astype(bool)
    assert distance[same].max() < distance[~same].min()


def test_vectors_stay_finite_for_unix_seconds_and_a_hub() -> None:
    contacts = [(0, 1 + i % 40, 1_700_000_000 + 3600 * i) for i in range(3000)]
    vectors = fit(network_of(contacts), SMALL | {"epochs": 20}, Run(1))
    assert np.isfinite(vectors).all()


def test_a_decay_rate_gone_astray_leaves_loss_and_gradient_finite() -> None:
    embeddings, delta = tables()[0].astype(np.float32), np.full(7, -1000, np.float32)
    elapsed = np.ones((1, HISTORY), np.float32)
    loss, of_delta, rows = gradient_of(
        embeddings, delta, [0, 1, 2, 3, 4, 5, 6], HISTORY, HISTORY, elapsed, np.float32(-1)
    )
    assert np.isfinite([loss, of_delta]).all()
    assert np.isfinite(rows).all()


def test_scale_and_start_of_the_clock_do_not_matter() -> None:
    moved = [(u, v, 1_700_000_000 + 4 * t) for u, v, t in TWO_GROUPS]
    assert np.array_equal(fit(network_of(TWO_GROUPS), SMALL, Run(1)), fit(network_of(moved), SMALL, Run(1)))


def test_start_is_uniform_within_one_over_the_root_of_the_number_of_nodes() -> None:
    embeddings, delta = initial_tables(2500, 8, seed=1)
    assert np.abs(embeddings).max() <= 0.02
    assert embeddings.std() == pytest.approx(0.02 / np.sqrt(3), rel=0.02)
    assert (delta == 1).all()


def test_a_node_without_contact_is_zero() -> None:
    vectors = fit(network_of(TWO_GROUPS, n_nodes=11), SMALL, Run(1))
    assert not vectors[10].any()
    assert vectors[:10].all()


def test_every_share_has_its_own_random_stream_and_every_epoch_its_own_order(monkeypatch: pytest.MonkeyPatch) -> None:
    streams, orders = [], []

    def recording(*arguments: Any) -> float:
        order, stream_index = arguments[3], arguments[6]
        if len(order):
            streams.append(stream_index)
            orders.extend(order.tolist())
        return 0.0

    monkeypatch.setattr("methods.htne.fit.train", recording)
    monkeypatch.setattr("methods.htne.fit.EVENTS_PER_CALL", 20)
    fit(network_of(TWO_GROUPS), SMALL | {"epochs": 2, "batch_size": 10}, Run(1, threads=2))
    assert len(streams) == 2 * 240 / 20
    assert len(set(streams)) == len(streams)
    first, second = orders[:240], orders[240:]
    assert sorted(first) == sorted(second) == list(range(240))
    # Two threads may swap neighboring shares, but not more.
    assert set(first[:40]) != set(second[:40])


def test_an_interrupted_fit_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    network = network_of(TWO_GROUPS)
    whole = fit(network, SMALL, Run(1))
    with interrupted_after(2):
        fit(network, SMALL, Run(1, folder=tmp_path))
    run = Run(1, folder=tmp_path)
    assert fit(network, SMALL, run).tobytes() == whole.tobytes()
    assert len(run.facts["loss_per_epoch"]) == len(run.epochs) == 4
