"""UserError: a mistake that a user can mend; every package has a kind of its own."""

MOST_CHARACTERS = 1500


class UserError(Exception):
    """A sentence for the user: what is wrong, where (file:line or key), and what to do.

    It may quote a file or a library, which may go on for ever; then its middle is left out, because the place stands at
    its beginning and the remedy at its end.
    """

    def __str__(self) -> str:
        sentence = super().__str__()
        if len(sentence) <= MOST_CHARACTERS:
            return sentence
        half = MOST_CHARACTERS // 2 - 3
        return f"{sentence[:half]} […] {sentence[-half:]}"
