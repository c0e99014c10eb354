"""Static files that come from a Python package rather than from a folder of ours."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import BaseFinder
from django.core.checks import CheckMessage
from django.core.files.storage import FileSystemStorage

PACKAGE_DATA = Path(str(files("plotly") / "package_data"))


class PlotlyFinder(BaseFinder):
    """`plotly/plotly.min.js`, out of the plotly package, and none of the package's other files."""

    name = "plotly.min.js"

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.storage = FileSystemStorage(location=PACKAGE_DATA)
        # Where `collectstatic` puts what this storage holds.
        self.storage.prefix = "plotly"  # type: ignore[attr-defined]

    def check(self, **kwargs: Any) -> list[CheckMessage]:
        return []

    def find(self, path: str, find_all: bool = False, **kwargs: Any) -> Any:
        if path != f"plotly/{self.name}":
            return []
        found = self.storage.path(self.name)
        return [found] if find_all else found

    def list(self, ignore_patterns: Iterable[str] | None) -> Iterator[tuple[str, FileSystemStorage]]:
        yield self.name, self.storage
