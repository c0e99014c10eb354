"""What a downloaded file says about its attempt that can change after the file was made.

A file is made once, when the attempt is recorded. In place of these facts it has a marker, before any text of
the agent; `with_facts` replaces it when the file is served.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import escape

from leaderboard.rendering.lines import visible

MARKER = "<!--facts-->"
"""An agent can't forge it: only the first one counts, and the agent's texts come later."""
MARKER_WITHIN = 200_000
"""Bytes at a file's beginning in which the marker stands: a page has its stylesheet before it."""


@dataclass(frozen=True, slots=True)
class Facts:
    """All as it is shown; ``address`` is the attempt's page, whole.

    ``scores`` has a row for each metric: its name and a cell for each of ``scorers``.
    """

    title: str
    address: str
    ending: str
    scorers: Sequence[str]
    scores: Sequence[tuple[str, Sequence[str]]]


def facts_html(facts: Facts) -> bytes:
    """The facts for a page, below its title."""
    address = escape(facts.address)
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in facts.scorers)
    rows = "".join(
        f'<tr><th scope="row">{escape(metric)}</th>'
        + "".join(f"<td>{escape(cell)}</td>" for cell in cells)
        + "</tr>\n"
        for metric, cells in facts.scores
    )
    table = (
        "<table>\n<caption>Scores in percent</caption>\n"
        f"<thead><tr><td></td>{heads}</tr></thead>\n<tbody>\n{rows}</tbody>\n</table>\n"
    )
    return (
        f'<p class="from">Downloaded from <a href="{address}">{address}</a></p>\n'
        f"{table if facts.scorers else ''}<p>{escape(facts.ending)}</p>"
    ).encode()


def facts_markdown(facts: Facts) -> bytes:
    """The facts for a notebook's first cell, as part of a JSON string."""
    lines = [f"# {plain(facts.title)}", "", f"Downloaded from <{facts.address}>", ""]
    if facts.scorers:
        lines += [
            f"| Scores in percent | {' | '.join(facts.scorers)} |",
            f"|---|{'---:|' * len(facts.scorers)}",
            *(f"| {metric} | {' | '.join(cells)} |" for metric, cells in facts.scores),
            "",
        ]
    text = "\n".join([*lines, facts.ending])
    return json.dumps(text, ensure_ascii=False)[1:-1].encode("utf-8", "replace")


def plain(text: str) -> str:
    """A line for Markdown in which nothing is more than text: what could be is left out."""
    kept = (each for each in visible(text) if each.isalnum() or each in " .-_·+:,()@/=")
    return "".join(kept).strip() or "An attempt"


def with_facts(head: bytes, facts: bytes) -> bytes:
    """A file's beginning with its marker replaced; as it is if it has none (an older release made it)."""
    return head.replace(MARKER.encode(), facts, 1)
