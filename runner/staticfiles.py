"""Collects static files, only if they have changed."""

from __future__ import annotations

import hashlib

from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command


def collect_static_files_if_stale() -> bool:
    """Run `collectstatic` if static files have changed since its last run; return whether it ran."""
    mark = settings.VAR / "static.collected"
    fingerprint = static_files_fingerprint()
    if settings.STATIC_ROOT.is_dir() and mark.is_file() and mark.read_text() == fingerprint:
        return False
    # Cleared, as `collectstatic` keeps a file that is newer than its source, even if the source differs.
    call_command("collectstatic", clear=True, interactive=False, verbosity=0)
    mark.write_text(fingerprint)
    return True


def static_files_fingerprint() -> str:
    """Return a digest of the paths, sizes and times of all static files, and of the storage setting."""
    digest = hashlib.sha256(repr(settings.STORAGES["staticfiles"]).encode())
    for finder in get_finders():
        for path, storage in sorted(finder.list([]), key=lambda found: found[0]):
            about = (storage.path(path), storage.size(path), storage.get_modified_time(path))
            digest.update(repr(about).encode())
    return digest.hexdigest()
