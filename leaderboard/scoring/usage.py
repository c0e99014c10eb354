"""What an attempt used: metrics of every scoring, as its trajectory has them. Missing is missing, never 0."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from leaderboard.scoring.contract import Metric, Unit


def _used(key: str, label: str, unit: Unit, about: str, *, recorded: str = "") -> Metric:
    return Metric(
        key=key,
        label=label,
        about=about,
        unit=unit,
        highest=None,
        more_is_better=False,
        recorded=recorded or key,
    )


EXECUTION_TIME: Final = _used(
    "execution_time",
    "Execution time",
    Unit.SECONDS,
    "How long an attempt's cells and commands ran, all together.",
    recorded="duration",
)
STEPS: Final = _used("steps", "Steps", Unit.COUNT, "Steps of an attempt.", recorded="step_count")
USAGE: Final = (
    _used("cost", "Cost", Unit.DOLLARS, "US dollars that an attempt's model calls cost, as its file says."),
    _used("prompt_tokens", "Prompt tokens", Unit.TOKENS, "Tokens that an attempt's model was given."),
    _used("response_tokens", "Response tokens", Unit.TOKENS, "Tokens that an attempt's model wrote."),
    _used(
        "wall_time",
        "Wall time",
        Unit.SECONDS,
        "From the start of an attempt's first step to the end of its last.",
    ),
    EXECUTION_TIME,
    STEPS,
)
LISTED: Final = (STEPS, EXECUTION_TIME)
"""What a list of attempts shows of it; an attempt's page shows all."""
PARTS_OF: Final = {
    "prompt_tokens": ("cached_tokens", "from a cache"),
    "response_tokens": ("reasoning_tokens", "reasoning"),
}
"""The columns that hold a part of what another column counts, with words for it."""


@dataclass(frozen=True, slots=True)
class Amount:
    """What an attempt used, by one metric; None where its file does not say.

    ``part`` of the value is of a kind of its own, which ``part_label`` names; 0 where the file tells of none.
    """

    metric: Metric
    value: float | None
    part: int = 0
    part_label: str = ""


def recorded_value(attempt: Any, metric: Metric) -> float | None:
    """What an attempt used, by a metric of `Metric.recorded`; None where its file does not tell."""
    value: float | None = getattr(attempt, metric.recorded)
    return value if attempt.has_trajectory else None


def amounts_used(attempt: Any, metrics: Iterable[Metric]) -> list[Amount]:
    """What an attempt used, by each of ``metrics``. No query."""
    return [
        Amount(metric, recorded_value(attempt, metric), getattr(attempt, field, None) or 0, label)
        for metric in metrics
        for field, label in [PARTS_OF.get(metric.recorded, ("", ""))]
    ]
