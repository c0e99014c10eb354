"""Which answers to one task agree, key by key."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from leaderboard.domain.trajectory import JsonValue

MOST_LEAVES: Final = 500
"""Values of one answer that are compared; further ones are left out."""
DEEPEST: Final = 20
"""Levels of an answer that are taken apart; what lies deeper is compared as a whole."""

Path = tuple[str | int, ...]
"""Where a value stands in an answer: keys of objects, and places in lists from 1. Empty: the whole answer."""


def same_value(one: JsonValue, other: JsonValue) -> bool:
    """Whether two values are equal: numbers by value, texts without the spaces around them."""
    if isinstance(one, str) and isinstance(other, str):
        return one.strip() == other.strip()
    return isinstance(one, bool) == isinstance(other, bool) and one == other


def unchanged(value: JsonValue) -> JsonValue:
    return value


def unchanged_key(key: str) -> str:
    return key


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRules:
    """How a scoring reads the values of answers.

    Attributes:
        agree: whether the second value counts where the first is right. It need not be symmetric.
        unpack: what a value counts as, such as a text of JSON.
        plain_key: equal for keys that mean the same.
    """

    agree: Callable[[JsonValue, JsonValue], bool] = same_value
    unpack: Callable[[JsonValue], JsonValue] = unchanged
    plain_key: Callable[[str], str] = unchanged_key


PLAIN_ANSWERS: Final = AnswerRules()
"""Of a benchmark without rules of its own."""


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value of an answer that holds no others, where it stands in the answer's own words."""

    path: Path
    value: JsonValue


@dataclass(frozen=True, slots=True)
class Group:
    """The answers, by index, that agree on a value; of these, ``counted`` count."""

    value: JsonValue
    answers: tuple[int, ...]
    counted: int


@dataclass(frozen=True, slots=True)
class KeyAgreement:
    """What answers say at one key: groups, the one that most agree on first.

    ``plain`` is the path as `AnswerRules.plain_key` has it. ``without`` are the answers, by index, that say
    nothing there.
    """

    path: Path
    plain: Path
    groups: tuple[Group, ...]
    without: tuple[int, ...]

    @property
    def most(self) -> int:
        """How many of the answers that count say the same, at most."""
        return max((group.counted for group in self.groups), default=0)


def leaves_of(answer: JsonValue, rules: AnswerRules) -> dict[Path, Leaf]:
    """The values of an answer by their plain path, in order, at most ``MOST_LEAVES``."""
    found: dict[Path, Leaf] = {}
    for plain, leaf in _walk((), (), answer, rules):
        found.setdefault(plain, leaf)
        if len(found) == MOST_LEAVES:
            break
    return found


def agreement(
    answers: Sequence[Mapping[Path, Leaf]], counts: Sequence[bool], rules: AnswerRules, *, most_keys: int
) -> list[KeyAgreement]:
    """What the answers say at the keys that most of those that count have, at most ``most_keys``.

    ``counts`` says of each answer whether it counts; of keys alike in that, those of more answers come first.
    A value joins the first group whose value agrees with it, beginning with the values that most answers have
    exactly: so every member agrees with the group's value, though two members may be further apart. Quadratic
    in the distinct values of a key.
    """
    by_path: dict[Path, dict[int, Leaf]] = {}
    for index, answer in enumerate(answers):
        for plain, leaf in answer.items():
            by_path.setdefault(plain, {})[index] = leaf

    def commonness(said: Mapping[int, Leaf]) -> tuple[int, int]:
        return sum(counts[index] for index in said), len(said)

    ordered = sorted(by_path.items(), key=lambda each: commonness(each[1]), reverse=True)
    return [
        KeyAgreement(
            next(iter(said.values())).path,
            plain,
            _groups({index: leaf.value for index, leaf in said.items()}, counts, rules),
            tuple(index for index in range(len(answers)) if index not in said),
        )
        for plain, said in ordered[:most_keys]
    ]


def path_text(path: Path) -> str:
    """A path as people write it: ``runs[2].loss``; empty for the whole answer."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def _walk(plain: Path, path: Path, value: JsonValue, rules: AnswerRules) -> Iterator[tuple[Path, Leaf]]:
    value = rules.unpack(value)
    if len(path) < DEEPEST and isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _walk((*plain, rules.plain_key(key)), (*path, key), inner, rules)
    elif len(path) < DEEPEST and isinstance(value, list) and value:
        for place, inner in enumerate(value, start=1):
            yield from _walk((*plain, place), (*path, place), inner, rules)
    else:
        yield plain, Leaf(path, value)


def _groups(said: Mapping[int, JsonValue], counts: Sequence[bool], rules: AnswerRules) -> tuple[Group, ...]:
    exact: dict[str, list[int]] = {}
    for index, value in said.items():
        # What does not even agree with itself, as NaN, agrees with nothing.
        is_itself = rules.agree(value, value)
        exact.setdefault(json.dumps(value) if is_itself else f"{index} alone", []).append(index)
    ordered = sorted(exact.values(), key=lambda same: (-sum(counts[index] for index in same), same[0]))
    groups: list[tuple[JsonValue, list[int]]] = []
    for same in ordered:
        value = said[same[0]]
        group = next((members for first, members in groups if rules.agree(first, value)), None)
        if group is None:
            groups.append((value, same))
        else:
            group += same
    found = [
        Group(value, tuple(sorted(members)), sum(counts[index] for index in members))
        for value, members in groups
    ]
    return tuple(sorted(found, key=lambda group: (-group.counted, group.answers)))
