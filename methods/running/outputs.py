"""What a method returned, checked against the contract, and the files that say so."""

import os
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from harness.files import atomic_path
from methods.contract.errors import MethodError


def checked_embeddings(returned: Any, n_nodes: int, dimensions: int | None) -> NDArray[np.float32]:
    """The embeddings as a float32 array of shape (n_nodes, dimensions), or one sentence about what they are instead."""
    array = _numbers(returned, "fit")
    if array.ndim != 2 or len(array) != n_nodes or array.shape[1] == 0 or dimensions not in (None, array.shape[1]):
        expected = f"({n_nodes}, {'dimensions' if dimensions is None else dimensions})"
        raise MethodError(f"fit returned an array of shape {array.shape}, but the contract says {expected}")
    return np.ascontiguousarray(_finite(array, np.float32, "fit"))


def checked_scores(returned: Any, n_pairs: int) -> NDArray[np.float64]:
    """The scores as a float64 array with one number per pair, or one sentence about what they are instead."""
    array = _numbers(returned, "score")
    if array.shape != (n_pairs,):
        raise MethodError(f"score returned an array of shape {array.shape}, but the contract says ({n_pairs},)")
    return np.ascontiguousarray(_finite(array, np.float64, "score"))


def _numbers(returned: Any, function: str) -> NDArray[Any]:
    if not isinstance(returned, np.ndarray):
        raise MethodError(f"{function} returned {_with_article(type(returned).__name__)}, not a numpy array")
    if np.ma.is_masked(returned):
        raise MethodError(f"{function} returned an array with {np.ma.count_masked(returned)} masked values")
    returned = np.asarray(returned)
    if returned.dtype.kind not in "fiub":
        raise MethodError(f"{function} returned an array of {returned.dtype}, not of real numbers")
    return returned


def _finite(array: NDArray[Any], dtype: type[np.floating[Any]], function: str) -> NDArray[Any]:
    with np.errstate(over="ignore"):
        cast = array.astype(dtype, copy=False)
    finite = np.isfinite(cast)
    if not finite.all():
        rows = np.flatnonzero(~finite.reshape(len(cast), -1).all(axis=1))
        why = "NaN or infinity" if not np.isfinite(array).all() else f"numbers too large for {np.dtype(dtype)}"
        raise MethodError(f"{function} returned {why} in {len(rows)} of {len(cast)} rows, the first of them {rows[0]}")
    return cast


def _with_article(word: str) -> str:
    return f"{'an' if word[0] in 'aeiouAEIOU' else 'a'} {word}" if word != "NoneType" else "None"


def save_array(path: Path, array: NDArray[Any]) -> None:
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        # numpy reports a full disk without saying so; asked for the room beforehand, the system names the reason.
        if hasattr(os, "posix_fallocate") and array.nbytes:
            os.posix_fallocate(file.fileno(), 0, array.nbytes)
        np.save(file, array, allow_pickle=False)


def empty_array(kind: str) -> NDArray[Any]:
    """What stands in the array file of a fit or score that failed."""
    return np.empty((0, 0), np.float32) if kind == "fit" else np.empty(0, np.float64)
