"""With fewer datasets or methods on the command line, what does not concern them is left out and named."""

from pathlib import Path

import pytest
import yaml

from harness.errors import UserError
from workflow.configuration import read_configuration
from workflow.experiments import read_experiments
from workflow.part import overridden, part_of

CONFIG = Path(__file__).parents[3] / "config"
WHOLE = {
    "run": "small",
    "datasets": ["college_msg", "pubmed"],
    "methods": ["line", "ehna", "random"],
    "ablation": ["ehna_na"],
    "efficiency": {"methods": ["line_10", "ehna"], "networks": ["pubmed"]},
    "sensitivity": {"dataset": "pubmed", "method": "ehna", "parameters": {"p": [2]}},
    "tuning": {"methods": ["line", "ehna"], "trials": 2},
    "embeddings": {"mine": {"files": {"pubmed": "x.npy"}}},
}


def part(**changes):
    return part_of(WHOLE | changes, changes)


def test_without_datasets_or_methods_on_the_command_line_nothing_is_left_out():
    assert part() == (WHOLE, [])
    assert part(seeds=[1, 2]) == (WHOLE | {"seeds": [1, 2]}, [])


def test_a_mistake_in_a_file_stays_a_mistake():
    assert part_of(WHOLE | {"datasets": ["college_msg"]}, {}) == (WHOLE | {"datasets": ["college_msg"]}, [])


def test_without_its_network_the_sensitivity_is_left_out_and_named():
    config, (sentence,) = part(datasets=["college_msg"])
    assert not {"sensitivity"} & set(config)
    assert config["embeddings"] == {}
    assert config["tuning"] == WHOLE["tuning"]
    assert config["efficiency"]["networks"] == []
    for words in ("sensitivity (of ehna on pubmed)", "embeddings mine", "efficiency.networks pubmed"):
        assert words in sentence


def test_methods_that_are_absent_are_neither_tuned_nor_timed_nor_ablated():
    config, (sentence,) = part(methods=["line"])
    assert config["tuning"]["methods"] == ["line"]
    assert config["efficiency"]["methods"] == ["line_10"]
    assert config["ablation"] == []
    assert "sensitivity" not in config
    assert "ablation ehna_na; efficiency.methods ehna; tuning.methods ehna; sensitivity" in sentence


def test_a_section_with_nothing_left_is_gone():
    config, _ = part(methods=["random"])
    assert not {"tuning", "efficiency", "sensitivity"} & set(config)


@pytest.mark.parametrize(
    "changes",
    [{"datasets": ["digg"], "methods": ["htne", "ehna"]}, {"datasets": ["tmall", "yelp"]}, {"methods": ["degree"]}],
)
@pytest.mark.parametrize("name", ["paper", "quick", "full", "demo"])
def test_a_part_of_a_real_configuration_is_a_configuration(name, changes):
    whole = yaml.safe_load((CONFIG / f"{name}.yaml").read_text())
    config, _ = part_of(whole | changes, changes)
    read_experiments(read_configuration(config))


def test_what_is_wrong_is_left_to_the_check():
    assert part_of({"datasets": "digg"}, {"datasets": "digg"}) == ({"datasets": "digg"}, [])


def test_words_of_the_command_line_are_read_as_yaml():
    assert overridden(["datasets=[digg]", "run=a"]) == {"datasets": ["digg"], "run": "a"}
    with pytest.raises(UserError, match="write it as KEY=VALUE"):
        overridden(["digg"])
    with pytest.raises(UserError, match="not YAML"):
        overridden(["datasets=[digg"])
