"""What a submitter says beside the files, checked field by field."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

from leaderboard.domain.errors import InputErrors, Problem
from leaderboard.domain.text import storable
from leaderboard.domain.texts import Text
from leaderboard.domain.texts import gettext as _

NAME_LENGTH: Final = 100
NOTES_LENGTH: Final = 10_000
URL_LENGTH: Final = 500
MAX_LINKS: Final = 10


def checked_form(form: Mapping[str, Any]) -> dict[str, Any]:
    """A form as it is stored: what is empty left out, and nothing that is not known.

    Fields, all optional: ``benchmark`` and ``set`` (slugs), ``agent``, ``model``, ``notes`` (texts),
    ``links`` (a list of ``{"label", "url"}``, http or https), ``cost`` (US dollars for all of it), ``email``
    (whether to tell the sender when checking ends), ``webhook`` (an address to tell). `entry.yaml` in the
    files fills what is left open here.

    Raises:
        InputErrors: fields that can't be, each with its name as place.
    """
    given: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, check in FIELDS.items():
        value = form.get(name)
        if value is None or value == "" or value == [] or value is False:
            continue
        try:
            given[name] = check(value)
        except _Refused as refused:
            problems.append(Problem("form", name, refused.reason, refused.remedy))
    problems += [
        Problem("form", storable(str(name))[:40], _("there is no such field"), _known_fields())
        for name in form
        if name not in FIELDS
    ]
    if problems:
        raise InputErrors(tuple(problems))
    return given


class _Refused(Exception):
    def __init__(self, reason: Text, remedy: Text) -> None:
        super().__init__(reason)
        self.reason, self.remedy = reason, remedy


def _text(most: int) -> Callable[[Any], str]:
    def check(value: Any) -> str:
        if not isinstance(value, str):
            raise _Refused(_("it is not a text"), _("write a text"))
        if len(value) > most:
            raise _Refused(
                _("it has {n} characters, more than {most}", n=len(value), most=most), _("shorten it")
            )
        return storable(value.strip())

    return check


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _Refused(_("it is neither true nor false"), _("write true or false"))
    return value


def _cost(value: Any) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not 0 <= number < 1e9:
        raise _Refused(_("it is not a number of dollars from 0 on"), _("write a number such as 12.50"))
    return number


def _url(value: Any) -> str:
    text = _text(URL_LENGTH)(value)
    if not text.startswith(("https://", "http://")) or any(sign in text for sign in " \t\r\n<>\"'`\\"):
        raise _Refused(_("“{url}” is no web address", url=text[:80]), _("begin it with https:// or http://"))
    return text


def _links(value: Any) -> list[dict[str, str]]:
    if not isinstance(value, list) or not all(isinstance(link, Mapping) for link in value):
        raise _Refused(_("it is not a list of links"), _("give each a label and an url"))
    if len(value) > MAX_LINKS:
        raise _Refused(
            _("there are {n} links, more than {most}", n=len(value), most=MAX_LINKS), _("keep fewer")
        )
    return [
        {"label": _text(NAME_LENGTH)(link.get("label") or ""), "url": _url(link.get("url") or "")}
        for link in value
    ]


def _known_fields() -> Text:
    return _("known fields are {names}", names=", ".join(FIELDS))


FIELDS: Final[Mapping[str, Callable[[Any], Any]]] = {
    "benchmark": _text(NAME_LENGTH),
    "set": _text(NAME_LENGTH),
    "agent": _text(NAME_LENGTH),
    "model": _text(NAME_LENGTH),
    "notes": _text(NOTES_LENGTH),
    "links": _links,
    "cost": _cost,
    "email": _flag,
    "webhook": _url,
}
