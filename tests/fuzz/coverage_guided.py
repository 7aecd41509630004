"""Coverage-guided fuzzing of one reader with atheris: `python -m tests.fuzz.coverage_guided yelp_json -runs=20000`.

`make fuzz` installs atheris beside the other dependencies and runs this. It follows Python code only, so it finds most
in readers that are Python through and through; the hypothesis tests beside it try all of them.
"""

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(
    include=["harness", "networks", "methods", "evaluation", "workflow", "yaml", "json", "csv"]
):
    from tests.fuzz.targets import TARGETS, feed


def main(name: str, arguments: list[str]) -> None:
    """Arguments are libFuzzer's; an input that crashes the reader is left in the working folder as `crash-…`."""
    target = TARGETS[name]
    with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryDirectory() as corpus:
        for number, document in enumerate(target.documents()):
            Path(corpus, f"document-{number}").write_bytes(document)
        dictionary = Path(scratch, "pieces.txt")
        escaped = ("".join(f"\\x{byte:02x}" for byte in piece) for piece in target.pieces if len(piece) <= 64)
        dictionary.write_text("".join(f'"{piece}"\n' for piece in escaped))
        words = ["coverage_guided", corpus, f"-dict={dictionary}", "-timeout=60", "-rss_limit_mb=4000", *arguments]

        def read(contents: bytes) -> None:
            feed(target, contents, Path(scratch))

        atheris.Setup(words, read)
        atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
