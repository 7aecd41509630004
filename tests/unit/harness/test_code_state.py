"""What code does has a name that comments and layout do not change."""

from pathlib import Path

import pytest

from harness.code_state import files_state, module_state
from tests.unit.harness.test_code_files import project

SOURCE = 'def double(x):\n    """Twice x."""\n    return 2 * x\n'


def state_of(folder: Path, text: str) -> str:
    return module_state("networks.a", project(folder, networks__a=text))


@pytest.mark.parametrize(
    "edited",
    [
        "# another thought\n" + SOURCE,
        "\n\n" + SOURCE,
        SOURCE.replace("Twice x.", "Two times x."),
        SOURCE.replace('    """Twice x."""\n', ""),
        '"""A module."""\n' + SOURCE,
        SOURCE.replace("2 * x", "(2*x)"),
    ],
)
def test_comments_layout_and_docstrings_do_not_count(edited: str, tmp_path: Path) -> None:
    assert state_of(tmp_path / "edited", edited) == state_of(tmp_path / "before", SOURCE)


@pytest.mark.parametrize("edited", [SOURCE.replace("2", "3"), SOURCE + "y = 'text'\n", "def (:\n"])
def test_code_counts(edited: str, tmp_path: Path) -> None:
    assert state_of(tmp_path / "edited", edited) != state_of(tmp_path / "before", SOURCE)


def test_a_module_that_is_imported_counts_and_another_does_not(tmp_path: Path) -> None:
    root = project(tmp_path, networks__a="import networks.b\n", networks__b="x = 1\n", networks__c="x = 1\n")
    before = module_state("networks.a", root)
    (root / "networks" / "c.py").write_text("x = 222\n")
    assert module_state("networks.a", root) == before
    (root / "networks" / "b.py").write_text("x = 222\n")
    assert module_state("networks.a", root) != before


def test_a_description_beside_a_module_is_no_code(tmp_path: Path) -> None:
    root = project(tmp_path, methods__a__fit="x = 1\n")
    before = module_state("methods.a.fit", root)
    (root / "methods" / "a" / "method.yaml").write_text("label: A\n")
    assert module_state("methods.a.fit", root) == before


def test_files_in_other_languages_count_by_their_bytes_and_by_their_names(tmp_path: Path) -> None:
    first, second = tmp_path / "first.awk", tmp_path / "second.awk"
    first.write_text("# one\n")
    second.write_text("# one\n")
    before = files_state([first], tmp_path)
    assert files_state([second], tmp_path) != before
    first.write_text("# three\n")
    assert files_state([first], tmp_path) != before
