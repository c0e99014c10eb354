"""Static files: plotly's script from its package, and collecting the files when one changed."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from importlib.metadata import distribution
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.finders import BaseFinder, get_finders
from django.core.files.storage import FileSystemStorage
from django.core.management import call_command

# `importlib.resources` would import the package.
PACKAGE_DATA = str(distribution("plotly").locate_file("plotly/package_data"))


class PlotlyFinder(BaseFinder):
    """Finds `plotly/plotly.min.js` in the plotly package, and none of its other files."""

    name = "plotly.min.js"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.storage = FileSystemStorage(location=PACKAGE_DATA)
        # The folder into which `collectstatic` copies the file.
        self.storage.prefix = "plotly"  # type: ignore[attr-defined]

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> Any:
        if path != f"plotly/{self.name}":
            return []
        found = self.storage.path(self.name)
        return [found] if find_all else found

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, FileSystemStorage]]:
        yield self.name, self.storage


def collect_static_files_if_stale() -> bool:
    """Run `collectstatic` if static files have changed since its last run; return whether it ran."""
    stored = settings.VAR / "static.collected"
    fingerprint = static_files_fingerprint()
    if settings.STATIC_ROOT.is_dir() and stored.is_file() and stored.read_text() == fingerprint:
        return False
    # clear=True, because `collectstatic` keeps a file that is newer than its source, even if they differ.
    call_command("collectstatic", clear=True, interactive=False, verbosity=0)
    stored.write_text(fingerprint)
    return True


def static_files_fingerprint() -> str:
    """Return a digest of the paths, sizes and times of all static files, and of the storage setting."""
    digest = hashlib.sha256(repr(settings.STORAGES["staticfiles"]).encode())
    for finder in get_finders():
        for path, storage in sorted(finder.list([]), key=lambda found: found[0]):
            about = (storage.path(path), storage.size(path), storage.get_modified_time(path))
            digest.update(repr(about).encode())
    return digest.hexdigest()
