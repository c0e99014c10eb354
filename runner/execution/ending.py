"""The exception that ends an attempt."""

from __future__ import annotations

from leaderboard.domain.trajectory import Ending
from runner.execution.limits import INFRASTRUCTURE, Stop
from runner.execution.records import OutcomeKind


class AttemptEnded(Exception):
    """The attempt is over.

    Attributes:
        stop: what its last step records; None where no step is added.
        reason: one sentence.
        retry: for an infrastructure error, whether trying again may help.
        ending: taken from ``stop`` if there is one.
    """

    def __init__(
        self,
        kind: OutcomeKind,
        stop: Stop | None,
        reason: str,
        *,
        retry: bool = False,
        ending: Ending = Ending.UNKNOWN,
    ) -> None:
        super().__init__(reason)
        self.kind = kind
        self.stop = stop
        self.reason = reason
        self.retry = retry
        self.ending = stop.ending if stop else ending

    @classmethod
    def infrastructure(cls, reason: str, *, retry: bool) -> AttemptEnded:
        """It ended by an infrastructure error, not by the agent."""
        return cls(OutcomeKind.INFRASTRUCTURE, INFRASTRUCTURE, reason, retry=retry)

    @classmethod
    def fenced(cls) -> AttemptEnded:
        """Another worker has claimed it."""
        return cls(OutcomeKind.FENCED, None, "Another worker took the attempt over.")
