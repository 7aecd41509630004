"""The best trial on the validation block is chosen; every trial is kept."""

import pytest

from evaluation.__main__ import build_parser
from evaluation.errors import EvaluationError
from evaluation.repeats_file import LINK_PREDICTION_COLUMNS
from evaluation.report.tables.tuning import choose
from harness.files import read_json, write_json, write_text

HEADER = ",".join(LINK_PREDICTION_COLUMNS) + "\n"


def trial(folder, number, parameters, aucs, status="ok", reason=""):
    """A trial with one AUC per operator, and an F1 that must not count: the paths of its table and of its fit."""
    fit = folder / f"fit-{number}.json"
    write_json(fit, {"parameters": parameters, "status": status})
    rows = [
        f"toy,m,1,1,paper,1,{operator},all,auc,{value},{status},{reason},,v\n"
        for operator, value in zip(("mean", "hadamard", "weighted_l1", "weighted_l2"), aucs, strict=True)
    ]
    rows.append(f"toy,m,1,1,paper,1,mean,all,f1,{'' if status != 'ok' else 0.99},{status},{reason},,v\n")
    write_text(folder / f"trial-{number}.csv", HEADER + "".join(rows))
    return folder / f"trial-{number}.csv", fit


def chosen_of(trials):
    return choose(*map(list, zip(*trials, strict=True)))


def test_the_trial_with_the_best_mean_auc_over_operators_is_chosen(tmp_path):
    trials = [
        trial(tmp_path, 0, {"p": 1, "dimensions": 8}, [0.5, 0.6, 0.7, 0.8]),
        trial(tmp_path, 1, {"p": 2, "dimensions": 8}, [0.9, 0.6, 0.7, 0.8]),
    ]
    tuned = chosen_of(trials)
    assert tuned["chosen"] == 1
    assert tuned["parameters"] == {"p": 2}
    assert [record["score"] for record in tuned["trials"]] == pytest.approx([0.65, 0.75])


def test_the_first_of_equal_trials_wins_so_that_defaults_stay(tmp_path):
    trials = [trial(tmp_path, number, {"p": number}, [0.5, 0.6, 0.7, 0.8]) for number in range(2)]
    assert chosen_of(trials)["chosen"] == 0


def test_a_failed_trial_is_kept_with_its_reason_and_never_chosen(tmp_path):
    trials = [
        trial(tmp_path, 0, {"p": 1}, ["", "", "", ""], status="oom", reason="too large"),
        trial(tmp_path, 1, {"p": 2}, [0.1, 0.1, 0.1, 0.1]),
    ]
    tuned = chosen_of(trials)
    assert tuned["chosen"] == 1
    assert tuned["trials"][0] == {"parameters": {"p": 1}, "score": None, "status": "oom", "reason": "too large"}


def test_if_every_trial_failed_the_defaults_stand(tmp_path):
    trials = [trial(tmp_path, 0, {"p": 1}, ["", "", "", ""], status="failed", reason="why")]
    assert (chosen_of(trials)["parameters"], chosen_of(trials)["chosen"]) == ({}, None)


def test_no_trials_is_a_mistake_in_the_configuration():
    with pytest.raises(EvaluationError, match="no trials"):
        choose([], [])


def test_every_trial_needs_its_fit(tmp_path):
    (table, _) = trial(tmp_path, 0, {"p": 1}, [0.5, 0.6, 0.7, 0.8])
    with pytest.raises(EvaluationError, match="1 trials and 0 fits"):
        choose([table], [])


def test_the_choice_is_written_only_when_it_is_another_one(tmp_path):
    choice, scores = tmp_path / "chosen.json", tmp_path / "scores.json"

    def choose_between(*aucs):
        tried = [trial(tmp_path, number, {"p": number}, [auc] * 4) for number, auc in enumerate(aucs)]
        tables, fits = (list(map(str, paths)) for paths in zip(*tried, strict=True))
        words = ["choose", "--trials", *tables, "--fits", *fits, "--choice", str(choice), "--scores", str(scores)]
        chosen = build_parser(words).parse_args(words)
        chosen.command(chosen)
        return choice.stat().st_ino, read_json(choice)["parameters"], read_json(scores)["trials"][0]["score"]

    first, parameters, score = choose_between(0.5, 0.6)
    assert (parameters, score) == ({"p": 1}, 0.5)
    assert choose_between(0.55, 0.6) == (first, {"p": 1}, 0.55)
    other, parameters, _ = choose_between(0.7, 0.6)
    assert other != first
    assert parameters == {"p": 0}
