"""docs/library.md works as written, from another folder: its sessions are run and their output is compared."""

import doctest
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "library.md"
NUMBER = re.compile(r"\b0\.\d\d?\b")
# Metrics of trained vectors differ between processors in the last digit that the page shows.
TOLERANCE = 0.03


class NearNumbers(doctest.OutputChecker):
    """The same text, but numbers below 1 with two digits may differ a little."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        wanted, found = ([float(number) for number in NUMBER.findall(text)] for text in (want, got))
        if wanted and (len(found) != len(wanted) or found != pytest.approx(wanted, abs=TOLERANCE)):
            return False
        return super().check_output(NUMBER.sub("#", want), NUMBER.sub("#", got), optionflags)


def test_the_page_shows_what_its_sessions_print(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    session = "\n".join(re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL))
    page = doctest.DocTestParser().get_doctest(session, {}, PAGE.name, str(PAGE), 0)
    assert len(page.examples) > 20
    said: list[str] = []
    runner = doctest.DocTestRunner(NearNumbers(), optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(page, out=said.append)
    assert not runner.failures, "".join(said)
    assert [file.name for file in tmp_path.iterdir()] == ["mails.csv"]
