"""Compares the model that an entry declares with those that its files name."""

from __future__ import annotations

import re
from collections import Counter
from typing import Final

from leaderboard.domain.errors import Problem
from leaderboard.domain.text import plural
from leaderboard.intake.findings import Finding, warning

MAX_LISTED: Final = 3
"""How many contradicting names a finding lists."""

_PART: Final = re.compile(r"[a-z]+|[0-9]+")


def agrees(declared: str, named: str) -> bool:
    """Whether two names may mean one model: the words and numbers of one are all in the other.

    A provider before the name (``openai/gpt-4o``) and a date after it are more words, so they don't disagree.
    """
    ours, theirs = (Counter(_PART.findall(name.casefold())) for name in (declared, named))
    return ours <= theirs or theirs <= ours


def contradiction(declared: str, named: Counter[str], *, name: str) -> Finding | None:
    """A warning if files name another model than the entry declares.

    Args:
        declared: the entry's model; empty if it is not known yet.
        named: how many attempts name each model; "" counts those that name none.
        name: of the upload.
    """
    others = Counter({model: n for model, n in named.items() if model and not agrees(declared, model)})
    if not declared or not others:
        return None
    listed = ", ".join(f"“{model[:100]}”" for model, _n in others.most_common(MAX_LISTED))
    more = ", …" if len(others) > MAX_LISTED else ""
    count = plural(others.total(), "one attempt's file names", "the files of {n} attempts name")
    reason = f"the model is given as “{declared[:100]}”, but {count} {listed}{more}"
    return warning(Problem(name, "model", reason, "correct the model, or leave out the attempts of another"))
