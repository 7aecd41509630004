"""The bytes of a result do not depend on where in memory the arrays of a kernel happen to lie.

LLVM turns a loop into two, one in vector registers and one for arrays that lie too close together, and decides between
them by addresses when the kernel runs. Where the loop takes a sum, the two round differently: a fit would then differ
from its repetition by where the heap had room. Hence no loop over a row both takes a sum and writes.
"""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from methods.ehna.table import NEGATIVES
from methods.ehna.table import step as ehna_step
from methods.htne.gradient import sample_gradient
from methods.htne.training import Batch, Setting, add_gradients
from methods.line.training import step

FLOATS_APART = [0, 4, 8, 12, 20, 36, 68, 140, 600]  # up to more than LLVM's farthest-reaching test, 2,048 bytes


def laid_out(shapes: list[tuple[int, ...]], apart: int, backwards: bool) -> list[NDArray[np.float32]]:
    """Arrays of random numbers in one stretch of memory, `apart` floats between one and the next."""
    sizes = [int(np.prod(shape)) for shape in shapes]
    memory = np.zeros(sum(sizes) + apart * len(sizes), dtype=np.float32)
    arrays: dict[int, NDArray[np.float32]] = {}
    start = 0
    for number in reversed(range(len(shapes))) if backwards else range(len(shapes)):
        values = np.random.default_rng(number).normal(size=shapes[number])
        arrays[number] = memory[start : start + sizes[number]].reshape(shapes[number])
        arrays[number][:] = values
        start += sizes[number] + apart
    return [arrays[number] for number in range(len(shapes))]


def htne_gradient(dimensions: int) -> tuple[list[tuple[int, ...]], Callable[..., object]]:
    def run(table, delta, elapsed, gradient, m, v, scalars):
        nodes = np.array([[0, 1, 2, 3, 4, 5, 6]], dtype=np.int32)
        elapsed[:] = abs(elapsed)
        return sample_gradient(table, delta, nodes, 3, 3, 3, elapsed, np.float32(-1), gradient, 0, 0, 7, m, v, scalars)

    return [(7, dimensions), (7,), (1, 3), (1, 7, dimensions), (dimensions,), (dimensions,), (4, 3)], run


def htne_step(dimensions: int) -> tuple[list[tuple[int, ...]], Callable[..., object]]:
    def run(table, delta, elapsed, gradient, delta_gradient):
        counts = np.array([3], dtype=np.int32)
        nodes = np.array([[0, 1, 2, 3, 4, 5, 6]], dtype=np.int32)
        batch = Batch(nodes, counts, counts, elapsed, gradient, delta_gradient, np.zeros(1))
        add_gradients(table, delta, 1, Setting(2, 3, 0.01, -1.0, False, 1), batch)

    return [(7, dimensions), (7,), (1, 3), (1, 7, dimensions), (1,)], run


def line_step(dimensions: int) -> tuple[list[tuple[int, ...]], Callable[..., object]]:
    def run(vertex, other, move_of_u):
        sources, targets = np.zeros(1, dtype=np.int32), np.array([[1, 2, 3]], dtype=np.int32)
        step(vertex, sources, other, targets, 0, 0, np.float32(0.05), move_of_u)

    return [(4, dimensions), (4, dimensions), (dimensions,)], run


def ehna_table(dimensions: int) -> tuple[list[tuple[int, ...]], Callable[..., object]]:
    def run(table, slope):
        table /= np.linalg.norm(table, axis=1, keepdims=True)
        drawn = np.arange(2, 2 + NEGATIVES, dtype=np.int32)
        ehna_step(table, 0, 1, drawn, 0, np.float32(5), np.float32(0.1), slope)

    return [(2 + NEGATIVES, dimensions), (dimensions,)], run


KERNELS = [htne_gradient, htne_step, line_step, ehna_table]


def results(shapes: list[tuple[int, ...]], run: Callable[..., object]) -> Iterator[bytes]:
    for apart in FLOATS_APART:
        for backwards in (False, True):
            arrays = laid_out(shapes, apart, backwards)
            returned = run(*arrays)
            yield b"".join(array.tobytes() for array in arrays) + repr(returned).encode()


@pytest.mark.parametrize("dimensions", [8, 20, 64, 128])
@pytest.mark.parametrize("kernel", KERNELS)
def test_a_kernel_gives_the_same_bytes_wherever_its_arrays_lie(kernel: Callable, dimensions: int) -> None:
    assert len(set(results(*kernel(dimensions)))) == 1
