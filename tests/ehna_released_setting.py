"""Settings of ehna_released for its tests: all flags as released, or all on the paper's side, but for some changes."""

from typing import Any

from methods.ehna_released.setting import Setting
from methods.registry import load_method

SMALL = {"dimensions": 6, "walks": 4, "walk_length": 3, "negatives": 2, "batch_size": 16, "epochs": 2}


def released(**changes: Any) -> Setting:
    return Setting.of(load_method("ehna_released").defaults | SMALL | changes)


def paper(**changes: Any) -> Setting:
    return Setting.of(load_method("ehna_released_repaired").defaults | SMALL | changes)
