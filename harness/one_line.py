"""Text that a program or a file gave, as one line that every file, table and terminal takes."""


def one_line(text: str) -> str:
    """White space of any kind is one space; characters that cannot be seen, or not be encoded, are spelt out.

    A lone surrogate (what Python makes of a byte that is no text) ends every write in UTF-8 with an error, and an
    escape character reaches the terminal or the page.
    """
    return " ".join("".join(character if _is_plain(character) else _spelt_out(character) for character in text).split())


def _is_plain(character: str) -> bool:
    return character.isprintable() or character.isspace()


def _spelt_out(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
