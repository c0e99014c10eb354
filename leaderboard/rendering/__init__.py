"""Trajectory -> what is stored and shown. Pure: no Django, no request ever renders."""

from __future__ import annotations

from leaderboard.domain.scores import LandmarkResult
from leaderboard.domain.trajectory import Trajectory
from leaderboard.rendering.exporter import export
from leaderboard.rendering.model import OutlineItem, Page, Rendering, StepText
from leaderboard.rendering.notebook import notebook_bytes, to_notebook
from leaderboard.rendering.prose import prose
from leaderboard.rendering.standalone import standalone_html
from leaderboard.rendering.words import english, fill

__all__ = [
    "OutlineItem",
    "Page",
    "Rendering",
    "StepText",
    "english",
    "fill",
    "last_step",
    "notebook_bytes",
    "prose",
    "render_attempt",
    "standalone_html",
    "to_notebook",
]


def last_step(html: str) -> str:
    """The section of the last step in a fragment that ``render_attempt`` made; empty where it has no step."""
    # No text of the agent's can look like it: "<" is escaped everywhere.
    _, tag, rest = html.rpartition('<section class="step ')
    return tag + rest


def render_attempt(trajectory: Trajectory, landmarks: tuple[LandmarkResult, ...] = ()) -> Rendering:
    """Everything that is stored of one attempt's trajectory; see ``Rendering``."""
    notebook = to_notebook(trajectory, landmarks)
    html, gathered = export(notebook)
    return Rendering(
        notebook=notebook,
        html=html,
        outline=tuple(gathered.outline),
        pages=tuple(gathered.pages),
        texts=tuple(gathered.texts),
    )
