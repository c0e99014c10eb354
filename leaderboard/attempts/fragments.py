"""Fill the addresses into stored HTML of rendered steps."""

from __future__ import annotations

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from leaderboard.rendering.addresses import MEDIA_URL, OUTPUT_URL, PAGE_URL, fill, line_id

ADDRESSES = {PAGE_URL: "output", OUTPUT_URL: "download-output", MEDIA_URL: "media"}
"""The name of the address for each kind of marker."""


def attempt_html(html: str, attempt_id: int | None) -> SafeString:
    """Stored HTML of an attempt, with links to its long outputs.

    Safe because ``rendering`` escaped every text of the agent, and ``reverse`` quotes its arguments.
    """

    def address(key: str, args: tuple[str, ...]) -> str:
        if not attempt_id:
            # A step of a running job has no files and no pages: they are stored with the attempt.
            return f"#step-{args[0]}"
        if key != PAGE_URL:
            return reverse(ADDRESSES[key], args=(attempt_id, *args))
        step, part, number, *line = args  # What was stored by an older version names no line.
        page = reverse(ADDRESSES[key], args=(attempt_id, step, part, number))
        return f"{page}#{line_id(step, part, line[0])}" if line else page

    return mark_safe(fill(html, address))  # noqa: S308 - see the docstring
