"""The hardware of this machine, for records."""

from __future__ import annotations

import contextlib
import os
import platform
from pathlib import Path
from typing import Any


def of_this_machine() -> dict[str, Any]:
    """``architecture``, ``system``, ``cpus``, ``processor`` and ``memory`` (bytes, null if unknown)."""
    return {
        "architecture": platform.machine(),
        "system": f"{platform.system()} {platform.release()}",
        "cpus": os.cpu_count(),
        "processor": _processor(),
        "memory": _memory(),
    }


def _processor() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            name, _, value = line.partition(":")
            if name.strip() == "model name":
                return value.strip()
    return platform.processor()


def _memory() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return None
