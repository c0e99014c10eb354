"""The way to all of an output, from the line that says how much of it is left out of the step."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from leaderboard.domain.text import LEFT_OUT_LINE
from leaderboard.rendering.addresses import OUTPUT_URL, marker
from leaderboard.rendering.fold import Folded
from leaderboard.rendering.lines import HERE, LEFT_OUT_KIND, Line

MEGABYTE = 1_000_000


def flag_left_out(lines: Iterable[Line]) -> Iterator[Line]:
    """The lines, of which the first that says that something is left out is of a kind of its own."""
    found = False
    for line in lines:
        if not found and LEFT_OUT_LINE.fullmatch(line.text):
            found = True
            line = line._replace(kind=LEFT_OUT_KIND)
        yield line


def with_link(folded: Folded, step: int, whole: Mapping[str, Any], *, linked: bool) -> Folded:
    """A folded output with what leads to all of it: at the flagged line, or else below.

    Args:
        folded: of flagged lines.
        step: whose output it is.
        whole: ``size`` in bytes, and whether it is ``cut``.
        linked: False where there is no server to ask.
    """
    size = f"{max(whole['size'] / MEGABYTE, 0.1):.1f}"
    if whole["cut"]:
        text = f"The first {size} MB of the output; the limit is reached there"
    else:
        text = f"Whole output, {size} MB"
    link = f'<a class="whole-output" href="{marker(OUTPUT_URL, step)}">{text}</a>' if linked else text
    html = folded.html.replace(HERE, f" {link}")
    if html == folded.html:
        html += f'<p class="size">{link}</p>'
    pages = [replace(page, html=page.html.replace(HERE, f" {link}")) for page in folded.pages]
    return Folded(html, folded.text, pages)
