"""How the loop is left."""

from __future__ import annotations

from leaderboard.domain.trajectory import Ending
from runner.execution.limits import INFRASTRUCTURE, Stop
from runner.execution.records import OutcomeKind


class AttemptEnded(Exception):
    """The attempt is over.

    Attributes:
        stop: how its last step says so; None where no step is to be added.
        reason: one sentence.
        ending: taken from ``stop`` unless given.
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
    def by_us(cls, reason: str, *, retry: bool) -> AttemptEnded:
        """It ended through no fault of the agent."""
        return cls(OutcomeKind.INFRASTRUCTURE, INFRASTRUCTURE, reason, retry=retry)
