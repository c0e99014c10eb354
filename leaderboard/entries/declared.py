"""What teams declare of their entries: how open these are, code, and release, as filters of lists."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date

from django import forms
from django.db.models import Q

from leaderboard.core.labels import MODEL_OPENNESS, SCAFFOLD_OPENNESS
from leaderboard.domain.openness import FITTING

LINKED = "linked"
"""The filter for entries with a link to their code."""


@dataclass(frozen=True, slots=True)
class Declared:
    """A filter by what entries declare; an empty value stands for any.

    ``model_openness`` and ``scaffold_openness`` are keys of `FITTING`, ``code`` is `LINKED`.
    ``released_since`` is the first day of the agent's release.
    """

    model_openness: str = ""
    scaffold_openness: str = ""
    code: str = ""
    released_since: date | None = None

    @property
    def condition(self) -> Q:
        """The filter as a condition on entries, which is empty for any. What is not declared fits none."""
        fits = Q()
        if self.model_openness:
            fits &= Q(model_openness__in=FITTING[self.model_openness])
        if self.scaffold_openness:
            fits &= Q(scaffold_openness__in=FITTING[self.scaffold_openness])
        if self.code:
            fits &= ~Q(code="")
        if self.released_since:
            fits &= Q(released__gte=self.released_since)
        return fits


DECLARED = tuple(each.name for each in fields(Declared))
"""The names of the filters, in addresses too."""


def _choices(labels: Mapping[str, str]) -> list[tuple[str, str]]:
    return [("", "Any"), *((value, label[:1].upper() + label[1:]) for value, label in labels.items())]


class DeclaredForm(forms.Form):
    """The fields of a `Declared`. All are optional; invalid ones are ignored, with an error."""

    model_openness = forms.ChoiceField(label="Weights", required=False, choices=_choices(MODEL_OPENNESS))
    scaffold_openness = forms.ChoiceField(
        label="Scaffold", required=False, choices=_choices(SCAFFOLD_OPENNESS)
    )
    code = forms.ChoiceField(label="Code", required=False, choices=_choices({LINKED: "linked"}))
    released_since = forms.DateField(
        label="Released since",
        required=False,
        input_formats=["%Y-%m-%d"],
        widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
        error_messages={
            "invalid": "There is no such day to be released since: write year, month and day, as 2026-04-01."
        },
    )

    @property
    def declared_filters(self) -> list[forms.BoundField]:
        """The fields that choose by what is declared."""
        return [self[name] for name in DECLARED]

    @property
    def chosen_declared(self) -> list[tuple[str, str]]:
        """The label and the value, in words, of each of these fields that is set."""
        shown = []
        for field in self.declared_filters:
            if value := self.cleaned_data.get(field.name):
                choices = dict(getattr(field.field, "choices", ()))
                shown.append((str(field.label), str(choices.get(value, value))))
        return shown

    def declared(self) -> Declared:
        """The valid part of these fields, with any for the rest."""
        self.is_valid()
        given = {name: value for name in DECLARED if (value := self.cleaned_data.get(name))}
        return Declared(**given)
