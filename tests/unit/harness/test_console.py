"""`tne PACKAGE …` is `python -m PACKAGE …`."""

import sys

import pytest

from harness.console import main


@pytest.mark.parametrize("package", ["networks", "methods", "evaluation", "workflow"])
def test_a_package_is_run_with_the_words_that_follow(
    package: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["tne", package, "--help"])
    monkeypatch.delitem(sys.modules, f"{package}.__main__", raising=False)
    with pytest.raises(SystemExit, match="0"):
        main()
    assert capsys.readouterr().out.startswith(f"usage: python -m {package} ")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--help"], 0, "usage: tne {networks,methods,evaluation"),
        ([], 2, "usage: tne {networks,methods,evaluation"),
        (["network"], 2, "error: tne network: no such command; did you mean 'networks'?\n"),
    ],
)
def test_without_a_package_it_says_which_there_are(
    words: list[str], code: int, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["tne", *words])
    assert main() == code
    assert "".join(capsys.readouterr()).startswith(said)
