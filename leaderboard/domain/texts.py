"""Sentences for people, made where no language is known yet.

Pure code says what is wrong in English, and a page says it in the reader's language. So a sentence keeps
what it was made from: a template, and the values that fill it. It is a plain `str` in English for whoever
prints it; `as_data` and `from_data` carry it through JSON; `leaderboard.labels.translated` puts it into
another language.

    from leaderboard.domain.texts import gettext as _
    reason = _("there are {n} files, more than {most}", n=count, most=limit)

The functions are named as `makemessages` looks for texts: it finds the templates by these names alone.
"""

from __future__ import annotations

from typing import Any

from leaderboard.domain.text import storable

Value = str | int | float


class Text(str):
    """A sentence, filled in in English, that knows its ``template`` and its ``values``.

    ``many`` is the template for a number other than 1, which then stands in ``values["n"]``. A value can be a
    `Text` itself. Put two together with a template of their own: an f-string forgets all of this.
    """

    __slots__ = ("many", "template", "values")

    template: str
    many: str
    values: dict[str, Value]

    def __new__(cls, template: str = "", many: str = "", values: dict[str, Value] | None = None) -> Text:
        values = values or {}
        wanted = many if many and values.get("n") != 1 else template
        shown = {name: f"{value:,}" if type(value) is int else value for name, value in values.items()}
        text = super().__new__(cls, wanted.format(**shown) if values else wanted)
        text.template, text.many, text.values = template, many, values
        return text

    def __reduce__(self) -> tuple[type[Text], tuple[object, ...]]:
        # Crosses process borders during a parallel import.
        return (type(self), (self.template, self.many, self.values))

    def as_data(self) -> dict[str, Any]:
        """What `from_data` makes this sentence from again, as any JSON column takes it."""
        data: dict[str, Any] = {"text": self.template}
        if self.many:
            data["many"] = self.many
        if self.values:
            data["values"] = {
                name: value_as_data(value) if isinstance(value, str) else value
                for name, value in self.values.items()
            }
        return data


VERBATIM = "{text}"
"""The template of what is in no language, or in whose we don't know."""

NOTHING = Text("")
"""Stands where there is nothing to say."""


def gettext(template: str, **values: Value) -> Text:
    """A sentence whose ``{name}`` are filled by ``values``; with none given, braces stand for themselves."""
    return Text(template, values=values)


def ngettext(one: str, many: str, n: int, **values: Value) -> Text:
    """A sentence that depends on the number ``n``."""
    return Text(one, many, {"n": n, **values})


def verbatim(text: str) -> Text:
    """Words that have no translation: an error's own message, a name."""
    return Text(VERBATIM, values={"text": text})


def value_as_data(value: str) -> dict[str, Any] | str:
    """A sentence as its data, and any other string as it is, but for what a database refuses."""
    return value.as_data() if isinstance(value, Text) else storable(value)


def from_data(data: dict[str, Any] | str) -> Text:
    """The sentence that ``as_data`` gave ``data`` for; a plain string stands for itself, none for nothing."""
    if isinstance(data, str):
        return verbatim(data)
    if not data:
        return NOTHING
    values = {name: value_from_data(value) for name, value in data.get("values", {}).items()}
    return Text(data["text"], data.get("many", ""), values)


def value_from_data(value: Any) -> Any:
    """What ``value_as_data`` gave ``value`` for; numbers stay what they are."""
    return from_data(value) if isinstance(value, dict) else value
