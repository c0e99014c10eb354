"""Why attempts of the published runs failed, as readers saw it, and what the diagnosis says of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from leaderboard import formats
from leaderboard.diagnosis import diagnose
from tests.published import MODEL, PUBLISHED

LABELS = Path(__file__).with_name("labels.jsonl")
UNKNOWN = "unknown"
"""Nothing is said."""


@dataclass(frozen=True)
class Read:
    """An attempt that a reader read: the class that they put first, those that would do as well, and ours."""

    attempt: str
    part: str
    label: str
    also: tuple[str, ...]
    said: str

    @property
    def is_right(self) -> bool:
        return self.said in (self.label, *self.also)


@cache
def read_attempts() -> tuple[Read, ...]:
    """Every labelled attempt; ``part`` says whether the rules were tuned on it or it was held back."""
    rows = [json.loads(line) for line in LABELS.read_text(encoding="utf-8").splitlines()]
    return tuple(
        Read(row["attempt"], row["part"], row["class"], tuple(row["also"]), first_class(row["attempt"]))
        for row in rows
    )


def first_class(attempt: str) -> str:
    run, task = attempt.split("/")
    path = PUBLISHED / f"{MODEL}_{run}" / task / "history.ipynb"
    findings = diagnose(formats.read(path.read_bytes(), name=path.name)).findings
    return findings[0].kind if findings else UNKNOWN


def solved_attempts() -> Iterator[str]:
    """Attempts with a trajectory and the full score."""
    for path in sorted(PUBLISHED.glob("*/*/history.ipynb")):
        scores = json.loads((path.parent / "metrics.json").read_text(encoding="utf-8"))
        if scores["output_match"] == 1:
            yield f"{path.parent.parent.name.removeprefix(f'{MODEL}_')}/{path.parent.name}"


def table(part: str) -> list[str]:
    """The table of docs/diagnosis.md on one part: by class how often it was said and right, and labelled."""
    read = [each for each in read_attempts() if each.part == part]
    said = Counter(each.said for each in read)
    right = Counter(each.said for each in read if each.is_right)
    labelled = Counter(each.label for each in read)
    found = Counter(each.label for each in read if each.is_right)
    return [
        f"| {kind} | {right[kind]} of {said[kind]} | {found[kind]} of {labelled[kind]} |"
        for kind in sorted(said | labelled)
    ]
