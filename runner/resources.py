"""Checks free disk and memory before a unit starts, as a lack of them would make the attempt fail."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from django.conf import settings

MEMINFO = Path("/proc/meminfo")


def shortage() -> str:
    """Why no unit should start now: names the resource and the setting. Empty if there is enough."""
    free_disk = shutil.disk_usage(settings.VAR).free >> 20
    if free_disk < settings.RUNNER_MIN_FREE_DISK_MB:
        wanted = settings.RUNNER_MIN_FREE_DISK_MB
        return f"{free_disk:,} MB of disk are free, fewer than RUNNER_MIN_FREE_DISK_MB={wanted}"
    free_memory = available_memory_mb()
    if free_memory < settings.RUNNER_MIN_FREE_MEMORY_MB:
        wanted = settings.RUNNER_MIN_FREE_MEMORY_MB
        return f"{free_memory:,} MB of memory are free, fewer than RUNNER_MIN_FREE_MEMORY_MB={wanted}"
    return ""


def available_memory_mb() -> int:
    """Free memory in megabytes, with caches that the system would give up."""
    if MEMINFO.exists():
        lines = dict(line.split(":", 1) for line in MEMINFO.read_text().splitlines())
        return int(lines["MemAvailable"].split()[0]) >> 10
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
