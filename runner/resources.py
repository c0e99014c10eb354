"""Whether there is room to run a unit: a full disk or memory would fail it for no fault of the agent."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from django.conf import settings

from leaderboard.domain.texts import NOTHING, Text
from leaderboard.domain.texts import gettext as _

MEMINFO = Path("/proc/meminfo")


def shortage() -> Text:
    """Why no unit should start now, naming what is short and the setting; nothing where nothing is."""
    free_disk = shutil.disk_usage(settings.VAR).free >> 20
    if free_disk < settings.RUNNER_MIN_FREE_DISK_MB:
        wanted = settings.RUNNER_MIN_FREE_DISK_MB
        return _(
            "{free} MB of disk are free, fewer than {setting}",
            free=free_disk,
            setting=f"RUNNER_MIN_FREE_DISK_MB={wanted}",
        )
    free_memory = available_memory_mb()
    if free_memory < settings.RUNNER_MIN_FREE_MEMORY_MB:
        wanted = settings.RUNNER_MIN_FREE_MEMORY_MB
        return _(
            "{free} MB of memory are free, fewer than {setting}",
            free=free_memory,
            setting=f"RUNNER_MIN_FREE_MEMORY_MB={wanted}",
        )
    return NOTHING


def available_memory_mb() -> int:
    """Memory that programs could still have, caches that would give way included, in megabytes."""
    if MEMINFO.exists():
        lines = dict(line.split(":", 1) for line in MEMINFO.read_text().splitlines())
        return int(lines["MemAvailable"].split()[0]) >> 10
    return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") >> 20
