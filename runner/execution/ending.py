"""The exception that ends an attempt."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.domain.trajectory import Ending
from runner.execution.limits import INFRASTRUCTURE, Stop
from runner.execution.records import OutcomeKind


@dataclass(eq=False)
class AttemptEnded(Exception):
    """The attempt is over.

    Attributes:
        stop: what its last step records; None where no step is added.
        reason: one sentence.
        retry: for an infrastructure error, whether trying again may help.
    """

    kind: OutcomeKind
    stop: Stop | None
    reason: str
    retry: bool = False

    @property
    def ending(self) -> Ending:
        """As the leaderboard classifies it."""
        if self.stop:
            return self.stop.ending
        return Ending.SUBMITTED if self.kind is OutcomeKind.SUBMITTED else Ending.UNKNOWN

    @classmethod
    def infrastructure(cls, reason: str, *, retry: bool) -> AttemptEnded:
        return cls(OutcomeKind.INFRASTRUCTURE, INFRASTRUCTURE, reason, retry)

    @classmethod
    def fenced(cls) -> AttemptEnded:
        return cls(OutcomeKind.FENCED, None, "Another worker took the attempt over.")
