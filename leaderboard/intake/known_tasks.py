"""The ids of all tasks by task set, and how to find the tasks that a word names."""

from __future__ import annotations

import difflib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from pathlib import Path

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.tasks import MAX_ATTEMPTS
from leaderboard.formats.documents import decode, parse_json_text
from leaderboard.scoring import scoring_of
from leaderboard.scoring.contract import Metric, Scoring

_SEPARATORS = re.compile(r"[\s_-]+")


def normalised(task_id: str) -> str:
    """An id in lower case with ``-`` for every ``_`` and space, so that retyped ids compare equal."""
    return _SEPARATORS.sub("-", task_id.strip().casefold())


@dataclass(frozen=True)
class KnownTasks:
    """Task ids by task set; a set's key is ``benchmark/set``.

    ``max_attempts`` has, by the same keys, how many attempts at a task one entry may have, where that is not
    the default, and ``scorings`` how they are scored, where that is known.
    """

    sets: Mapping[str, tuple[str, ...]]
    max_attempts: Mapping[str, int] = field(default_factory=dict)
    scorings: Mapping[str, Scoring] = field(default_factory=dict)

    def attempts_allowed(self, key: str) -> int:
        """How many attempts at one task of a set one entry may have."""
        return self.max_attempts.get(key, MAX_ATTEMPTS)

    def reported_metrics(self, key: str) -> tuple[Metric, ...]:
        """The metrics whose reported scores a set takes; empty if its scoring is not known."""
        scoring = self.scorings.get(key)
        return scoring.scored if scoring else ()

    def find_sets(self, *, benchmark: str = "", task_set: str = "") -> tuple[str, ...]:
        """The keys of the sets with these slugs; an empty slug matches any."""
        return tuple(
            key
            for key in self.sets
            if (not benchmark or key.partition("/")[0] == benchmark)
            and (not task_set or key.partition("/")[2] == task_set)
        )

    def find_tasks(self, word: str, keys: Iterable[str]) -> tuple[tuple[str, str], ...]:
        """(key, task id) of every task in these sets with the id ``word``; retyped ids if none is equal."""
        keys = tuple(keys)
        wanted = normalised(word)
        found = tuple((key, task) for key in keys for task in self._normalised[key].get(wanted, ()))
        return tuple((key, word) for key in keys if (key, word) in found) or found

    def nearest(self, word: str, keys: Iterable[str]) -> tuple[str, ...]:
        """Up to three ids most similar to ``word``."""
        known = {normalised(task): task for key in keys for task in self.sets[key]}
        close = difflib.get_close_matches(normalised(word[:100]), known, n=3, cutoff=0.5)
        return tuple(known[match] for match in close)

    def guess(self, words: Iterable[Iterable[str]], keys: Iterable[str]) -> tuple[str, ...]:
        """The sets that match most files; several on a tie. ``words`` has the words in each file's path."""
        keys = tuple(keys)
        votes: Counter[str] = Counter()
        for candidates in words:
            votes.update({key for word in candidates for key, _task in self.find_tasks(word, keys)})
        most = max(votes.values(), default=0)
        return tuple(key for key in keys if most and votes[key] == most)

    @cached_property
    def _normalised(self) -> Mapping[str, Mapping[str, list[str]]]:
        by_set: dict[str, defaultdict[str, list[str]]] = {key: defaultdict(list) for key in self.sets}
        for key, tasks in self.sets.items():
            for task in tasks:
                by_set[key][normalised(task)].append(task)
        return by_set


def shipped_tasks() -> KnownTasks:
    """The task sets in the package: ids only, so that no gold answer is shipped."""
    text = resources.files("leaderboard.intake").joinpath("catalogue.json").read_text("utf-8")
    sets = json.loads(text)
    return KnownTasks(
        {key: tuple(each["tasks"]) for key, each in sets.items()},
        {key: each["max_attempts"] for key, each in sets.items()},
        {key: scoring_of(each["scoring"]) for key, each in sets.items()},
    )


def read_known_tasks(path: Path, *, max_attempts: int = MAX_ATTEMPTS) -> KnownTasks:
    """The tasks in a JSON Lines file; each line has a ``task_id``, and a ``set`` if there are several sets.

    ``max_attempts`` is how many attempts at a task their benchmark allows one entry.

    Raises:
        InputError: a line has no task_id; the problem names the line.
    """
    sets: defaultdict[str, list[str]] = defaultdict(list)
    text = decode(path.read_bytes(), name=path.name)
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        record = parse_json_text(line, name=path.name, first_line=number)
        task_id = record.get("task_id") if isinstance(record, dict) else None
        if not isinstance(task_id, str) or not task_id:
            place = f"line {number}"
            raise InputError(Problem(path.name, place, "the line has no task_id", "write one task per line"))
        task_set = record.get("set")
        sets[f"{path.stem}/{task_set if isinstance(task_set, str) else 'all'}"].append(task_id)
    return KnownTasks({key: tuple(tasks) for key, tasks in sets.items()}, dict.fromkeys(sets, max_attempts))
