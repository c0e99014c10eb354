"""What agents and sandboxes say to people, who may read another language than English.

They know neither Django nor the leaderboard. So an error keeps what its sentence was made from, and
`runner.execution.sentences.text_of` makes the leaderboard's kind of sentence of it.
"""

from __future__ import annotations

Value = str | int | float


class Template(str):
    """English words with a ``{name}`` for each value, marked for translation by `gettext_noop`."""

    __slots__ = ()


class Told(Exception):
    """An error for people: a ``template`` filled by ``values``, of which one can be a `Template` too."""

    def __init__(self, template: Template, **values: Value) -> None:
        super().__init__(template.format(**values) if values else template)
        self.template = template
        self.values = values


def gettext_noop(template: str) -> Template:
    """Mark a template: `makemessages` looks for this name, and for ``_``."""
    return Template(template)
