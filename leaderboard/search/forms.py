"""Validation of a search."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django import forms

from leaderboard.core.numbers import DIGITS, MAX_PAGE
from leaderboard.diagnosis.classes import CLASSES, LABELS
from leaderboard.domain.words import Term, read_terms
from leaderboard.rendering.names import KINDS
from leaderboard.search.selectors import FACETS, SearchQuery

MAX_LENGTH = 300
FILTERS = (*FACETS, "attempt")


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter that is set, ``value`` as it is in the address."""

    field: str
    label: str
    value: Any

    @property
    def shown(self) -> str:
        labels = {"kind": KINDS, "finding": LABELS}.get(self.field, {})
        return labels.get(self.value, str(self.value))


class SearchForm(forms.Form):
    """What to look for, and filters. All fields are optional; without text nothing is looked for."""

    q = forms.CharField(
        label="Text",
        required=False,
        max_length=MAX_LENGTH,
        widget=forms.TextInput(attrs={"type": "search"}),
        error_messages={
            "max_length": "This is longer than a search can be: %(show_value)d characters, of at most "
            "%(limit_value)d. Leave some of it out."
        },
    )
    finding = forms.ChoiceField(
        label=FACETS["finding"], required=False, choices=[("", "Any"), *CLASSES.items()]
    )
    agent = forms.CharField(label=FACETS["agent"], required=False, max_length=100)
    model = forms.CharField(label=FACETS["model"], required=False, max_length=100)
    category = forms.CharField(label=FACETS["category"], required=False, max_length=50)
    kind = forms.ChoiceField(label=FACETS["kind"], required=False, choices=[("", "Any"), *KINDS.items()])
    attempt = forms.IntegerField(label="Attempt", required=False, min_value=1, max_value=10**DIGITS)
    page = forms.IntegerField(required=False, min_value=1, max_value=MAX_PAGE)

    def __init__(self, data: Any) -> None:
        super().__init__(data, auto_id="search-%s", label_suffix="")
        self.terms: tuple[Term, ...] = ()

    def clean_q(self) -> str:
        text: str = self.cleaned_data["q"]
        if text:
            try:
                self.terms = tuple(read_terms(text))
            except ValueError as error:
                raise forms.ValidationError(str(error)) from error
        return text

    @property
    def filters(self) -> list[Filter]:
        """The filters that are set."""
        return [
            Filter(name, str(self.fields[name].label), value)
            for name in FILTERS
            if (value := self.cleaned_data.get(name))
        ]

    def search_query(self) -> SearchQuery | None:
        """The search; None if there is nothing to look for or something is not valid."""
        if not self.is_valid() or not self.terms:
            return None
        return SearchQuery(self.terms, **{each.field: each.value for each in self.filters})
