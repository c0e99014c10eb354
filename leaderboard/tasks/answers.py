"""The answers of a page of attempts side by side: which agree, key by key.

Nothing here is derived from the gold answer unless ``judged`` asks for it, which is for those alone whom
`core.permissions.can_judge_by_gold` allows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from leaderboard.attempts.selectors import ScoredAttempt
from leaderboard.domain.agreement import AnswerRules, Group, Leaf, Path, agreement, leaves_of, path_text
from leaderboard.domain.nesting import is_too_deep
from leaderboard.domain.trajectory import MISSING, JsonValue, is_answer
from leaderboard.models import Attempt, Task

MOST_KEYS: Final = 30
"""Keys that are compared: those of most answers."""
LONGEST_VALUE: Final = 200
"""Characters of a value or a key that are shown."""


@dataclass(frozen=True, slots=True)
class AnswerValue:
    """A value that some attempts agree on, as JSON text, at most ``LONGEST_VALUE`` characters of it.

    ``counted`` of the ``attempts`` have a trajectory. ``right`` is how many of the attempts have it right;
    None where nobody is told, or the gold answer says nothing at the key. ``as_written`` has the texts of
    those that agree and wrote it otherwise, by the attempts' keys.
    """

    text: str
    attempts: list[Attempt]
    counted: int
    right: int | None
    as_written: dict[int, str]


@dataclass(frozen=True, slots=True)
class ComparedKey:
    """What the attempts say at one key; ``key`` is empty for an answer that is no object and no list.

    ``agree`` is how many with a trajectory say the same, at most: 1 if no two agree. ``without`` are the
    attempts that answered, but not this.
    """

    key: str
    agree: int
    values: list[AnswerValue]
    without: list[Attempt]


@dataclass(frozen=True, slots=True)
class ComparedAnswers:
    """The answers of a page of attempts; ``counted`` of those ``compared`` are with a trajectory.

    Attributes:
        unanswered: attempts without an answer.
        left_out: attempts whose answer is too long or too deeply nested to compare.
        more_keys: keys that are not compared.
        judged: whether it is told what is right.
    """

    compared: list[Attempt]
    counted: int
    keys: list[ComparedKey]
    more_keys: int
    unanswered: list[Attempt]
    left_out: list[Attempt]
    judged: bool


def compare_answers(task: Task, listed: Sequence[ScoredAttempt], *, judged: bool) -> ComparedAnswers:
    """Compare the answers of a page of `overview.list_compared`. No query."""
    rules = task.scoring.answers
    attempts = [each.attempt for each in listed]
    left_out = [attempt for attempt in attempts if _is_too_large(attempt)]
    read = {attempt: _read(attempt) for attempt in attempts if attempt not in left_out}
    answered = {attempt: answer for attempt, answer in read.items() if is_answer(answer)}
    compared = list(answered)
    answers = [leaves_of(answer, rules) for answer in answered.values()]
    counts = [attempt.has_trajectory for attempt in compared]
    gold = leaves_of(json.loads(task.gold), rules) if judged and task.gold else {}
    keys = [
        ComparedKey(
            _shortened(path_text(each.path)),
            each.most,
            [_answer_value(group, each.plain, compared, answers, gold, rules) for group in each.groups],
            [compared[index] for index in each.without],
        )
        for each in agreement(answers, counts, rules, most_keys=MOST_KEYS)
    ]
    return ComparedAnswers(
        compared=compared,
        counted=sum(counts),
        keys=keys,
        more_keys=len({plain for answer in answers for plain in answer}) - len(keys),
        unanswered=[attempt for attempt in read if attempt not in answered],
        left_out=left_out,
        judged=bool(gold),
    )


def _is_too_large(attempt: Attempt) -> bool:
    """Whether an attempt has an answer that is too long or nested too deeply to compare."""
    try:
        return bool(attempt.answer_size) and is_too_deep(_read(attempt))  # type: ignore[attr-defined]
    except (ValueError, RecursionError):
        return True


def _read(attempt: Attempt) -> JsonValue:
    """An attempt's answer; `MISSING` without one. Raises `ValueError` if it is too long."""
    answer: JsonValue = json.loads(attempt.short_answer) if attempt.answer_size else MISSING  # type: ignore[attr-defined]
    return answer


def _answer_value(
    group: Group,
    plain: Path,
    compared: Sequence[Attempt],
    answers: Sequence[Mapping[Path, Leaf]],
    gold: Mapping[Path, Leaf],
    rules: AnswerRules,
) -> AnswerValue:
    values = {index: answers[index][plain].value for index in group.answers}
    right = None
    if plain in gold:
        right = sum(rules.agree(gold[plain].value, value) for value in values.values())
    text = _json(group.value)
    as_written = {
        compared[index].pk: said for index, value in values.items() if (said := _json(value)) != text
    }
    return AnswerValue(text, [compared[index] for index in values], group.counted, right, as_written)


def _json(value: JsonValue) -> str:
    return _shortened(json.dumps(value, ensure_ascii=False))


def _shortened(text: str) -> str:
    return text if len(text) <= LONGEST_VALUE else text[: LONGEST_VALUE - 1] + "…"
