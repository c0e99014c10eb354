"""Fill the addresses into stored HTML of rendered steps."""

from __future__ import annotations

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from leaderboard.rendering.addresses import PAGE_URL, fill, line_id


def attempt_html(html: str, attempt_id: int | None) -> SafeString:
    """Stored HTML of an attempt, with links to its long outputs.

    Safe because ``rendering`` escaped every text of the agent, and ``reverse`` quotes its arguments.
    """

    def address(key: str, args: tuple[str, ...]) -> str:
        if key == PAGE_URL:
            # A step of a running job has no output pages: they are stored with the attempt.
            if not attempt_id:
                return f"#step-{args[0]}"
            step, part, number, *line = args  # What was stored by an older version names no line.
            page = reverse("output", args=(attempt_id, step, part, number))
            return f"{page}#{line_id(step, part, line[0])}" if line else page
        return reverse("download-output", args=(attempt_id, *args))

    return mark_safe(fill(html, address))  # noqa: S308 - see the docstring
