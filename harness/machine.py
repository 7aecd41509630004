"""The machine that a number was measured on, without anything that names its owner."""

import os
import platform
from pathlib import Path
from typing import Any

import psutil


def describe_machine() -> dict[str, Any]:
    """The hardware and system that matter for a timing."""
    return {
        "processor": processor_name(),
        "cores": os.cpu_count(),
        "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def processor_name() -> str:
    information = Path("/proc/cpuinfo")
    if information.exists():
        for line in information.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def machine_text(machine: dict[str, Any]) -> str:
    """The machine in a caption."""
    return f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gb']:g} GB, {machine['system']}"
