"""Steps per second and mean length of tempest-rw's forward walks, on the CPU, over the contacts of an npz file.

Runs in the environment of the peers.

Its wheel is built for a machine with a GPU's driver and names the driver's library, of which it takes no function for
walks on the CPU: where there is none, an empty library of that name stands in for it, or the module cannot be loaded.
"""

import ctypes
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from turns import answer_in_turns  # type: ignore[import-not-found]

DRIVER = "libcuda.so.1"


def load_driver_or_stand_in() -> None:
    try:
        ctypes.CDLL(DRIVER, mode=ctypes.RTLD_GLOBAL)
    except OSError:
        with tempfile.TemporaryDirectory() as folder:
            library = str(Path(folder) / DRIVER)
            subprocess.run(
                ["gcc", "-shared", f"-Wl,-soname,{DRIVER}", "-x", "c", "/dev/null", "-o", library], check=True
            )
            ctypes.CDLL(library, mode=ctypes.RTLD_GLOBAL)


def tempest(contacts: str, walk_length: int, n_walks: int) -> Callable[[], dict[str, float]]:
    load_driver_or_stand_in()
    from tempest import Tempest  # type: ignore[import-not-found]

    walker = Tempest(is_directed=False, use_gpu=False, global_seed=1)
    with np.load(contacts) as file:
        walker.add_multiple_edges(file["source"], file["target"], file["time"])

    def walk(number: int) -> int:
        found = walker.get_random_walks_and_times(
            max_walk_len=walk_length, walk_bias="Uniform", num_walks_total=number, initial_edge_bias="Uniform"
        )
        return int(found[2].astype(np.int64).sum()) - number  # the lengths count nodes

    walk(100)

    def measure() -> dict[str, float]:
        start = time.perf_counter()
        steps = walk(n_walks)
        return {"rate": steps / (time.perf_counter() - start), "mean_steps": steps / n_walks}

    return measure


def main() -> None:
    contacts, walk_length, n_walks = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    answer_in_turns({"tempest": lambda: tempest(contacts, walk_length, n_walks)})


if __name__ == "__main__":
    main()
