"""Tasks by which attempts are scored and landmarks are found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from leaderboard.domain.tasks import TaskSpec
from leaderboard.intake.known_tasks import KnownTasks
from leaderboard.scoring import scoring_of
from leaderboard.scoring.contract import Scoring

_SET: Final = "tasks"


@dataclass(frozen=True)
class Tasks:
    """Tasks by their ids, and how attempts at them are scored; none are known without a file."""

    by_id: dict[str, TaskSpec] = field(default_factory=dict)
    scoring: Scoring = field(default_factory=lambda: scoring_of(""))

    def find(self, words: Iterable[str]) -> TaskSpec | None:
        """The task that the first of these words names, if one does."""
        for word in words:
            found = self._known.find_tasks(word, (_SET,)) if word and self.by_id else ()
            if len(found) == 1:
                return self.by_id[found[0][1]]
        return None

    @cached_property
    def _known(self) -> KnownTasks:
        return KnownTasks({_SET: tuple(self.by_id)})
