"""What an attempt used: metrics of every scoring, as its trajectory has them. Missing is missing, never 0."""

from __future__ import annotations

from typing import Final

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
