"""The title of a page that `rendering.standalone` made."""

from __future__ import annotations

import re

from markupsafe import Markup

from leaderboard.rendering.lines import visible

_TITLES = re.compile("<(title|h1)>[^<]*</")


def retitled(page: str, title: str) -> str:
    """A page of ``standalone_html`` as it would be under another title."""
    # The two that bear it come before anything of the agent's.
    return _TITLES.sub(lambda found: f"<{found[1]}>{Markup.escape(visible(title))}</", page, count=2)
