"""Maps the exit statuses and errors of frameworks to an `Ending`."""

from __future__ import annotations

from typing import Final

from leaderboard.domain.trajectory import Ending, JsonValue
from leaderboard.formats.documents import json_text

MAX_DETAIL: Final = 200
MAX_SEARCHED: Final = 5_000

# Substrings of a status or an error, in lower case; the first match decides.
_SIGNS: Final = (
    (Ending.CONTEXT, ("exit_context", "contextwindow", "context window", "context length", "token limit")),
    (Ending.COST, ("exit_cost", "cost_limit", "cost limit", "budget", "total cost")),
    (Ending.TIME, ("exit_total_execution_time", "exit_command_timeout", "max_compute_time", "time limit")),
    (Ending.TIME, ("timeout", "timed out", "timeexceeded", "time_limit", "working_limit", "time exceeded")),
    (Ending.STEPS, ("exit_steps", "step_limit", "limitsexceeded", "maximum iteration", "max_iteration")),
    (
        Ending.STEPS,
        ("message_limit", "max iterations", "maxiterations", "turn_limit", "max_turns", "max_steps"),
    ),
    (Ending.CONTEXT, ("tokens exceeded", "token_limit")),
)
_SUBMITTED: Final = ("submitted", "finished", "submit", "completed", "success")
_NOTHING: Final = ("", "none", "null", "unknown", "running")


def ending_of_status(status: JsonValue) -> tuple[Ending, str]:
    """The ending that a status means, and the status as text.

    ``submitted (exit_cost)`` is SWE-agent's status if it submitted its answer so far at a limit: it counts as
    submitted.
    """
    text = json_text(status).strip()
    # The exception's name is at the end of a traceback.
    detail, word = text[:MAX_DETAIL], text[-MAX_SEARCHED:].lower()
    if detail.lower().split(" ")[0] in _SUBMITTED:
        return Ending.SUBMITTED, detail
    if word in _NOTHING:
        return Ending.UNKNOWN, ""
    for ending, signs in _SIGNS:
        if any(sign in word for sign in signs):
            return ending, detail
    return Ending.EXCEPTION, detail
