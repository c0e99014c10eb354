"""Trajectory -> what is stored and shown. Pure: no Django, no request ever renders.

A name of this package is imported when it is first used: nbconvert, nbformat and plotly take longer to import
than Django, and whoever only reads what is stored needs none of them.
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
    from leaderboard.rendering.title import retitled

__all__ = [
    "Rendering",
    "Whole",
    "accuracy_against_landmarks",
    "accuracy_by_category",
    "fill",
    "fill_with_steps",
    "notebook_bytes",
    "render_attempt",
    "retitled",
    "standalone_html",
    "to_notebook",
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
    "retitled": "title",
    "standalone_html": "standalone",
    "to_notebook": "notebook",
}
"""Where each name is; none is the name of a module here, which Python would put in its place."""

if not TYPE_CHECKING:  # A type checker would take every name for one of ours.

    def __getattr__(name: str) -> Any:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
