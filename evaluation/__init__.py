"""Evaluation: the same examples for every method, two tasks on them, statistics, and the report of a run.

Imports harness and networks, never methods. For notebooks: `evaluate`.
"""

from typing import TYPE_CHECKING

from harness.exports import lazily
from harness.kernel_cache import use_kernel_cache

if TYPE_CHECKING:
    from evaluation.library import evaluate

__all__ = ["evaluate"]

use_kernel_cache()
__getattr__ = lazily(__name__, {"library": ("evaluate",)})
