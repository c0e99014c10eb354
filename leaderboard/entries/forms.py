"""The form for an entry's texts."""

from __future__ import annotations

from typing import Any, cast

from django import forms

from leaderboard.domain.links import URL_LENGTH
from leaderboard.entries.editing import AFTER_PUBLISHING, NOTES_LENGTH, EntryChanges
from leaderboard.entries.selectors import NAME_LENGTH
from leaderboard.models import Entry


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


class EntryForm(forms.Form):
    """An entry's texts: all of a draft's, or those that can be changed after publishing."""

    name = forms.CharField(label="Agent", max_length=NAME_LENGTH)
    model = forms.CharField(label="Model", max_length=NAME_LENGTH)
    agent_url = forms.CharField(label="Address of the agent", max_length=URL_LENGTH, required=False)
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
    names = ("agent_url", "cost", "evaluated", "released", "notes")
    own = {name: getattr(entry, name) for name in names}
    links = "\n".join(f"{link['url']} {link.get('label', '')}".strip() for link in entry.links)
    return {**own, "name": entry.agent.name, "model": entry.agent.model, "links": links}
