"""The forms for an entry's texts, and for which of its attempts are listed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from django import forms
from django.http import QueryDict
from django.utils.http import urlencode

from leaderboard.attempts.outcomes import OUTCOMES
from leaderboard.core.labels import MODEL_OPENNESS, SCAFFOLD_OPENNESS
from leaderboard.core.numbers import MAX_PAGE
from leaderboard.diagnosis.classes import LABELS
from leaderboard.domain.links import URL_LENGTH
from leaderboard.entries.attempts_list import LANDMARKS, AttemptsQuery, sort_keys
from leaderboard.entries.editing import AFTER_PUBLISHING, NOTES_LENGTH, OPENNESS, EntryChanges
from leaderboard.entries.selectors import NAME_LENGTH
from leaderboard.models import Category, Entry
from leaderboard.scoring.contract import Scoring


class LinksField(forms.CharField):
    """Links, one per line. Its value is [{url, label}, …], where the label may be missing."""

    def __init__(self, *, rows: int) -> None:
        super().__init__(
            label="Links",
            help_text="One per line: the address, a space, and a label.",
            required=False,
            widget=forms.Textarea(attrs={"rows": rows}),
        )

    def clean(self, value: Any) -> list[dict[str, str]]:
        lines = (line.split(maxsplit=1) for line in super().clean(value).splitlines())
        return [dict(zip(("url", "label"), line, strict=False)) for line in lines if line]


class DayField(forms.DateField):
    """A day, optional: as `2026-05-31`, which is also what a browser's own date field sends."""

    def __init__(self, *, label: str) -> None:
        widget = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
        super().__init__(label=label, required=False, input_formats=["%Y-%m-%d"], widget=widget)


class OpennessField(forms.ChoiceField):
    """How open the model or the scaffold is; ``labels`` are those of the values."""

    def __init__(self, *, label: str, labels: Mapping[str, str]) -> None:
        super().__init__(label=label, required=False, choices=[("", "Not stated"), *labels.items()])


class CodeField(forms.CharField):
    """The address of an agent's code, optional."""

    def __init__(self) -> None:
        super().__init__(label="Address of the code", max_length=URL_LENGTH, required=False)


class EntryForm(forms.Form):
    """An entry's texts: all of a draft's, or those that can be changed after publishing."""

    name = forms.CharField(label="Agent", max_length=NAME_LENGTH)
    model = forms.CharField(label="Model", max_length=NAME_LENGTH)
    agent_url = forms.CharField(label="Address of the agent", max_length=URL_LENGTH, required=False)
    model_openness = OpennessField(label="Openness of the model", labels=MODEL_OPENNESS)
    scaffold_openness = OpennessField(label="Openness of the scaffold", labels=SCAFFOLD_OPENNESS)
    code = CodeField()
    cost = forms.FloatField(label="Cost in US dollars", min_value=0, required=False)
    evaluated = DayField(label="Attempts made on")
    released = DayField(label="Agent released on")
    notes = forms.CharField(
        label="Notes",
        help_text="Plain text; line breaks are kept.",
        max_length=NOTES_LENGTH,
        required=False,
        widget=forms.Textarea(attrs={"rows": 6}),
    )
    links = LinksField(rows=3)

    def __init__(self, data: Any = None, *, entry: Entry) -> None:
        super().__init__(data, auto_id="entry-%s", label_suffix="", initial=_initial(entry))
        if not entry.is_draft:
            for name in self.fields.keys() - AFTER_PUBLISHING:
                del self.fields[name]

    def changes(self) -> EntryChanges:
        """The changed fields, for `edit_entry`."""
        return cast("EntryChanges", {name: self.cleaned_data[name] for name in self.changed_data})


def _initial(entry: Entry) -> dict[str, Any]:
    names = ("agent_url", *OPENNESS, "code", "cost", "evaluated", "released", "notes")
    own = {name: getattr(entry, name) for name in names}
    links = "\n".join(f"{link['url']} {link.get('label', '')}".strip() for link in entry.links)
    return {**own, "name": entry.agent.name, "model": entry.agent.model, "links": links}


FILTERS = ("category", "outcome", "finding", "landmarks")


@dataclass(frozen=True, slots=True)
class ChosenFilter:
    """A filter that is set: its label, its value in words, and the query of an address without it."""

    label: str
    value: str
    without: str


class AttemptsForm(forms.Form):
    """Which of an entry's attempts are listed, and their order. Invalid values are ignored, with an error."""

    category = forms.ChoiceField(required=False)
    outcome = forms.ChoiceField(label="Outcome", required=False, choices=[("", "Any"), *OUTCOMES.items()])
    finding = forms.ChoiceField(label="Why it failed", required=False, choices=[("", "Any"), *LABELS.items()])
    landmarks = forms.ChoiceField(
        label="Landmarks", required=False, choices=[("", "Any"), *LANDMARKS.items()]
    )
    sort = forms.CharField(required=False, max_length=80, widget=forms.HiddenInput)
    page = forms.IntegerField(required=False, min_value=1, max_value=MAX_PAGE, widget=forms.HiddenInput)

    def __init__(self, data: QueryDict, *, scoring: Scoring, categories: list[Category]) -> None:
        super().__init__(data, auto_id="attempts-%s", label_suffix="")
        self.sort_keys = sort_keys(scoring)
        field = cast("forms.ChoiceField", self.fields["category"])
        field.label = scoring.groups.one.capitalize()
        field.choices = [("", "Any"), *((each.slug, each.name) for each in categories)]
        self.categorised = bool(categories)

    def clean_sort(self) -> str:
        sort: str = self.cleaned_data["sort"]
        if sort and sort.removeprefix("-") not in self.sort_keys:
            raise forms.ValidationError(f"There is no column “{sort}” to sort by.")
        return sort

    @property
    def filters(self) -> list[forms.BoundField]:
        """The fields that choose the attempts."""
        return [self[name] for name in FILTERS if name != "category" or self.categorised]

    @property
    def chosen(self) -> list[ChosenFilter]:
        """The filters that are set, each with the address without it."""
        values = {name: value for name in (*FILTERS, "sort") if (value := self.cleaned_data.get(name))}
        return [
            ChosenFilter(
                str(field.label),
                dict(cast("forms.ChoiceField", field.field).choices)[values[field.name]],  # type: ignore[arg-type]
                urlencode({name: value for name, value in values.items() if name != field.name}),
            )
            for field in self.filters
            if field.name in values
        ]

    def attempts_query(self) -> AttemptsQuery:
        """The valid part of the query, with defaults for the rest."""
        self.is_valid()
        return AttemptsQuery(**{key: value for key, value in self.cleaned_data.items() if value})
