"""When to start a process again that has ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

FIRST_PAUSE: Final = 1.0
LONGEST_PAUSE: Final = 60.0
WELL_AFTER: Final = 60.0
"""Seconds after which a process counts as working: the next pause is the first one again."""


@dataclass(slots=True)
class Restarts:
    """The pauses before restarts of one process: each twice as long as the one before, up to a minute."""

    _pause: float = FIRST_PAUSE

    def pause_after(self, lived: float) -> float:
        """How many seconds to wait, now that the process has ended after ``lived`` seconds."""
        if lived >= WELL_AFTER:
            self._pause = FIRST_PAUSE
        pause, self._pause = self._pause, min(self._pause * 2, LONGEST_PAUSE)
        return pause
