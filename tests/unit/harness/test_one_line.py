"""Text of strangers as one line."""

import pytest

from harness.one_line import one_line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a plain sentence, é 数", "a plain sentence, é 数"),
        ("two\nlines\r\n\tand a tab ", "two lines and a tab"),
        ("a\u2028b\u00a0c\x85d\x1ce", "a b c d e"),
        ("x \udcff y", r"x \udcff y"),
        ("\x1b[31mred\x00\x7f", r"\x1b[31mred\x00\x7f"),
        ("abc\u202edcba", r"abc\u202edcba"),
        ("", ""),
    ],
)
def test_text_becomes_one_line_that_can_be_written_anywhere(text: str, line: str) -> None:
    assert one_line(text) == line
    one_line(text).encode("utf-8")
