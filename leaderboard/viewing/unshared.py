"""The tags of `templatetags.sharing` where there is no site: nobody is shown a link to these pages."""

from __future__ import annotations

from django import template

register = template.Library()


def _nothing(*_: object) -> str:
    return ""


for _name in ("page_address", "board_picture", "entry_picture"):
    register.simple_tag(_nothing, name=_name)
