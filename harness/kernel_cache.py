"""Where numba keeps compiled kernels: a folder per state of the sources.

numba compiles a kernel anew when the file it stands in changes, but not when a kernel that it calls does, which is
compiled into it: after an update, fits would go on with the old code. So the folder has a name of its own for every
state of all files with kernels. Packages call this when they are imported, before they define a kernel.
"""

import hashlib
import os
import sys
from functools import cache
from pathlib import Path

from harness.code_files import PACKAGES, ROOT

VARIABLE = "NUMBA_CACHE_DIR"


@cache
def use_kernel_cache() -> None:
    """Tell numba, loaded or not, and child processes. In a folder that the user names, ours is a folder of it."""
    state = state_of_kernels(ROOT)
    folder = Path(os.environ.get(VARIABLE) or ROOT / ".kernels")
    if folder.name != state:
        folder /= state
    os.environ[VARIABLE] = str(folder)
    if "numba" in sys.modules:
        sys.modules["numba"].config.CACHE_DIR = str(folder)


def state_of_kernels(root: Path) -> str:
    """A name for the contents of all files that have to do with numba."""
    digest = hashlib.sha256()
    for package in PACKAGES:
        for file in sorted((root / package).rglob("*.py")):
            text = file.read_bytes()
            if b"numba" in text:
                digest.update(str(file.relative_to(root)).encode() + b"\0" + text + b"\0")
    return digest.hexdigest()[:16]
