"""How the loop is left."""

from __future__ import annotations

from leaderboard.domain.texts import Text
from leaderboard.domain.texts import gettext as _
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
        reason: Text,
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
    def by_us(cls, reason: Text, *, retry: bool) -> AttemptEnded:
        """It ended through no fault of the agent."""
        return cls(OutcomeKind.INFRASTRUCTURE, INFRASTRUCTURE, reason, retry=retry)

    @classmethod
    def by_others(cls) -> AttemptEnded:
        """It is somebody else's by now."""
        return cls(OutcomeKind.FENCED, None, _("Somebody else took the attempt over."))
