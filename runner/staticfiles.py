"""Collect static files, but only when there is something new to collect."""

from __future__ import annotations

import hashlib

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command


def collect_static_files_if_stale() -> bool:
    """Run `collectstatic` unless it would collect what it collected last; return whether it ran."""
    mark = settings.VAR / "static.collected"
    fingerprint = static_files_fingerprint()
    if settings.STATIC_ROOT.is_dir() and mark.is_file() and mark.read_text() == fingerprint:
        return False
    # Cleared: `collectstatic` keeps a file that is newer than its source, even if that is now another one.
    call_command("collectstatic", clear=True, interactive=False, verbosity=0)
    mark.write_text(fingerprint)
    return True


def static_files_fingerprint() -> str:
    """Return a digest of the places, sizes and times of all static files, and of how they are stored."""
    digest = hashlib.sha256(repr(settings.STORAGES["staticfiles"]).encode())
    for finder in get_finders():
        for path, storage in sorted(finder.list([]), key=lambda found: found[0]):
            about = (storage.path(path), storage.size(path), storage.get_modified_time(path))
            digest.update(repr(about).encode())
    return digest.hexdigest()
