"""No reader crashes, hangs or swells on a file from outside: it reads the file or says in one sentence why not.

FUZZ_INPUTS is the number of inputs for each reader; `make fuzz` sets it, and prints how many were accepted.
"""

import os
import resource
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings

from harness.errors import UserError
from tests.fuzz.mutations import changed_values, inputs
from tests.fuzz.targets import LONGEST_SENTENCE, ROOT, TARGETS, feed, planned

# Without the phase that explains a failure: it traces every line, and what was found first would end as a hang.
SETTINGS = settings(
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate, Phase.shrink],
)
INPUTS = int(os.environ.get("FUZZ_INPUTS", "40"))
# Of processor time, not of the clock: a busy machine is no hang.
LONGEST_READ_SECONDS = 20
# What a reader of a document of a few kilobytes may take on top of what the process has: libraries and their threads.
MOST_EXTRA_BYTES = 6 << 30


class HangError(BaseException):
    """A reader did not come back; no reader catches this one by accident."""


def ring(_number: int, _frame: FrameType | None) -> None:
    raise HangError(f"not done after {LONGEST_READ_SECONDS} s of processor time")


@pytest.fixture(scope="module", autouse=True)
def limited() -> Iterator[None]:
    """An alarm for readers that hang, a limit on address space for those that swell."""
    before = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MOST_EXTRA_BYTES, before[1]))
    old = signal.signal(signal.SIGPROF, ring)
    yield
    signal.signal(signal.SIGPROF, old)
    resource.setrlimit(resource.RLIMIT_AS, before)


@pytest.mark.parametrize("name", TARGETS)
def test_a_reader_accepts_a_file_or_says_why_not(name: str, tmp_path: Path) -> None:
    target = TARGETS[name]
    documents = target.documents()
    read = accepted = 0

    @settings(SETTINGS, max_examples=INPUTS)
    @given(inputs(documents, target.pieces))
    def check(contents: bytes) -> None:
        nonlocal read, accepted
        signal.setitimer(signal.ITIMER_PROF, LONGEST_READ_SECONDS)
        try:
            accepted += feed(target, contents, tmp_path)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        read += 1

    check()
    print(f"{name}: {read} inputs, {accepted} accepted")


@pytest.mark.parametrize("name", ["test", "demo", "paper"])
def test_a_configuration_with_wrong_values_is_refused_in_one_sentence(name: str) -> None:
    document = yaml.safe_load((ROOT / "config" / f"{name}.yaml").read_text())

    # A plan reads the catalog and all methods anew, so it takes much longer than a file.
    @settings(SETTINGS, max_examples=INPUTS // 5)
    @given(changed_values(document))
    def check(values: dict[str, Any]) -> None:
        try:
            planned(values)
        except UserError as error:
            assert 0 < len(str(error)) < LONGEST_SENTENCE

    check()


@pytest.mark.parametrize("name", TARGETS)
def test_the_documents_that_fuzzing_starts_from_are_sound(name: str, tmp_path: Path) -> None:
    assert all(feed(TARGETS[name], document, tmp_path) for document in TARGETS[name].documents())
