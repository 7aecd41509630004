"""Peak memory of every baseline on a network of Tmall's size.

Fits are cut short, because the peak does not depend on the number of walks, samples or epochs, except for two bytes per
kept walk in CTDNE (at most 0.8 GB with Tmall's full budget).
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measurement import Measurement
from networks.synthetic import generate

TMALL = (577_314, 4_807_545)  # nodes, edges
LIMIT_GB = 12
CUT_SHORT = {
    "node2vec": ["walks_per_node=1", "walk_length=5"],
    "ctdne": ["walks_per_node=1", "walk_length=5", "window=5"],
    "line": ["samples_per_edge=1"],
    "htne": ["epochs=1"],
}


def measure() -> Iterator[Measurement]:
    with tempfile.TemporaryDirectory() as folder:
        network = Path(folder) / "network.arrow"
        generate(*TMALL, seed=1).save(network)
        for method, settings in CUT_SHORT.items():
            yield peak_memory(method, settings, network)


def peak_memory(method: str, settings: list[str], network: Path) -> Measurement:
    """Peak resident memory of a fit in its own process, as fit.json has it."""
    out = network.with_name(method)
    words = [word for setting in settings for word in ("--set", setting)]
    subprocess.run(
        [sys.executable, "-m", "methods", "fit", method, "--network", network, "--out", out, *words],
        check=True,
    )
    fitted = json.loads((out / "fit.json").read_text())
    data = f"generated: {TMALL[0]:,} nodes, {TMALL[1]:,} edges; {', '.join(settings)}; peer is the limit"
    return Measurement(
        f"peak memory: {method} at Tmall's size",
        fitted["peak_bytes"] / 1e9,
        LIMIT_GB,
        "GB",
        data,
        target=1,
        lower_is_better=True,
    )
