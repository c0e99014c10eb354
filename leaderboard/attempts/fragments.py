"""Fill the addresses into stored HTML of rendered steps."""

from __future__ import annotations

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from leaderboard.rendering.addresses import PAGE_URL, fill


def attempt_html(html: str, attempt_id: int | None) -> SafeString:
    """Stored HTML of an attempt, with links to its long outputs.

    Safe because ``rendering`` escaped every text of the agent, and ``reverse`` quotes its arguments.
    """

    def address(key: str, args: tuple[str, ...]) -> str:
        if key == PAGE_URL:
            # A step of a running job has no output pages: they are stored with the attempt.
            return reverse("output", args=(attempt_id, *args)) if attempt_id else f"#step-{args[0]}"
        return reverse("download-output", args=(attempt_id, *args))

    return mark_safe(fill(html, address))  # noqa: S308 - see the docstring
