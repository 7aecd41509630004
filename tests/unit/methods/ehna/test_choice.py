"""What validation chooses, by scripted AUCs: settings by the best start, training only where it adds."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from methods.contract.run import Run
from methods.ehna import choice as module
from methods.ehna import fit as ehna
from methods.ehna.choice import LEAST_GAIN_OF_A_PASS, LEAST_GAIN_OF_WEIGHTS, Choice, Judge, choose
from tests.unit.methods.ehna.town import PEOPLE, parameters, town

START = Choice(margin=1.0, ageing=0.0, time_scale=5.0, weights=False, passes=0)
P, W = LEAST_GAIN_OF_A_PASS, LEAST_GAIN_OF_WEIGHTS
LISTS = {"margin": [1, 2], "ageing": [0, 3], "time_scale": [5, 15, 1]}


@pytest.fixture
def judged(monkeypatch):
    """Nothing is trained: a candidate stands for its own model, and its AUC is looked up."""
    seen = []

    def script(auc_of):
        def scripted(judge, model, past):
            seen.append(model[0])
            return auc_of(seen[-1])

        def train_pass(model, past, params, number, run):
            assert model[0].passes == number
            model[0] = replace(model[0], passes=number + 1)

        monkeypatch.setattr(Judge, "started", lambda judge, choice: ([choice], None))
        monkeypatch.setattr(Judge, "auc", scripted)
        monkeypatch.setattr(module, "train_pass", train_pass)
        return seen

    return script


def test_a_choice_survives_a_checkpoint():
    for choice in (START, Choice(0.25, 1.5, 15.0, True, 7)):
        again = Choice.of_array(choice.as_array())
        assert again == choice
        assert (type(again.weights), type(again.passes)) == (bool, int)


@pytest.mark.parametrize("network", [town(40), town()], ids=["too small", "nothing held back"])
def test_where_nothing_is_held_back_the_first_of_every_list_is_taken_with_all_training(network, judged):
    seen = judged(lambda choice: 0.5)
    changes = {} if network.n_edges == 40 else {"validation_fraction": 0}
    params = parameters(margin=[3, 1], ageing=[2, 0], time_scale=[7, 5], weight_epochs=1, epochs=4, **changes)
    assert choose(network, params, Run(1)) == Choice(3.0, 2.0, 7.0, True, 4)
    assert seen == []


@pytest.mark.parametrize(("margin", "ageing", "time_scale"), list(product(*LISTS.values())))
def test_the_best_value_of_every_list_is_chosen_by_the_start(margin, ageing, time_scale, judged):
    seen = judged(
        lambda one: (
            0.6 + 0.1 * (one.margin == margin) + (one.ageing == ageing) / 20 + (one.time_scale == time_scale) / 50
        )
    )
    best = choose(town(), parameters(weight_epochs=0, epochs=0, **LISTS), Run(1))
    assert best == Choice(margin, ageing, time_scale, False, 0)
    assert len(seen) == len(set(seen)), "a candidate is judged once"


def test_the_margin_is_chosen_for_the_ageing_that_was_chosen(judged):
    judged(lambda one: {(1, 0): 0.7, (2, 0): 0.6, (1, 3): 0.75, (2, 3): 0.8}[one.margin, one.ageing])
    best = choose(town(), parameters(weight_epochs=0, epochs=0, **LISTS), Run(1))
    assert (best.margin, best.ageing) == (2, 3)


def test_between_equals_the_first_of_a_list_is_taken(judged):
    judged(lambda choice: 0.7)
    assert choose(town(), parameters(weight_epochs=0, epochs=0, **LISTS), Run(1)) == START


def test_a_single_candidate_without_training_is_not_judged(judged):
    seen = judged(lambda choice: 0.7)
    params = parameters(margin=1, ageing=0, time_scale=5, weight_epochs=0, epochs=0)
    assert choose(town(), params, Run(1)) == START
    assert seen == []


@pytest.mark.parametrize(
    ("weights", "passes", "expected"),
    [
        (2 * W, (2 * W, 2 * W), (True, 0)),
        (W / 2, (0, 0), (False, 0)),
        (-W, (2 * P, 0), (False, 1)),
        (W / 2, (2 * P, 4 * P), (False, 2)),
        (0, (2 * P, 2.5 * P), (False, 1)),
        (0, (P / 2, 4 * P), (False, 0)),
        (2 * W, (2 * W + 2 * P, 2 * W + 4 * P), (True, 2)),
    ],
)
def test_a_stage_of_training_is_taken_only_if_it_adds_enough_to_the_one_before(weights, passes, expected, judged):
    judged(lambda one: 0.7 + (passes[one.passes - 1] if one.passes else weights if one.weights else 0))
    best = choose(town(), parameters(margin=1, ageing=0, time_scale=5, weight_epochs=1, epochs=2), Run(1))
    assert (best.weights, best.passes) == expected


@pytest.mark.parametrize("gain", [2 * W, -W])
def test_passes_go_on_from_trained_weights_only_if_those_were_taken(gain, judged):
    seen = judged(lambda one: 0.7 + gain * one.weights + 2 * P * one.passes)
    choose(town(), parameters(margin=1, ageing=0, time_scale=5, weight_epochs=1, epochs=2), Run(1))
    assert [(one.weights, one.passes) for one in seen if one.passes] == [(gain > 0, 1), (gain > 0, 2)]


def test_a_table_that_is_the_output_is_not_trained_through_z(judged):
    seen = judged(lambda choice: 0.7)
    choose(town(), parameters(output="table", **LISTS), Run(1))
    assert seen
    assert not any(choice.weights or choice.passes for choice in seen)


def test_every_candidate_is_reported_with_its_auc(judged):
    seen, run = judged(lambda choice: 0.7 + 0.01 * choice.passes), Run(1)
    best = choose(town(), parameters(epochs=2, **LISTS), run)
    assert run.facts["choice"] == vars(best)
    assert [Choice(**{k: v for k, v in one.items() if k != "auc"}) for one in run.facts["validation"]] == list(
        dict.fromkeys(seen)
    )
    assert {one["auc"] for one in run.facts["validation"]} == {0.7, 0.71, 0.72}


def test_scales_are_per_span_of_the_given_network_though_candidates_see_less_of_it(monkeypatch):
    asked = {}
    monkeypatch.setattr(module, "start", lambda model, past, params, table, weights, run: asked.update(table=table))
    monkeypatch.setattr(Judge, "auc", lambda *_: 0.5)
    past_of = module.past_of
    monkeypatch.setattr(module, "past_of", lambda n, p, scale: asked.update(scale=scale) or past_of(n, p, scale))
    network = town()
    choose(network, parameters(margin=[1, 2], ageing=2, time_scale=6, weight_epochs=0, epochs=0), Run(1))
    share = (network.time[319] - network.time[0]) / (network.time[399] - network.time[0])
    assert asked["scale"] == pytest.approx(6 * share)
    assert asked["table"].ageing == pytest.approx(2 * share)


@pytest.mark.usefixtures("one_thread")
def test_a_choice_does_not_see_contacts_that_lie_behind_the_given_ones():
    whole, found = town(), []
    for last in (whole.source, whole.source[::-1]):
        # Whoever meets after the first 350 contacts lies right behind them in memory.
        source = np.where(np.arange(400) < 350, whole.source, (last + 1) % PEOPLE).astype(np.int32)
        given, run = replace(whole, source=source).first(350), Run(1)
        choose(given, parameters(margin=[1, 2], ageing=1, time_scale=5, weight_epochs=0, epochs=0), run)
        found.append(run.facts["validation"])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    "aucs", [[0.6, 0.8, 0.7, 0.8, 0.9, 0.85], [0.8, 0.6, 0.7, 0.8, 0.7, 0.9], [0.8, 0.6, 0.9, 0.9, 0.5, 0.5]]
)
def test_a_fit_by_choice_equals_one_with_what_was_chosen_fixed(monkeypatch, aucs):
    """Two margins, then a second time scale, then the start again, the weights, and one pass."""
    network, run, rest = town(), Run(1), iter(aucs)
    monkeypatch.setattr(Judge, "auc", lambda *_: next(rest))
    z = ehna.fit(network, parameters(margin=[1, 2], ageing=[1], time_scale=[5, 15], epochs=1), run)
    assert list(rest) == []
    chosen = run.facts["choice"]
    fixed = {name: chosen[name] for name in ("margin", "ageing", "time_scale")}
    fixed |= {"weight_epochs": int(chosen["weights"]), "epochs": chosen["passes"], "validation_fraction": 0}
    assert z.tobytes() == ehna.fit(network, parameters(**fixed), Run(1)).tobytes()
    assert np.isfinite(z).all()
