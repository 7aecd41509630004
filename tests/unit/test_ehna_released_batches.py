"""The batches and the fit of ehna_released: contexts, negatives, export, and failing with a sentence."""

from dataclasses import fields

import numpy as np
import pytest

from methods.ehna_released.contexts import end_context, negative_context, read_weights_as_nodes
from methods.ehna_released.export import export, latest_ranks
from methods.ehna_released.fit import fit
from methods.ehna_released.model import Model
from methods.ehna_released.negatives import cumulative_noise, draw_negatives
from methods.ehna_released.setting import Setting
from methods.ehna_released.training import Source, make_batch
from methods.ehna_released.walks import temporal_walks
from methods.errors import MethodError
from methods.registry import load_method
from methods.run import Run
from tests.conftest import network_of
from tests.ehna_released_setting import SMALL, paper, released

RNG = np.random.default_rng(0)
NETWORK = network_of([(int(u), int(v), t) for t, (u, v) in enumerate(RNG.integers(0, 12, (80, 2))) if u != v])
FLAGS = [field.name for field in fields(Setting) if field.type is bool or field.type == "bool"]


def batch_of(setting, network=NETWORK, rows=None):
    rows = np.arange(network.n_edges) if rows is None else np.array(rows)
    return make_batch(Source.of(network, setting), setting, rows, np.random.default_rng(1))


def test_every_flag_is_as_released_by_default_and_off_in_the_repaired_variant():
    assert len(FLAGS) == 21
    assert all(load_method("ehna_released").defaults[flag] is True for flag in FLAGS)
    assert all(load_method("ehna_released_repaired").defaults[flag] is False for flag in FLAGS)


def test_it_stands_apart_from_the_methods_that_are_compared():
    assert load_method("ehna_released").purpose == "extra"
    assert load_method("ehna_released_repaired").purpose == "extra"


def test_the_start_is_left_out_of_its_walks_or_their_first_node():
    for left_out, length in ((True, 3), (False, 4)):
        context = batch_of(released(start_left_out=left_out)).contexts[0]
        assert context.nodes.shape[1:] == (4, length)
        starts = (context.nodes[:, :, 0] == context.targets[context.owners, None]).all()
        assert bool(starts) is not left_out
        negatives = batch_of(released(start_left_out=left_out)).contexts[2]
        assert negatives.nodes.shape[2] == length


def test_a_target_without_history_is_filled_up_from_neighbors_of_any_time_or_has_none():
    # At its first contact, 0 has only the future: neighbors 1 and 2, whose neighbor is 0 itself.
    network = network_of([(0, 1, 0), (0, 2, 1)])
    context = batch_of(released(walks=5, walk_length=2), network, [0]).contexts[0]
    assert context.owners.tolist() == [0]
    nodes = context.nodes.reshape(-1)
    assert set(nodes[:7]) <= {1, 2}  # 70% of ten
    assert nodes[7:].tolist() == [0, 0, 0]
    assert (context.weights == 1).all()
    assert len(batch_of(released(static_fill=False), network, [0]).contexts[0].owners) == 0


def test_weights_between_nodes_are_read_as_nodes():
    nodes, weights = np.array([[[7, 8, 9, 5]]]), np.array([[[0.6, 1.2, 0.9, 1.4]]])
    read, kept, _ = read_weights_as_nodes(nodes, weights, weights, n_nodes=10)
    assert read.tolist() == [[[7, 0, 8, 1, 9, 0, 5]]]
    assert kept.tolist() == [[[0.6, 0.6, 1.2, 1.2, 0.9, 0.9, 1.4]]]


def test_a_weight_beyond_the_last_node_is_read_as_the_last():
    read, _, _ = read_weights_as_nodes(np.array([[[1, 2]]]), np.array([[[33.3, 0.5]]]), np.zeros((1, 1, 2)), n_nodes=4)
    assert read.tolist() == [[[1, 3, 2]]]


def test_only_the_walks_of_y_are_misread():
    x, y, *_ = batch_of(released()).contexts
    assert (x.nodes.shape[2], y.nodes.shape[2]) == (3, 5)
    x, y, *_ = batch_of(released(weights_as_nodes=False)).contexts
    assert (x.nodes.shape[2], y.nodes.shape[2]) == (3, 3)


def test_attention_of_y_measures_from_x_or_from_y():
    _, y, *_ = batch_of(released()).contexts
    assert np.array_equal(y.anchors, NETWORK.source)
    _, y, *_ = batch_of(released(attention_from_source=False)).contexts
    assert np.array_equal(y.anchors, NETWORK.target)


def test_a_few_negatives_are_shared_by_the_batch_or_every_end_of_every_edge_has_its_own():
    n = NETWORK.n_edges
    batch = batch_of(released(negatives=5))
    around_x, around_y = (context.targets for context in batch.contexts[2:])
    assert len(around_x) == 5
    assert np.array_equal(around_x, around_y)
    assert all(places.tolist() == [[0, 1, 2, 3, 4]] * n for places in batch.places)
    batch = batch_of(released(negatives=5, shared_negatives=False))
    assert [len(context.targets) for context in batch.contexts[2:]] == [5 * n, 5 * n]
    assert all(np.array_equal(places.reshape(-1), np.arange(5 * n)) for places in batch.places)


@pytest.mark.parametrize("shared", [True, False])
def test_checked_negatives_are_never_ends_or_neighbors(shared):
    known = {(u, v) for u, v in zip(NETWORK.source.tolist(), NETWORK.target.tolist(), strict=True)}
    known |= {(v, u) for u, v in known}

    def bad(unchecked):
        batch = batch_of(released(shared_negatives=shared, unchecked_negatives=unchecked, negatives=5))
        ends = [batch.contexts[0].targets, batch.contexts[1].targets]
        return sum(
            negatives[q] in (anchor, other) or (anchor, int(negatives[q])) in known
            for side, places in enumerate(batch.places)
            for anchor, other, row in zip(ends[side].tolist(), ends[1 - side].tolist(), places, strict=True)
            for negatives in [batch.contexts[2 + side].targets]
            for q in row[row >= 0]
        )

    assert bad(unchecked=True) > 0
    assert bad(unchecked=False) == 0


def test_a_negative_that_cannot_be_found_is_left_out():
    network = network_of([(0, 1, 0), (1, 2, 1), (0, 2, 2)])  # everybody knows everybody
    batch = batch_of(released(shared_negatives=False, unchecked_negatives=False), network)
    assert all((places == -1).all() for places in batch.places)
    assert [len(context.targets) for context in batch.contexts[2:]] == [0, 0]


def test_degrees_stand_in_the_order_of_appearance_but_are_read_by_number():
    # Nodes appear in the order 3, 1, 0, with degrees 3, 2, 1; node 2 never does.
    network = network_of([(3, 1, 0), (3, 1, 1), (3, 0, 2)])
    as_released = np.diff(cumulative_noise(network, in_insertion_order=True), prepend=0)
    np.testing.assert_allclose(as_released, [3**0.75, 2**0.75, 1, 0])
    right = np.diff(cumulative_noise(network, in_insertion_order=False), prepend=0)
    np.testing.assert_allclose(right, [1, 2**0.75, 0, 3**0.75])


def test_negatives_follow_the_noise_distribution():
    network = network_of([(3, 1, 0), (3, 1, 1), (3, 0, 2)])
    source = Source.of(network, paper())
    ends = np.zeros(20_000, dtype=np.int64)
    setting = released(shared_negatives=False, negatives=1)
    nodes = draw_negatives(source.contacts, ends, ends, source.noise, setting, np.random.default_rng(1)).nodes[0]
    weights = np.array([1, 2**0.75, 0, 3**0.75])
    np.testing.assert_allclose(np.bincount(nodes) / len(nodes), weights / weights.sum(), atol=0.015)


def test_a_negative_is_aggregated_from_neighbor_samples_or_from_walks_of_two_steps():
    contacts = Source.of(NETWORK, released()).contacts
    sampled = negative_context(contacts, np.array([1, 2]), released(walks=2, walk_length=5), seed=1)
    assert sampled.nodes.shape == (2, 2, 5)
    walks = negative_context(contacts, np.array([1, 2]), released(walks=2, sampled_negative_context=False), seed=1)
    assert walks.nodes.shape == (2, 2, 2)
    assert not (sampled.attention or walks.attention)


def exported(**changes):
    setting = released(learning_rate=0.01, **changes)
    model = Model(NETWORK.n_nodes, setting, 1)
    return export(model, Source.of(NETWORK, setting), setting, (1, 2))


def test_the_export_normalizes_by_its_own_slices_or_by_running_statistics():
    assert not np.allclose(exported(), exported(batch_statistics_at_export=False))


def test_the_export_looks_back_from_each_nodes_latest_edge():
    network = network_of([(0, 1, 0), (1, 2, 5), (0, 2, 9)], n_nodes=4)
    assert latest_ranks(Source.of(network, released())).tolist() == [2, 1, 2, 0]


def test_the_export_sees_the_latest_edge_itself_only_on_the_papers_side():
    # The only contact of two nodes: strictly before it there is nothing.
    network = network_of([(0, 1, 0)])
    setting = paper()
    contacts = Source.of(network, setting).contacts
    for inclusive in (False, True):
        walks = temporal_walks(contacts, np.array([[0], [1]]), np.array([0, 0]), setting, 1, inclusive)
        context = end_context(contacts, walks, 0, np.array([0, 1]), setting, 1, misread=False)
        assert len(context.owners) == (2 if inclusive else 0)
    params = load_method("ehna_released_repaired").defaults | SMALL
    late = fit(network, params, Run(1))
    early = fit(network, params | {"export_before_latest_edge": True}, Run(1))
    assert not np.allclose(late, early)


@pytest.mark.parametrize("flag", [flag for flag in FLAGS if flag != "cached_bias"])
def test_turning_off_a_single_flag_changes_the_embedding(flag):
    params = load_method("ehna_released").defaults | SMALL | {"learning_rate": 0.01}
    assert not np.array_equal(fit(NETWORK, params, Run(1)), fit(NETWORK, params | {flag: False}, Run(1)))


def test_the_kept_bias_has_no_effect_on_uniform_steps():
    params = load_method("ehna_released").defaults | SMALL | {"learning_rate": 0.01}
    assert np.array_equal(fit(NETWORK, params, Run(1)), fit(NETWORK, params | {"cached_bias": False}, Run(1)))


def test_the_loss_falls_when_it_is_given_a_rate_that_moves_something():
    run = Run(1)
    fit(NETWORK, load_method("ehna_released").defaults | SMALL | {"learning_rate": 0.01, "epochs": 8}, run)
    assert run.facts["loss"][-1] < run.facts["loss"][0]


def test_numbers_beyond_all_bounds_fail_with_a_sentence():
    params = load_method("ehna_released").defaults | SMALL | {"learning_rate": 1e30}
    with pytest.raises(
        MethodError, match=r"is not finite; take a smaller learning_rate, or amplifying_attention=false"
    ):
        fit(NETWORK, params, Run(1))
