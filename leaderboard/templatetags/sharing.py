"""What a page's head tells other sites and search engines of it: its title, its address, its picture."""

from __future__ import annotations

from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from leaderboard.core.addresses import absolute, lasting_address
from leaderboard.models import Entry, TaskSet
from leaderboard.rendering.pictures import HEIGHT, WIDTH

register = template.Library()


@register.simple_tag(takes_context=True)
def page_address(context: dict[str, Any]) -> SafeString:
    """A public page's address for search engines and for whoever shares it."""
    request = context.get("request")
    address = lasting_address(request) if request else ""
    if not address:
        return SafeString("")
    return format_html(
        '<link rel="canonical" href="{}" data-needs-site>\n'
        '    <meta property="og:url" content="{}" data-needs-site>',
        address,
        address,
    )


@register.simple_tag
def board_picture(task_set: TaskSet) -> SafeString:
    """The picture that other sites show beside a link to a board, or to what belongs to it."""
    name = f"{task_set.benchmark.name} {task_set.name}"
    address = reverse("board-picture", args=(task_set.benchmark.slug, task_set.slug))
    return _picture(address, f"{name}: the agents that lead, with their figures")


@register.simple_tag
def entry_picture(entry: Entry) -> SafeString:
    """The picture beside a link to an entry; nothing for one that not everybody may read."""
    if not entry.is_open:
        return SafeString("")
    address = reverse("entry-picture", args=(entry.slug,))
    return _picture(address, f"{entry.agent}: its figures, overall and by group of tasks")


def _picture(address: str, alt: str) -> SafeString:
    image = absolute(address)
    told = (
        ("og:image", image),
        ("og:image:type", "image/png"),
        ("og:image:width", WIDTH),
        ("og:image:height", HEIGHT),
        ("og:image:alt", alt),
    )
    tags = format_html_join("\n    ", '<meta property="{}" content="{}" data-needs-site>', told)
    return format_html(
        '{}\n    <meta name="twitter:card" content="summary_large_image" data-needs-site>', tags
    )
