"""Renders an attempt: trajectory -> notebook -> everything that is stored."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from leaderboard.domain.scores import LandmarkResult
from leaderboard.domain.trajectory import Trajectory
from leaderboard.rendering.exporter import ExportState, export
from leaderboard.rendering.model import Rendering, Whole
from leaderboard.rendering.notebook import to_notebook


def render_attempt(
    trajectory: Trajectory,
    landmarks: tuple[LandmarkResult, ...] = (),
    *,
    hits_before: Mapping[int, int] = MappingProxyType({}),
    outputs: Mapping[int, Whole] = MappingProxyType({}),
) -> Rendering:
    """Render everything that is stored for one attempt's trajectory.

    ``hits_before`` has each landmark's number of hits in earlier steps of the page that are rendered
    separately, so that a hit's HTML id is unique. ``outputs``, by step, are those shown in part only.
    """
    notebook = to_notebook(trajectory, landmarks, outputs)
    state = ExportState(ordinals=dict(hits_before))
    html = export(notebook, state)
    return Rendering(
        notebook=notebook,
        html=html,
        outline=tuple(state.outline),
        pages=tuple(state.pages),
        texts=tuple(state.texts),
    )
