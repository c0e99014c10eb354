"""What is kept of an attempt beside its rendering, as the columns of its row and of its steps' rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from leaderboard.diagnosis import Diagnosis
from leaderboard.domain.errors import Problem
from leaderboard.domain.text import storable
from leaderboard.domain.trajectory import MISSING, JsonValue, Trajectory
from leaderboard.formats.documents import json_text
from leaderboard.rendering.model import OutlineItem, Rendering


def attempt_fields(trajectory: Trajectory, warnings: Iterable[Problem]) -> dict[str, Any]:
    """An attempt's columns about its trajectory; ``warnings`` are added to those of the format."""
    answer = trajectory.answer
    return {
        # A file of answers has no steps.
        "has_trajectory": bool(trajectory.steps),
        "format": trajectory.format,
        "query": storable(trajectory.query),
        "prompt": storable(trajectory.prompt),
        "answer": "" if answer is MISSING else storable(_json_text(answer)),
        "ending": trajectory.shown_ending,
        "ending_detail": storable(trajectory.ending_detail)[:200],
        "step_count": len(trajectory.steps),
        "duration": trajectory.duration,
        "wall_time": trajectory.wall_time,
        "cost": trajectory.cost,
        "prompt_tokens": trajectory.prompt_tokens,
        "response_tokens": trajectory.response_tokens,
        "cached_tokens": trajectory.cached_tokens,
        "reasoning_tokens": trajectory.reasoning_tokens,
        "agent": storable(trajectory.agent),
        "model": storable(trajectory.model),
        "rewards": [[storable(name), storable(json_text(value))] for name, value in trajectory.rewards],
        "patch": storable(trajectory.patch),
        "warnings": [warning.as_data() for warning in (*trajectory.warnings, *warnings)],
    }


def diagnosis_fields(diagnosis: Diagnosis) -> dict[str, Any]:
    return {
        "diagnosis": diagnosis.as_data(),
        "diagnosis_version": diagnosis.version,
        "finding": diagnosis.findings[0].kind if diagnosis.findings else "",
    }


def _json_text(answer: JsonValue) -> str:
    """An answer as JSON, indented unless it is nested too deeply for the Python encoder that indents."""
    try:
        return json.dumps(answer, ensure_ascii=False, indent=2)
    except RecursionError:
        return json.dumps(answer, ensure_ascii=False)


def step_texts(rendering: Rendering) -> Iterator[tuple[OutlineItem, dict[str, str]]]:
    """Each step's line of the outline, and its texts as shown by the names of their columns."""
    texts = {(text.step, text.part): text.text for text in rendering.texts}
    for item in rendering.outline:
        yield (
            item,
            {
                "thought": texts.get((item.number, "thought"), ""),
                "action": texts.get((item.number, "action"), ""),
                "observation": texts.get((item.number, "output"), ""),
            },
        )
