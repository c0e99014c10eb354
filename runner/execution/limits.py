"""The limits of an attempt, and what its last step says when one is reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from pydantic import Field

from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import Ending
from runner.agents.settings import Settings, fill

PROMPT_TOKENS_MASKED: Final = 400_000
PROMPT_TOKENS: Final = 600_000


class Limits(Settings):
    """An attempt's limits; None is no limit. The defaults are SUPER's where it has one."""

    cell_seconds: float = Field(
        default=300.0,
        ge=1,
        description="how long a cell runs before the agent is asked to wait or to interrupt it",
    )
    execution_seconds: float | None = Field(
        default=1_800.0,
        ge=0,
        description="of all the agent's cells; thinking and pre-executed cells don't count",
    )
    wall_seconds: float | None = Field(
        default=14_400.0, ge=0, description="from start to end, thinking and pre-executed cells included"
    )
    prompt_tokens: int | None = Field(default=PROMPT_TOKENS, ge=0, description="of all prompts together")
    steps: int | None = Field(default=200, ge=0, description="of the agent")
    cost: float | None = Field(
        default=None, ge=0, description="in US dollars, by the prices in the agent's settings"
    )
    format_errors: int = Field(
        default=5, ge=1, description="how many replies in a row that can't be used end the attempt"
    )
    pre_execute_seconds: float = Field(default=1_800.0, ge=1, description="for each pre-executed cell")
    observation_characters: int = Field(
        default=1_000_000, ge=2, description="kept of one observation; its middle is left out beyond it"
    )

    @classmethod
    def for_task(cls, task: TaskSpec, **changes: Any) -> Limits:
        """SUPER's limits for a task, with ``changes``. A task with pre-executed cells has fewer tokens.

        Raises:
            SettingError: a change is unknown or wrong; names it.
        """
        tokens = PROMPT_TOKENS_MASKED if task.pre_execute_cells else PROMPT_TOKENS
        return fill(cls, {"prompt_tokens": tokens} | changes)


@dataclass(frozen=True, slots=True)
class Stop:
    """How the end of an attempt is recorded: as the content of a last step of type ``exception``.

    The texts are those of SUPER's format; ``ending`` is what one means.
    """

    content: str
    ending: Ending


CONTEXT: Final = Stop("Total context tokens exceeded.", Ending.CONTEXT)
WINDOW: Final = Stop("exit_context", Ending.CONTEXT)
TIME: Final = Stop("Total compute time exceeded.", Ending.TIME)
COST: Final = Stop("exit_cost", Ending.COST)
STEPS: Final = Stop("exit_steps", Ending.STEPS)
FORMAT: Final = Stop("exit_format", Ending.EXCEPTION)
DEAD: Final = Stop("The kernel died.", Ending.EXCEPTION)
CANCELLED: Final = Stop("The attempt was cancelled.", Ending.EXCEPTION)
INFRASTRUCTURE: Final = Stop("The attempt ended through no fault of the agent.", Ending.EXCEPTION)
