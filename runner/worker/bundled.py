"""The bundled benchmarks, whose tasks come with all that they need, and whose code is ours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from django.conf import settings

_FIXTURES: Final = settings.BASE_DIR / "fixtures"
BUNDLES: Final[Mapping[str, Path]] = {"warm-up": _FIXTURES / "warmup", "small-papers": _FIXTURES / "papers"}
"""Where each lies, by the benchmark's slug: repositories, scripted agents and their recordings."""


def scripts() -> Iterator[tuple[str, Path]]:
    """Every scripted agent, with the slug of the benchmark that it is for."""
    for benchmark, bundle in BUNDLES.items():
        for path in sorted((bundle / "agents").glob("*.json")):
            yield benchmark, path


def script_called(name: str) -> Path | None:
    """The script of the bundled agent called ``name``."""
    return next((path for _benchmark, path in scripts() if path.stem == name), None)
