"""Adds the link to a step's whole output, at the line that says how much is left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from leaderboard.domain.text import LEFT_OUT_LINE
from leaderboard.rendering.addresses import OUTPUT_URL, marker
from leaderboard.rendering.fold import Folded
from leaderboard.rendering.lines import LEFT_OUT_KIND, LINK_PLACEHOLDER, Line

MEGABYTE = 1_000_000


def tag_left_out_line(lines: Iterable[Line]) -> Iterator[Line]:
    """The lines; the first one that says that something is left out gets the kind `LEFT_OUT_KIND`."""
    found = False
    for line in lines:
        if not found and LEFT_OUT_LINE.fullmatch(line.text):
            found = True
            line = line._replace(kind=LEFT_OUT_KIND)
        yield line


def add_output_link(folded: Folded, step: int, whole: Mapping[str, Any], *, linked: bool) -> Folded:
    """A folded output with the link to the whole output, at the left-out line or else below.

    Args:
        folded: made of the lines from `tag_left_out_line`.
        step: the step's number.
        whole: ``size`` in bytes, and whether it is ``cut``.
        linked: False for a page without a server: text instead of a link.
    """
    size = f"{max(whole['size'] / MEGABYTE, 0.1):.1f}"
    if whole["cut"]:
        text = f"The first {size} MB of the output; the limit is reached there"
    else:
        text = f"Whole output, {size} MB"
    link = f'<a class="whole-output" href="{marker(OUTPUT_URL, step)}">{text}</a>' if linked else text
    html = folded.html.replace(LINK_PLACEHOLDER, f" {link}")
    if html == folded.html:
        html += f'<p class="size">{link}</p>'
    pages = [replace(page, html=page.html.replace(LINK_PLACEHOLDER, f" {link}")) for page in folded.pages]
    return Folded(html, folded.text, pages)
