"""Methods that do what none should, as folders to drop into a copy of the project."""

import textwrap
from pathlib import Path

DESCRIPTION = """
label: {label}
role: baseline
citation: none
description: misbehaves on purpose
"""

BODIES = {
    "hangs": """
        import time
        time.sleep(100_000)
    """,
    "eats_memory": """
        kept = []
        while True:
            kept.append(np.ones(5_000_000))
    """,
    "gives_nan": """
        with run.epoch(1, "edges"):
            return np.full((network.n_nodes, 2), np.nan, np.float32)
    """,
    "gives_rubbish": """
        with run.epoch(1, "edges"):
            return "these are no vectors"
    """,
    "crashes": """
        import os
        os.abort()
    """,
    "is_killed_once": """
        import os
        from pathlib import Path
        if not Path("killed once").exists():
            Path("killed once").touch()
            os.kill(os.getpid(), 9)
        with run.epoch(1, "edges"):
            return np.eye(network.n_nodes, 2, dtype=np.float32) + 1
    """,
    "fills_its_files": """
        for _ in range(3):
            (run.folder / "array.npy").write_bytes(b"rubbish" * 1000)
            (run.folder.parent / "embeddings.npy").write_bytes(b"rubbish" * 1000)
            (run.folder.parent / "fit.json").write_text("{}")
        raise RuntimeError("after writing rubbish into its folder")
    """,
}


def put_method(project: Path, name: str, body: str) -> None:
    """A folder in methods/ whose `fit` has this body; a misbehaving fit never gets to its end."""
    folder = project / "methods" / name
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "method.yaml").write_text(DESCRIPTION.format(label=name.replace("_", " ")))
    start = "import numpy as np\n\n\ndef fit(network, params, run):\n"
    (folder / "fit.py").write_text(start + textwrap.indent(textwrap.dedent(body), "    "))
