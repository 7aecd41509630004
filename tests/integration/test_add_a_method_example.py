"""docs/add-a-method.md, `python -m methods new` and docs/example_method are one example, and it works."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from methods.contract.errors import MethodError
from methods.contract.new_method import new_method
from tests.integration.scratch_methods import ROOT, copy_methods, environment, fit, methods

FILES = {
    "methods/decayed_factors/method.yaml": "method.yaml",
    "methods/decayed_factors/fit.py": "fit.py",
    "tests/unit/methods/test_decayed_factors.py": "test_fit.py",
}


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy in which the command made the example, and another method from it."""
    root = copy_methods(tmp_path_factory.mktemp("project"))
    for name in ("decayed_factors", "my_own"):
        done = methods(root, "new", name)
        assert (done.returncode, done.stderr) == (0, "")
    return root


def test_the_page_and_the_command_have_the_files_of_the_example(project: Path) -> None:
    page = (ROOT / "docs" / "add-a-method.md").read_text()
    shown = dict(re.findall(r"^`(\S+/\S+)`:\n\n```\w+\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL))
    example = {path: (ROOT / "docs" / "example_method" / name).read_text() for path, name in FILES.items()}
    assert shown == example
    assert {path: (project / path).read_text() for path in FILES} == example


def test_a_new_method_is_found_under_its_own_name(project: Path) -> None:
    said = methods(project, "describe", "my_own").stdout
    assert said.startswith("my_own: My own\n")
    assert "decay = 3.0  (a number, at least 0)" in said
    assert "my_own_static: My own without decay, decay = 0" in said
    assert "ecayed" not in said
    # Six nodes, and a vector of 128 numbers.
    assert fit(project, "my_own")["embeddings"]["dimensions"] == 128


def test_a_new_method_passes_its_own_test_and_the_conformance_suite(project: Path) -> None:
    suites = ["tests/unit/methods/test_my_own.py", "tests/integration/test_method_conformance.py"]
    command = [sys.executable, "-m", "pytest", "-rA", *suites, "-k", "my_own"]
    done = subprocess.run(command, cwd=project, env=environment(project), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout
    assert done.stdout.count("PASSED tests/unit/methods/test_my_own.py") == 3
    assert done.stdout.count("PASSED tests/integration/test_method_conformance.py") >= 10


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("Mine", '"Mine" is no name for a method; use small letters, digits and _, a letter first, no Py'),
        ("../mine", '"../mine" is no name for a method; use small letters, digits and _, a letter first, no Py'),
        ("lambda", '"lambda" is no name for a method; use small letters, digits and _, a letter first, no Py'),
        ("my_own", "my_own: a method or variant of this name, or my_own_static, exists; choose another"),
        ("edgebank_tw", "edgebank_tw: a method or variant of this name, or edgebank_tw_static, exists; choose another"),
        ("kernels", "methods/kernels: exists; choose another name"),
        ("registry", "tests/unit/methods/test_registry.py: exists; choose another name"),
    ],
)
def test_a_name_that_is_none_or_is_taken_is_refused(project: Path, name: str, sentence: str) -> None:
    before = sorted(project.rglob("*"))
    with pytest.raises(MethodError) as refused:
        new_method(name, project / "methods")
    assert str(refused.value).replace(f"{project}/", "").startswith(sentence)
    assert sorted(project.rglob("*")) == before
