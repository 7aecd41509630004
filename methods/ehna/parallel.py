"""Rows shared out among threads: each thread runs whole chunks with single-threaded operations.

Cutting a batch into chunks of rows keeps the state of a chunk in the cache from one LSTM step to the next, and lets
threads work without meeting. The chunks do not depend on the number of threads, so neither do the results.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

import torch
from threadpoolctl import ThreadpoolController
from torch import Tensor

T = TypeVar("T")

# 512 rows of four gates of width 128 are 1 MB: they stay in a second-level cache of 2 MB.
ROWS_PER_CHUNK = 512


@dataclass
class Workers:
    """Threads and reusable memory for one model. On a GPU: one chunk, no threads, and torch's own kernels."""

    threads: int = 1
    device: torch.device = field(default_factory=lambda: torch.device("cpu"))
    chunk: int = ROWS_PER_CHUNK
    fused: bool = True

    def __post_init__(self) -> None:
        if self.device.type != "cpu":
            self.chunk, self.fused = 2**31, False
        # How many threads a matrix product takes is a property of each thread, too, and its result depends on it.
        one_each = partial(torch.set_num_threads, 1)
        self._pool = ThreadPoolExecutor(self.threads, initializer=one_each) if self.threads > 1 else None
        self._blas = ThreadpoolController()  # of the products in compiled kernels
        self._free: list[Tensor] = []

    def map(self, function: Callable[[int], T], n: int) -> Iterator[T]:
        """function(0), …, function(n-1) in this order, computed by all threads."""

        def run(item: int) -> T:
            with torch.no_grad():  # whether gradients are recorded is a property of each thread
                return function(item)

        with self._blas.limit(limits=1, user_api="blas"):
            yield from map(run, range(n)) if self._pool is None or n == 1 else self._pool.map(run, range(n))

    def each(self, function: Callable[[int], None], n: int) -> None:
        for _ in self.map(function, n):
            pass

    def chunks(self, rows: int) -> list[tuple[int, int]]:
        size = self.chunk_size(rows)
        return [(first, min(first + size, rows)) for first in range(0, rows, size)]

    def chunk_size(self, rows: int) -> int:
        """At most `chunk`, and such that 2, 4 or 8 threads end together: one that ends early waits for the others."""
        n = -(-rows // self.chunk)
        for threads in (2, 4, 8):
            if n > threads // 2:
                n = -(-n // threads) * threads
        return max(1, -(-rows // max(1, n)))

    def take(self, size: int) -> Tensor:
        """Uninitialized memory; what `give` returned is used again, because fresh pages cost more than filling them."""
        fitting = [buffer for buffer in self._free if buffer.numel() >= size]
        if fitting:
            buffer = min(fitting, key=Tensor.numel)
            self._free = [other for other in self._free if other is not buffer]
        else:
            if self._free:  # too small for today's batch: let the largest go instead of keeping both
                largest = max(self._free, key=Tensor.numel)
                self._free = [other for other in self._free if other is not largest]
            buffer = torch.empty(size + size // 8, device=self.device)
        return buffer

    def give(self, *buffers: Tensor) -> None:
        self._free.extend(buffers)
