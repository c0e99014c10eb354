"""The words and addresses that a stored fragment leaves open, put in when it is served."""

from __future__ import annotations

from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from leaderboard import labels
from leaderboard.rendering.words import PAGE_URL, fill


def fill_words(html: str, attempt_id: int | None) -> SafeString:
    """A stored fragment of an attempt in the reader's language, its long outputs linked.

    Safe because ``rendering`` escaped every text of the agent's, and ``fill`` takes escaped words only.
    """

    def translate(key: str, args: tuple[str, ...]) -> str:
        if key == PAGE_URL:
            # A step of a running unit has no pages yet: they come with the attempt.
            return reverse("output", args=(attempt_id, *args)) if attempt_id else f"#step-{args[0]}"
        return escape(labels.word(key, *args))

    return mark_safe(fill(html, translate))  # noqa: S308 - see the docstring
