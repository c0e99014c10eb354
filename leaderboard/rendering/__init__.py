"""Renders trajectories to what is stored and shown. Pure Python, without Django; no web request renders.

The package imports a name on its first use: nbconvert, nbformat and plotly take longer to import than Django,
and code that only reads stored pages needs none of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leaderboard.rendering.addresses import fill, fill_with_steps
    from leaderboard.rendering.attempt import render_attempt
    from leaderboard.rendering.charts import accuracy_against_landmarks, accuracy_by_category
    from leaderboard.rendering.model import Rendering, Whole
    from leaderboard.rendering.notebook import notebook_bytes, to_notebook
    from leaderboard.rendering.standalone import standalone_html
    from leaderboard.rendering.title import with_title

__all__ = [
    "Rendering",
    "Whole",
    "accuracy_against_landmarks",
    "accuracy_by_category",
    "fill",
    "fill_with_steps",
    "notebook_bytes",
    "render_attempt",
    "standalone_html",
    "to_notebook",
    "with_title",
]

_MODULES = {
    "Rendering": "model",
    "Whole": "model",
    "accuracy_against_landmarks": "charts",
    "accuracy_by_category": "charts",
    "fill": "addresses",
    "fill_with_steps": "addresses",
    "notebook_bytes": "notebook",
    "render_attempt": "attempt",
    "with_title": "title",
    "standalone_html": "standalone",
    "to_notebook": "notebook",
}
"""The module of each name. No name may equal a module's: Python would return the module instead."""

if not TYPE_CHECKING:  # A type checker would accept any name.

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
