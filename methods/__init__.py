"""Methods: one folder each, with `method.yaml` and `fit.py` or `score.py`; contract/, running/ and kernels/ serve them.

Imports harness and networks, never evaluation. For notebooks: `fit`.
"""

from typing import TYPE_CHECKING

from harness.exports import lazily
from harness.kernel_cache import use_kernel_cache

if TYPE_CHECKING:
    from methods.library import fit

__all__ = ["fit"]

use_kernel_cache()
__getattr__ = lazily(__name__, {"library": ("fit",)})
