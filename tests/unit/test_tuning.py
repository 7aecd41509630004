"""The best trial on the validation block is chosen; every trial is kept."""

import pytest

from datasets.atomic import write_json, write_text
from evaluation.errors import EvaluationError
from evaluation.tuning import choose

HEADER = "dataset,method,seed,draw,protocol,split,operator,subset,metric,value,status,reason\n"


def trial(folder, number, parameters, aucs, status="ok", reason=""):
    """A trial with one AUC per operator, and an F1 that must not count."""
    write_json(folder / f"trial-{number}" / "fit.json", {"parameters": parameters, "status": status})
    rows = [
        f"toy,m,1,1,paper,1,{operator},all,auc,{value},{status},{reason}\n"
        for operator, value in zip(("mean", "hadamard", "weighted_l1", "weighted_l2"), aucs, strict=True)
    ]
    rows.append(f"toy,m,1,1,paper,1,mean,all,f1,{'' if status != 'ok' else 0.99},{status},{reason}\n")
    write_text(folder / f"trial-{number}.csv", HEADER + "".join(rows))
    return folder / f"trial-{number}.csv"


def test_the_trial_with_the_best_mean_auc_over_operators_is_chosen(tmp_path):
    trials = [
        trial(tmp_path, 0, {"p": 1, "dimensions": 8}, [0.5, 0.6, 0.7, 0.8]),
        trial(tmp_path, 1, {"p": 2, "dimensions": 8}, [0.9, 0.6, 0.7, 0.8]),
    ]
    chosen = choose(trials)
    assert chosen["chosen"] == 1
    assert chosen["parameters"] == {"p": 2}
    assert [record["score"] for record in chosen["trials"]] == pytest.approx([0.65, 0.75])


def test_the_first_of_equal_trials_wins_so_that_defaults_stay(tmp_path):
    trials = [trial(tmp_path, number, {"p": number}, [0.5, 0.6, 0.7, 0.8]) for number in range(2)]
    assert choose(trials)["chosen"] == 0


def test_a_failed_trial_is_kept_with_its_reason_and_never_chosen(tmp_path):
    trials = [
        trial(tmp_path, 0, {"p": 1}, ["", "", "", ""], status="oom", reason="too large"),
        trial(tmp_path, 1, {"p": 2}, [0.1, 0.1, 0.1, 0.1]),
    ]
    chosen = choose(trials)
    assert chosen["chosen"] == 1
    assert chosen["trials"][0] == {"parameters": {"p": 1}, "score": None, "status": "oom", "reason": "too large"}


def test_if_every_trial_failed_the_defaults_stand(tmp_path):
    trials = [trial(tmp_path, 0, {"p": 1}, ["", "", "", ""], status="failed", reason="why")]
    assert (choose(trials)["parameters"], choose(trials)["chosen"]) == ({}, None)


def test_no_trials_is_a_mistake_in_the_configuration():
    with pytest.raises(EvaluationError, match="no trials"):
        choose([])
