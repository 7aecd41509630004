"""Builds the plain C program of LINE with the flags of the authors' makefile and calls it."""

import ctypes
import subprocess
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from harness.errors import UserError

FLAGS = ["-Ofast", "-march=native", "-funroll-loops", "-ffast-math", "-pthread"]


class PlainLine:
    """One network prepared for training: every edge in both directions, alias table, noise table, start vectors."""

    def __init__(
        self, n_nodes: int, pairs: NDArray[np.int32], weights: NDArray[np.float32], dimensions: int, folder: Path
    ) -> None:
        self.library = ctypes.CDLL(str(build(folder)))
        self.library.prepare.restype = ctypes.c_void_p
        # The program keeps pointers to these.
        self.source = np.concatenate([pairs[:, 0], pairs[:, 1]])
        self.target = np.concatenate([pairs[:, 1], pairs[:, 0]])
        self.weights = np.concatenate([weights, weights])
        self.model = ctypes.c_void_p(
            self.library.prepare(
                ctypes.c_long(n_nodes),
                ctypes.c_long(len(self.source)),
                self.source.ctypes.data_as(ctypes.c_void_p),
                self.target.ctypes.data_as(ctypes.c_void_p),
                self.weights.ctypes.data_as(ctypes.c_void_p),
                dimensions,
            )
        )

    def train(self, samples: int, order: int, negatives: int, threads: int, learning_rate: float) -> None:
        self.library.train(self.model, ctypes.c_long(samples), order, negatives, threads, ctypes.c_float(learning_rate))


def build(folder: Path) -> Path:
    source, library = Path(__file__).with_suffix(".c"), folder / "plain_line.so"
    try:
        outcome = subprocess.run(
            ["gcc", *FLAGS, "-shared", "-fPIC", source, "-o", library, "-lm"], capture_output=True, text=True
        )
    except FileNotFoundError:
        raise UserError("the peer of the LINE benchmark is a C program; install gcc and run again") from None
    if outcome.returncode != 0:
        raise UserError(f"{source}: gcc failed: {outcome.stderr.strip()}")
    return library
