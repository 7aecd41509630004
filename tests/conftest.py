"""Tiny networks that can be drawn on paper, for every test.

`network_of` is a fixture that holds a function; tests may also `from tests.conftest import network_of`.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import settings

from networks.network import TemporalNetwork

# No deadline: the first example may compile a kernel, and no test may fail because the machine is busy.
settings.register_profile("no_deadline", deadline=None)
settings.load_profile("no_deadline")

Contact = tuple[int, int, float]


def network_of(contacts: Iterable[Contact], n_nodes: int | None = None, name: str = "toy") -> TemporalNetwork:
    """A network of (u, v, t) contacts in any order; nodes are the numbers given, `n_nodes` adds some without contact.

    Times are int64 unless one of them is a float; labels are the numbers as text.
    """
    rows = list(contacts)
    source = np.array([u for u, _, _ in rows], dtype=np.int32)
    target = np.array([v for _, v, _ in rows], dtype=np.int32)
    time = np.array(
        [t for _, _, t in rows], dtype=np.float64 if any(isinstance(t, float) for *_, t in rows) else np.int64
    )
    order = np.argsort(time, kind="stable")
    if n_nodes is None:
        n_nodes = 1 + max((max(u, v) for u, v, _ in rows), default=-1)
    labels = pa.array([str(node) for node in range(n_nodes)], pa.large_string())
    return TemporalNetwork(source[order], target[order], time[order], labels, name)


def labeled(contacts: Any) -> list[tuple[str, str, float]]:
    """Parsed contacts, or those of a network, as (label, label, time), row by row."""
    labels = contacts.labels.to_pylist()
    columns = (contacts.source.tolist(), contacts.target.tolist(), contacts.time.tolist())
    return [(labels[u], labels[v], t) for u, v, t in zip(*columns, strict=True)]


@pytest.fixture(scope="session", name="network_of")
def network_of_fixture() -> Callable[..., TemporalNetwork]:
    return network_of


@pytest.fixture
def path() -> TemporalNetwork:
    """0 - 1 - 2 - 3, each contact one second after the last."""
    return network_of([(0, 1, 1), (1, 2, 2), (2, 3, 3)])


@pytest.fixture
def triangle() -> TemporalNetwork:
    """Three nodes that meet in turn, and a fourth known only by its label."""
    return network_of([(0, 1, 10), (1, 2, 20), (2, 0, 30)], n_nodes=4)


@pytest.fixture
def star() -> TemporalNetwork:
    """Node 0 meets 1, 2, 3 and 4, one after the other."""
    return network_of([(0, leaf, leaf) for leaf in range(1, 5)])


@pytest.fixture
def one_edge() -> TemporalNetwork:
    return network_of([(0, 1, 5)])


@pytest.fixture
def one_timestamp() -> TemporalNetwork:
    """A square whose four contacts all happen at once."""
    return network_of([(0, 1, 7), (1, 2, 7), (2, 3, 7), (3, 0, 7)])


@pytest.fixture
def repeated() -> TemporalNetwork:
    """The pair 0, 1 meets three times, once named in reverse, and 1, 2 meet twice at the same time."""
    return network_of([(0, 1, 1), (1, 0, 2), (0, 1, 3), (1, 2, 4), (1, 2, 4)])


@contextmanager
def interrupted_after(saves: int) -> Iterator[list[dict[str, Any]]]:
    """A fit in this context is interrupted when it has saved so many checkpoints; yields what they hold."""
    from methods.contract.run import Run

    save = Run.save_checkpoint
    saved: list[dict[str, Any]] = []

    def save_then_stop(run: Run, **arrays: Any) -> None:
        save(run, **arrays)
        saved.append(arrays)
        if len(saved) == saves:
            raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Run, "save_checkpoint", save_then_stop)
        yield saved


@pytest.fixture
def gensim_jobs(monkeypatch: pytest.MonkeyPatch) -> list[tuple[list[list[int]], float]]:
    """Every batch that gensim trains on, as (sentences, learning rate)."""
    from gensim.models import Word2Vec

    seen = []
    train = Word2Vec._do_train_job

    def recording(model: Word2Vec, sentences: Any, alpha: float, inits: Any) -> Any:
        seen.append(([list(sentence) for sentence in sentences], alpha))
        return train(model, sentences, alpha, inits)

    monkeypatch.setattr(Word2Vec, "_do_train_job", recording)
    return seen


@pytest.fixture
def one_thread() -> Iterator[None]:
    """For torch and numba, as a fit has it: on networks this small more are slower, much so on a busy machine.

    They share a pool: a parallel kernel of numba gives torch as many threads as numba has.
    """
    import numba
    import torch

    before = torch.get_num_threads(), numba.get_num_threads()
    torch.set_num_threads(1)
    numba.set_num_threads(1)
    yield
    numba.set_num_threads(before[1])
    torch.set_num_threads(before[0])
