"""Trajectory -> notebook -> everything that is stored of it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from leaderboard.domain.scores import LandmarkResult
from leaderboard.domain.trajectory import Trajectory
from leaderboard.rendering.exporter import export
from leaderboard.rendering.model import Rendering, Whole
from leaderboard.rendering.notebook import to_notebook


def render_attempt(
    trajectory: Trajectory,
    landmarks: tuple[LandmarkResult, ...] = (),
    *,
    hits_before: Mapping[int, int] = MappingProxyType({}),
    outputs: Mapping[int, Whole] = MappingProxyType({}),
) -> Rendering:
    """Everything that is stored of one attempt's trajectory; see ``Rendering``.

    ``hits_before`` counts each landmark's hits in steps that are rendered elsewhere and come before these on
    the page: a hit's id is unique on it. ``outputs`` are those of which steps, by number, leave some out.
    """
    notebook = to_notebook(trajectory, landmarks, outputs)
    html, gathered = export(notebook, hits_before=hits_before)
    return Rendering(
        notebook=notebook,
        html=html,
        outline=tuple(gathered.outline),
        pages=tuple(gathered.pages),
        texts=tuple(gathered.texts),
    )
