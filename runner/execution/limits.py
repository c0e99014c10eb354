"""What an attempt may use, and how its end is said when it is used up."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import Ending

PROMPT_TOKENS_MASKED: Final = 400_000
PROMPT_TOKENS: Final = 600_000


@dataclass(frozen=True, slots=True)
class Limits:
    """An attempt's limits; None is no limit. The defaults are SUPER's where it has one.

    Attributes:
        cell_seconds: how long a cell runs before the agent is asked whether to wait or to interrupt it.
        execution_seconds: of the agent's cells together; thinking and pre-executed cells don't count.
        wall_seconds: from the first step to the last, thinking and pre-executed cells included.
        prompt_tokens: over all prompts together.
        steps: of the agent.
        cost: US dollars.
        format_errors: so many replies in a row that can't be read end the attempt.
        pre_execute_seconds: for each pre-executed cell.
        observation_characters: kept of one observation; beyond it the middle is left out.
    """

    cell_seconds: float = 300.0
    execution_seconds: float | None = 1_800.0
    wall_seconds: float | None = 4 * 3_600.0
    prompt_tokens: int | None = PROMPT_TOKENS
    steps: int | None = 200
    cost: float | None = None
    format_errors: int = 5
    pre_execute_seconds: float = 1_800.0
    observation_characters: int = 1_000_000

    @classmethod
    def for_task(cls, task: TaskSpec, **changes: Any) -> Limits:
        """SUPER's limits for a task (a masked one has fewer tokens), with changes as in ``Agent.limits``."""
        tokens = PROMPT_TOKENS_MASKED if task.pre_execute_cells else PROMPT_TOKENS
        return replace(cls(prompt_tokens=tokens), **changes)


@dataclass(frozen=True, slots=True)
class Stop:
    """How the end of an attempt is written down.

    Attributes:
        content: of the last step, whose type is ``exception``, in the words that readers of the format know.
        ending: what those words mean.
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
