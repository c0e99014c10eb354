"""What workers check and clean up: free disk and memory, sandboxes of dead workers."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from django.conf import settings

from leaderboard.runs.claims import live_claims
from runner.sandbox.base import SandboxError
from runner.sandbox.engine import connect, remove_orphans
from runner.sandbox.local import PRIVATE_LINK, PRIVATE_PREFIX
from runner.sandbox.process import kill_processes_with
from runner.worker.provision import CLAIM_FOLDERS, claim_label, docker_config, owner_id

logger = logging.getLogger(__name__)


def remove_local_orphans() -> None:
    """Remove folders of sandboxes and outputs that no live claim owns; end processes that run in them."""
    # Listed before the claims are, so that the folder of a job claimed in between is not in the list.
    folders = [folder for kind in CLAIM_FOLDERS for folder in (settings.VAR / kind).glob("*")]
    live = {claim_label(claim) for claim in live_claims()} if folders else set()
    for folder in folders:
        if folder.name not in live:
            # Programs that the cells of a local sandbox started outlive their worker.
            kill_processes_with(f"VIRTUAL_ENV={folder / 'env'}")
            remove_sockets_of(folder)
            shutil.rmtree(folder, ignore_errors=True)
            logger.warning("removed %s, which no job owns", folder.relative_to(settings.VAR))


def remove_sockets_of(folder: Path) -> None:
    """Remove the folder of a local sandbox's sockets, which is elsewhere, as its path must be short."""
    with suppress(OSError):
        private = (folder / PRIVATE_LINK).readlink()
        # A cell may have changed the link.
        if private.name.startswith(PRIVATE_PREFIX) and private.parent == Path(tempfile.gettempdir()):
            shutil.rmtree(private, ignore_errors=True)


def remove_docker_orphans() -> None:
    """Remove containers, networks and folders that no live claim owns, if an engine answers."""
    config = docker_config()
    try:
        client = connect(config)
    except SandboxError:
        # Docker is optional; a run that needs it reports what is missing.
        return
    try:
        labels = {claim_label(claim) for claim in live_claims()}
        # Younger ones may belong to a job that was claimed after the claims were read.
        age = settings.RUNNER_LEASE_SECONDS
        for name in remove_orphans(client, labels, owner=owner_id(), config=config, older_than=age):
            logger.warning("removed %s, which no job owns", name)
    except SandboxError as error:
        logger.warning("could not look for orphans: %s", error)
    finally:
        client.close()


MEMINFO = Path("/proc/meminfo")


def shortage() -> str:
    """Why no job should start now: names the resource and the setting. Empty if there is enough."""
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
