"""How others hear of entries: a badge for a README, a citation, and feeds of new ones."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from html import escape
from xml.etree.ElementTree import Element, SubElement, tostring

from django.db.models.functions import Coalesce
from django.urls import reverse
from django.utils.feedgenerator import Atom1Feed

from leaderboard.core.addresses import absolute
from leaderboard.domain.entries import EntryState
from leaderboard.domain.scores import BOARD
from leaderboard.domain.text import plural
from leaderboard.models import Entry, Figure, TaskSet
from leaderboard.scoring.values import value_text

WIDTH_OF_A_LETTER = 7
ROOM = 12
HEIGHT = 20
LONGEST = 60
"""Characters of a part of a badge; more are cut."""
NEWEST = 30
"""Entries in a feed."""
NEVER = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Leading:
    """An entry's figure in its board's leading metric, None without one, and the rank that it gives."""

    figure: Figure | None
    rank: int | None


def leading_of(entry: Entry) -> Leading:
    """The figure that an entry's board is ranked by. Two queries."""
    metric = entry.task_set.scoring.leading
    overall = Figure.objects.filter(scorer=BOARD, metric=metric.key, category="")
    figure = overall.select_related("standing").filter(entry=entry, value__isnull=False).first()
    if figure is None or not (figure.ranked and figure.task_set_id):
        return Leading(figure, None)
    better = {"value__gt" if metric.more_is_better else "value__lt": figure.value}
    return Leading(figure, overall.filter(task_set=figure.task_set_id, ranked=True, **better).count() + 1)


def badge_svg(entry: Entry) -> str:
    """A small image with an entry's board, and its leading figure and rank there. Two queries."""
    metric, leading = entry.task_set.scoring.leading, leading_of(entry)
    label = f"{entry.task_set.benchmark.name} {entry.task_set.name}"
    if leading.figure is None or leading.rank is None:
        return _badge(label, "not ranked")
    value = value_text(leading.figure.value, metric.unit)
    return _badge(label, f"{metric.label.lower()} {value}, rank {leading.rank}")


def _badge(label: str, told: str) -> str:
    parts = [text[:LONGEST] for text in (label, told)]
    widths = [len(text) * WIDTH_OF_A_LETTER + ROOM for text in parts]
    badge = Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "width": str(sum(widths)),
            "height": str(HEIGHT),
            "role": "img",
            "aria-label": ": ".join(parts),
        },
    )
    at = 0
    for text, width, colour in zip(parts, widths, ("#41474d", "#0b6285"), strict=True):
        place = {"x": str(at), "width": str(width), "height": str(HEIGHT), "fill": colour}
        SubElement(badge, "rect", place)
        middle = {"x": str(at + width / 2), "y": "14", "fill": "#fff", "text-anchor": "middle"}
        font = {"font-family": "Verdana, DejaVu Sans, sans-serif", "font-size": "11"}
        SubElement(badge, "text", middle | font).text = text
        at += width
    return tostring(badge, encoding="unicode")


def badge_markdown(entry: Entry) -> str:
    """What shows an entry's badge in a README, as a link to the entry."""
    image, page = absolute(reverse("badge", args=(entry.slug,))), absolute(entry.get_absolute_url())
    label = re.sub(r"[\[\]\\]", "", f"{entry.task_set.benchmark.name} {entry.task_set.name}")
    return f"[![{label}]({image})]({page})"


def citation(entry: Entry) -> str:
    """An entry as BibTeX, with the day it came onto its board."""
    day = entry.published_on or entry.imported_on
    fields = {
        "title": f"{entry.agent} on {entry.task_set.benchmark.name} {entry.task_set.name}",
        "howpublished": "Superboard",
        "url": absolute(entry.get_absolute_url()),
        "note": f"Version {entry.version}",
    }
    if day:
        fields |= {"year": str(day.year), "month": str(day.month)}
    key = re.sub(r"[^A-Za-z0-9-]", "", entry.slug)
    lines = [f"  {name} = {{{_bibtex(text) if name != 'url' else text}}}," for name, text in fields.items()]
    return "\n".join([f"@misc{{superboard-{key},", *lines, "}"])


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    # BibTeX counts braces, after a backslash too.
    "{": r"\textbraceleft{}",
    "}": r"\textbraceright{}",
    **{each: f"\\{each}" for each in "$&#%_"},
}


def _bibtex(text: str) -> str:
    """A text in which no letter means anything to TeX."""
    return "".join(_SPECIAL.get(letter, letter) for letter in " ".join(text.split()))


class _Feed(Atom1Feed):
    """A feed that stays as it is until an entry comes."""

    def latest_post_date(self) -> datetime:
        days = [item["pubdate"] for item in self.items if item["pubdate"]]
        return max(days, default=NEVER)


def new_entries(task_set: TaskSet | None, path: str) -> Atom1Feed:
    """The newest entries of a board, or of all, as a feed that lies at ``path``. Two queries."""
    name = f"{task_set.benchmark.name} {task_set.name}" if task_set else "Superboard"
    home = task_set.get_absolute_url() if task_set else "/"
    feed = _Feed(f"New entries on {name}", absolute(home), "", feed_url=absolute(path))
    published = Entry.objects.filter(state=EntryState.PUBLISHED, attempted__gt=0)
    if task_set:
        published = published.filter(task_set=task_set)
    shown = published.select_related("agent", "task_set__benchmark").order_by(
        Coalesce("published", "created").desc(), "-pk"
    )[:NEWEST]
    for entry in shown:
        board = f"{entry.task_set.benchmark.name} {entry.task_set.name}"
        tasks = plural(entry.attempted, "{n} task attempted", "{n} tasks attempted")
        day = entry.published_on or entry.imported_on
        address = absolute(entry.get_absolute_url())
        feed.add_item(
            title=f"{entry.agent} on {board}",
            link=address,
            # It is sent as HTML, and a team's name is whatever the team likes.
            description=escape(f"{tasks}, {entry.source}."),
            unique_id=address,
            pubdate=day,
            updateddate=day,
        )
    return feed
