"""Errors of agents and sandboxes as sentences that a page can translate."""

from __future__ import annotations

from leaderboard.domain.texts import Text, verbatim
from runner.words import Template, Told


def text_of(error: Exception) -> Text:
    """What an error says; one that is not for people in its own words."""
    if not isinstance(error, Told):
        return verbatim(str(error))
    values = {
        name: Text(value) if isinstance(value, Template) else value for name, value in error.values.items()
    }
    return Text(error.template, values=values)
