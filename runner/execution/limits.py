"""What an attempt may use, and how its end is said when it is used up."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from leaderboard.domain.tasks import TaskSpec
from leaderboard.domain.trajectory import Ending
from runner.agents.settings import fill, setting
from runner.words import gettext_noop as _

PROMPT_TOKENS_MASKED: Final = 400_000
PROMPT_TOKENS: Final = 600_000


@dataclass(frozen=True, slots=True)
class Limits:
    """An attempt's limits; None is no limit. The defaults are SUPER's where it has one.

    ``runner.agents.settings.describe`` lists them for a form.
    """

    cell_seconds: float = setting(
        300.0, about=_("a cell runs so long before the agent is asked to wait or to interrupt it"), minimum=1
    )
    execution_seconds: float | None = setting(
        1_800.0,
        about=_("of the agent's cells together; thinking and pre-executed cells don't count"),
        minimum=0,
    )
    wall_seconds: float | None = setting(
        14_400.0, about=_("from start to end, thinking and pre-executed cells included"), minimum=0
    )
    prompt_tokens: int | None = setting(PROMPT_TOKENS, about=_("of all prompts together"), minimum=0)
    steps: int | None = setting(200, about=_("of the agent"), minimum=0)
    cost: float | None = setting(
        None, about=_("in US dollars, by the prices in the agent's settings"), minimum=0
    )
    format_errors: int = setting(
        5, about=_("so many replies in a row that can't be used end the attempt"), minimum=1
    )
    pre_execute_seconds: float = setting(1_800.0, about=_("for each pre-executed cell"), minimum=1)
    observation_characters: int = setting(
        1_000_000, about=_("kept of one observation; beyond it the middle is left out"), minimum=2
    )

    @classmethod
    def for_task(cls, task: TaskSpec, **changes: Any) -> Limits:
        """SUPER's limits for a task (a masked one has fewer tokens), with changes as in ``Agent.limits``.

        Raises:
            ValueError: a change is unknown or wrong; names it.
        """
        tokens = PROMPT_TOKENS_MASKED if task.pre_execute_cells else PROMPT_TOKENS
        return fill(cls, {"prompt_tokens": tokens} | changes)


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
