"""Stored fragments of rendered steps, with the addresses that they leave open."""

from __future__ import annotations

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from leaderboard.rendering.addresses import PAGE_URL, fill


def attempt_html(html: str, attempt_id: int | None) -> SafeString:
    """A stored fragment of an attempt, its long outputs linked.

    Safe because ``rendering`` escaped every text of the agent's, and ``reverse`` quotes what it is given.
    """

    def address(key: str, args: tuple[str, ...]) -> str:
        if key == PAGE_URL:
            # A step of a running job has no pages yet: they come with the attempt.
            return reverse("output", args=(attempt_id, *args)) if attempt_id else f"#step-{args[0]}"
        return reverse("download-output", args=(attempt_id, *args))

    return mark_safe(fill(html, address))  # noqa: S308 - see the docstring
