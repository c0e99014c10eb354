"""Changes the title of a page from `rendering.standalone`."""

from __future__ import annotations

import re

from markupsafe import Markup

from leaderboard.rendering.lines import visible

_TITLES = re.compile("<(title|h1)>[^<]*</")


def with_title(page: str, title: str) -> str:
    """A page from ``standalone_html`` with another title."""
    # The first two matches are the page's own; text of the agent comes later.
    return _TITLES.sub(lambda found: f"<{found[1]}>{Markup.escape(visible(title))}</", page, count=2)
