"""The few commands of conda that snakemake's --use-conda gives, answered by py-rattler, which solves and installs.

As with conda, CONDA_CHANNEL_ALIAS says where channels that are only named lie. One difference: packages for pip must be
there already (`--no-index`), so that nothing is downloaded; pip still checks every pin and what the pins need.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml
from rattler import Channel, ChannelConfig, ChannelPriority, Gateway, MatchSpec, Subdir, install, solve

HOME = Path(os.environ["STAND_IN_CONDA_HOME"])


def main(words: list[str]) -> None:
    match words:
        case ["--version"]:
            print("conda 24.7.1")
        case ["info", "--json"]:
            print(json.dumps({"conda_prefix": str(HOME), "platform": str(Subdir.current())}))
        case ["config", "--get", "channel_priority", "--json"]:
            print(json.dumps({"get": {"channel_priority": "strict"}}))
        case ["clean", "-y", "--tarballs"]:
            pass  # what was installed does not need them, and they go with the test's folder
        case ["env", "create", *options]:
            parser = argparse.ArgumentParser(allow_abbrev=False)
            parser.add_argument("--quiet", action="store_true")
            parser.add_argument("--no-default-packages", action="store_true")
            parser.add_argument("--file", type=Path, required=True)
            parser.add_argument("--prefix", type=Path, required=True)
            arguments = parser.parse_args(options)
            create(yaml.safe_load(arguments.file.read_text()), arguments.prefix)
        case _:
            sys.exit(f"no such command here: conda {' '.join(words)}")


def create(environment: dict[str, Any], prefix: Path) -> None:
    """Solve and install the packages of an environment file, then give its `pip` section to the new interpreter."""
    alias = ChannelConfig(channel_alias=os.environ["CONDA_CHANNEL_ALIAS"])
    channels = [Channel(name, alias) for name in environment["channels"] if name != "nodefaults"]
    wanted = [MatchSpec(entry, strict=True) for entry in environment["dependencies"] if isinstance(entry, str)]
    asyncio.run(build(channels, wanted, prefix))
    pins = [pin for entry in environment["dependencies"] if isinstance(entry, dict) for pin in entry["pip"]]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as requirements:
        requirements.write("\n".join(pins))
        requirements.flush()
        pip = [str(prefix / "bin" / "pip"), "install", "--no-index", "--requirement", requirements.name]
        subprocess.run(pip, check=True)


async def build(channels: list[Channel], wanted: list[MatchSpec], prefix: Path) -> None:
    gateway = Gateway(cache_dir=HOME / "repodata")
    records = await solve(channels, wanted, gateway, channel_priority=ChannelPriority.Strict)
    await install(records, prefix, cache_dir=HOME / "packages", show_progress=False)


if __name__ == "__main__":
    main(sys.argv[1:])
