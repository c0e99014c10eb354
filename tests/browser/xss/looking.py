"""What pages of the hostile site show."""

from __future__ import annotations

import json
from collections.abc import Iterable

from playwright.sync_api import Page

from leaderboard.domain.text import storable
from leaderboard.models import Attempt, Entry
from leaderboard.rendering.lines import visible
from tests.browser.xss.corpus import PAYLOADS, TEXTS

UNDRAWN = [payload.text for payload in PAYLOADS if payload.family not in ("terminal", "unicode")]
"""What a terminal leaves as it is."""
TEXTS_OF = """(selector) => [...document.querySelectorAll(selector)].map(each => {
    const copy = each.cloneNode(true);
    copy.querySelectorAll(".flag, .vh").forEach(flag => flag.remove());
    return copy.textContent;
})"""
"""What elements say, without the flags of landmarks in it."""


def said(page: Page, selector: str) -> list[str]:
    texts: list[str] = page.evaluate(TEXTS_OF, selector)
    return texts


def seen(text: str) -> str:
    """A text as a page shows it: what can't be stored or seen has its sign."""
    return visible(storable(text))


def missing(texts: Iterable[str], shown: str) -> list[str]:
    """Those of ``texts`` that are not shown; browsers and forms take runs of spaces for one."""
    flat = " ".join(shown.split())
    return [text for text in texts if " ".join(text.split()) not in flat]


def missing_from_steps(page: Page, selector: str, texts: Iterable[str] = TEXTS) -> list[str]:
    """The payloads of ``texts`` that no step shows in that part of it."""
    steps = "\n".join(said(page, f".step {selector}"))
    return [text for text in texts if seen(text) not in steps]


def missing_from_answer(page: Page, texts: Iterable[str]) -> list[str]:
    """The payloads of ``texts`` that the answer, which is JSON, does not show."""
    written = (seen(json.dumps(text, ensure_ascii=False)[1:-1]) for text in texts)
    return missing(written, said(page, ".answer")[0])


def attempt_at(task_id: str) -> Attempt:
    return Attempt.objects.get(task__task_id=task_id, task__task_set__benchmark__slug="hostile")


def published(names: Iterable[str]) -> list[str]:
    """Those of ``names`` that are on the crowd's board."""
    there = set(Entry.objects.filter(state="published").values_list("agent__name", flat=True))
    return [name for name in names if name in there]


def draft() -> Entry:
    """What the archive became."""
    return Entry.objects.get(task_set__benchmark__slug="hostile")
