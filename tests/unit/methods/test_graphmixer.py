"""GraphMixer's parts against answers worked out by hand, and the Mixer against plain numpy."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from numpy.typing import NDArray

from methods.contract.registry import load_method
from methods.contract.run import Run
from methods.graphmixer.model import GraphMixer, encode_time, frequencies
from methods.graphmixer.past import Past
from methods.graphmixer.score import score
from methods.graphmixer.training import Reach, batch_loss, states
from tests.conftest import network_of

pytestmark = pytest.mark.usefixtures("one_thread")

# 0 meets 1 at 1, 4 and 9, 2 at 4 and 3 at 6; 1 and 2 meet at 9 as well; 4 meets nobody.
NETWORK = network_of([(0, 1, 1), (1, 0, 4), (0, 2, 4), (3, 0, 6), (0, 1, 9), (2, 1, 9)], n_nodes=5)
NAN = math.nan


def elapsed(node: int, row: int, contacts: int = 3) -> list[float]:
    """As of row `row` of the network."""
    past, rows = Past(NETWORK), np.array([row])
    nodes = np.array([node], np.int32)
    found: list[float] = past.elapsed(nodes, past.rows_before(rows), NETWORK.time[rows], contacts)[0].tolist()
    return found


def test_time_is_encoded_as_cosines_of_frequencies_from_1_to_a_billionth() -> None:
    omega = frequencies(4)
    assert omega.tolist() == pytest.approx([1, 1e-3, 1e-6, 1e-9])
    encoded = encode_time(torch.tensor([0.0, math.pi, 1000 * math.pi], dtype=torch.float64), omega)
    assert encoded[0].tolist() == [1, 1, 1, 1]
    assert encoded[1].tolist() == pytest.approx([-1, math.cos(0.001 * math.pi), 1, 1])
    assert encoded[2].tolist() == pytest.approx([1, -1, math.cos(0.001 * math.pi), 1], abs=1e-6)


def test_many_seconds_ago_have_the_cosine_of_their_exact_angle() -> None:
    assert encode_time(torch.tensor([123456789.0], dtype=torch.float64), frequencies(1)).item() == pytest.approx(
        math.cos(123456789), abs=1e-6
    )


def test_the_most_recent_contacts_strictly_before_come_latest_first() -> None:
    assert elapsed(0, row=4) == [9 - 6, 9 - 4, 9 - 4]
    assert elapsed(0, row=4, contacts=2) == [3, 5]
    assert elapsed(1, row=5, contacts=2) == [9 - 4, 9 - 1]


def test_contacts_of_the_same_moment_are_no_past_of_each_other() -> None:
    assert elapsed(0, row=2)[:1] == [3]
    assert np.isnan(elapsed(0, row=2)[1:]).all()
    assert np.isnan(elapsed(2, row=2)).all()


def test_a_node_that_met_nobody_has_no_past_and_does_not_take_its_neighbors() -> None:
    past = Past(NETWORK)
    everyone = np.arange(5, dtype=np.int32)
    ends, times = np.full(5, NETWORK.n_edges), np.full(5, 10)
    found = past.elapsed(everyone, ends, times, 2)
    assert np.isnan(found[4]).all()
    assert np.isnan(found[3]).tolist() == [False, True]
    assert found[:3].tolist() == [[1, 4], [1, 1], [1, 6]]


@pytest.mark.parametrize(
    ("end", "window", "met"),
    [
        (6, 100, [[1, 2, 3], [0, 2], [0, 1], [0], []]),
        (6, 3, [[1, 3], [0, 2], [1], [0], []]),
        (3, 2, [[1, 2], [0], [0], [], []]),
        (0, 5, [[], [], [], [], []]),
    ],
)
def test_whom_a_node_met_in_the_window_counts_once(end: int, window: int, met: list[list[int]]) -> None:
    others, begin = Past(NETWORK).met(end, window).of(np.arange(5, dtype=np.int32))
    assert [part.tolist() for part in np.split(others, begin[1:])] == met


def test_acquaintances_are_those_of_the_nodes_asked_for_in_their_order() -> None:
    others, begin = Past(NETWORK).met(6, 100).of(np.array([3, 0, 4, 3], np.int32))
    assert (others.tolist(), begin.tolist()) == ([0, 1, 2, 3, 0], [0, 1, 4, 4])


def numpy_mixer(model: GraphMixer, times: NDArray[np.float64]) -> NDArray[Any]:
    """The link encoder written out from the paper's equations, one node at a time."""
    w = {name: value.detach().double().numpy() for name, value in model.named_parameters()}

    def linear(x: NDArray[Any], name: str) -> NDArray[Any]:
        return x @ w[f"{name}.weight"].T + w[f"{name}.bias"]

    def norm(x: NDArray[Any], name: str) -> NDArray[Any]:
        centered = x - x.mean(-1, keepdims=True)
        scaled = centered / np.sqrt((centered**2).mean(-1, keepdims=True) + 1e-5)
        return scaled * w[f"{name}.weight"] + w[f"{name}.bias"]

    def gelu(x: NDArray[Any]) -> NDArray[Any]:
        return x * (1 + np.vectorize(math.erf)(x / math.sqrt(2))) / 2

    rows = []
    for node in times:
        omega = 10.0 ** -np.linspace(0, 9, model.head.in_features)
        x = np.array([linear(np.cos(t * omega), "encoder") if t == t else np.zeros(len(omega)) for t in node])
        for layer in (f"layers.{i}" for i in range(len(model.layers))):
            tokens = gelu(linear(norm(x, f"{layer}.contact_norm").T, f"{layer}.over_contacts.inner"))
            x = x + linear(tokens, f"{layer}.over_contacts.outer").T
            channels = gelu(linear(norm(x, f"{layer}.channel_norm"), f"{layer}.over_channels.inner"))
            x = x + linear(channels, f"{layer}.over_channels.outer")
        rows.append(linear(norm(x, "norm").mean(0), "head"))
    return np.array(rows)


def random_model(contacts: int = 4, layers: int = 2, n_nodes: int = 5) -> GraphMixer:
    """Every weight drawn at random, those that start at 0 or 1 as well."""
    torch.manual_seed(3)
    model = GraphMixer(n_nodes, contacts, 6, layers, dropout=0.5).eval()
    for weights in model.parameters():
        torch.nn.init.normal_(weights, std=0.5)
    return model


def test_the_link_encoder_is_the_papers_equations() -> None:
    model = random_model()
    times = np.array([[0.5, 2, 30, 1e6], [1, 86400, NAN, NAN], [NAN, NAN, NAN, NAN]])
    with torch.no_grad():
        assert model.links(torch.from_numpy(times)).numpy() == pytest.approx(numpy_mixer(model, times), abs=1e-4)


def test_a_state_is_of_the_links_and_of_its_own_row_plus_the_mean_of_whom_it_met() -> None:
    model = random_model()
    past, reach = Past(NETWORK), Reach(contacts=4, window=3)
    nodes = np.array([0, 4, 2], np.int32)
    ends, times = np.full(3, 6), np.full(3, 9)
    with torch.no_grad():
        found = states(model, past, reach, nodes, ends, times, window_end=6).numpy()
        table = model.identity.numpy()
        links = model.from_links(model.links(torch.from_numpy(past.elapsed(nodes, ends, times, 4)))).numpy()
    expected = links + table[nodes] + [(table[1] + table[3]) / 2, 0 * table[0], table[1]]
    assert found == pytest.approx(expected, abs=1e-5)


def test_the_loss_is_the_cross_entropy_of_contacts_and_of_one_kept_end_with_a_random_node() -> None:
    model = random_model()
    past, reach = Past(NETWORK), Reach(contacts=4, window=2)
    rows, noise = np.array([3, 4]), np.array([2, 3], np.int32)
    with torch.no_grad():
        loss = batch_loss(model, past, reach, rows, noise, np.array([True, False])).item()
        # Row 3 is 3 - 0 at 6 after three contacts, row 4 is 0 - 1 at 9 after four; whom anybody met is as of row 3.
        state = {
            (node, row): states(
                model, past, reach, np.array([node], np.int32), np.array([row]), NETWORK.time[[row]], window_end=3
            )
            for node, row in [(3, 3), (0, 3), (2, 3), (0, 4), (1, 4), (3, 4)]
        }
        logits = [
            model.logit(state[pair[0]], state[pair[1]]).item()
            for pair in [((3, 3), (0, 3)), ((0, 4), (1, 4)), ((3, 3), (2, 3)), ((1, 4), (3, 4))]
        ]
    positive, negative = logits[:2], logits[2:]
    expected = np.mean(np.log1p(np.exp(-np.array(positive)))) + np.mean(np.log1p(np.exp(negative)))
    assert loss == pytest.approx(expected, abs=1e-5)


def two_groups(n_edges: int = 3000) -> Any:
    """40 people of two groups who meet within their group alone, half of each group only in the older half."""
    rng = np.random.default_rng(0)
    contacts = []
    for row in range(n_edges):
        group = 20 * int(rng.integers(2))
        u, v = rng.choice(20 if row < n_edges / 2 else 10, 2, replace=False)
        contacts.append((group + int(u), group + int(v), 10 * row))
    return network_of(contacts)


def test_training_learns_who_belongs_together_and_who_still_meets() -> None:
    pairs = np.array([(0, 1), (22, 23), (0, 21), (5, 27), (10, 11), (31, 32)], np.int32)
    run = Run(1)
    params = load_method("graphmixer").defaults | {"dimensions": 16, "learning_rate": 0.01, "window": 500}
    found = score(two_groups(), *pairs.T, np.full(6, 30_001), params, run)
    assert found[:2].min() > found[2:].max()
    assert run.facts["loss"][-1] < run.facts["loss"][0]
    assert max(run.facts["validation_auc"]) > 0.8


def test_a_seed_gives_the_same_scores_whichever_other_pairs_are_asked_for() -> None:
    network, params = (
        two_groups(700),
        load_method("graphmixer").defaults | {"dimensions": 8, "epochs": 2, "dropout": 0.2},
    )
    source, target = np.nonzero(~np.eye(40, dtype=bool))
    pairs = np.array([source, target], np.int32)
    every = score(network, *pairs, np.full(len(source), 7_001), params, Run(1))
    assert np.array_equal(every[5:9], score(network, *pairs[:, 5:9], np.full(4, 9_000), params, Run(1)))
    assert not np.array_equal(every, score(network, *pairs, np.full(len(source), 7_001), params, Run(2)))


def test_training_ends_when_the_newest_contacts_are_ranked_no_better() -> None:
    run = Run(1)
    params = load_method("graphmixer").defaults | {"dimensions": 8, "learning_rate": 0.03, "epochs": 50, "patience": 1}
    score(two_groups(1000), *np.array([[0], [1]], np.int32), np.array([1]), params, run)
    aucs = run.facts["validation_auc"]
    assert len(run.epochs) == len(aucs) < 50
    assert aucs[-1] < max(aucs)
