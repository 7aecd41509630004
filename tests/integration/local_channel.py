"""A conda channel in a folder: packages of a few lines each, archived and indexed as a real channel has them."""

import asyncio
import hashlib
import io
import json
import sys
import tarfile
from pathlib import Path
from typing import Any

from rattler.index import index_fs

# The interpreter of the channel is this one behind a script that writes down what it was asked to run.
PYTHON = f"""#!/bin/sh
echo "$*" >> "${{0%/bin/python}}/commands.txt"
exec "{sys.executable}" "$@"
"""
PIP = """#!/bin/sh
exec "${0%/pip}/python" -m pip "$@"
"""


def make_channel(folder: Path, platform: str) -> None:
    """python 3.11 and a newer one that must not be chosen, pip, which needs one of them, and a program."""
    for version in ("3.11.9", "3.12.4"):
        make_package(folder, platform, "python", version, {"bin/python": PYTHON}, depends=[])
    make_package(folder, "noarch", "pip", "24.0", {"bin/pip": PIP}, depends=["python >=3.8"], noarch="generic")
    make_package(folder, "noarch", "greeter", "1.0", {"bin/greet": "#!/bin/sh\necho hello\n"}, [], noarch="generic")
    asyncio.run(index_fs(folder))


def make_package(
    channel: Path, subdir: str, name: str, version: str, files: dict[str, str], depends: list[str], **facts: Any
) -> None:
    """One .tar.bz2 with its files, and what conda wants to know about it in info/."""
    index = {"name": name, "version": version, "build": "0", "build_number": 0, "subdir": subdir, "depends": depends}
    paths = [
        {
            "_path": path,
            "path_type": "hardlink",
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
            "size_in_bytes": len(text.encode()),
        }
        for path, text in files.items()
    ]
    info = {
        "info/index.json": json.dumps(index | facts),
        "info/paths.json": json.dumps({"paths": paths, "paths_version": 1}),
    }
    (channel / subdir).mkdir(parents=True, exist_ok=True)
    with tarfile.open(channel / subdir / f"{name}-{version}-0.tar.bz2", "w:bz2") as archive:
        for path, text in (info | files).items():
            member = tarfile.TarInfo(path)
            member.size = len(text.encode())
            member.mode = 0o755
            archive.addfile(member, io.BytesIO(text.encode()))
