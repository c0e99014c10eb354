"""The forms that begin an upload and fill in what one lacks."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.models import User

from leaderboard.catalogue.selectors import all_task_sets
from leaderboard.core.permissions import teams_of
from leaderboard.entries.editing import NOTES_LENGTH
from leaderboard.entries.selectors import NAME_LENGTH, shown_links, shown_notes
from leaderboard.intake.description import description_from_data, merge
from leaderboard.models import Entry, Team, Upload
from leaderboard.uploads.descriptions import form_description
from leaderboard.uploads.webhooks import URL_LENGTH


class DescriptionForm(forms.Form):
    """What is said of an entry beside its files; all of it may stand in entry.yaml instead."""

    task_set = forms.ChoiceField(label="Task set", required=False)
    agent = forms.CharField(label="Agent", max_length=NAME_LENGTH, required=False)
    model = forms.CharField(label="Model", max_length=NAME_LENGTH, required=False)
    cost = forms.FloatField(label="Cost in US dollars", min_value=0, required=False)
    links = forms.CharField(
        label="Links",
        help_text="One a line: the address, a space, and what it is.",
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    notes = forms.CharField(
        label="Notes", max_length=NOTES_LENGTH, required=False, widget=forms.Textarea(attrs={"rows": 3})
    )
    email = forms.BooleanField(label="Tell me by e-mail when checking ends", required=False)
    webhook = forms.CharField(
        label="Webhook",
        help_text="An https address that is told when checking ends.",
        max_length=URL_LENGTH,
        required=False,
    )

    def __init__(self, data: Any = None, *, initial: dict[str, Any] | None = None) -> None:
        super().__init__(data, auto_id="upload-%s", label_suffix="", initial=initial)
        sets = [
            (f"{each.benchmark.slug}/{each.slug}", f"{each.benchmark.name} {each.name}")
            for each in all_task_sets()
            if each.task_count  # type: ignore[attr-defined]
        ]
        field = self.fields["task_set"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - for the type checker
        field.choices = [("", "as entry.yaml or the files' names say"), *sets]

    def clean_links(self) -> list[dict[str, str]]:
        lines = (line.split(maxsplit=1) for line in self.cleaned_data["links"].splitlines())
        return [{"url": url, "label": " ".join(label)} for url, *label in filter(None, lines)]

    def description(self) -> dict[str, Any]:
        """What was filled in, as `services.uploads.start_upload` takes it."""
        names = ("agent", "model", "cost", "links", "notes", "email", "webhook")
        benchmark, _slash, task_set = self.cleaned_data["task_set"].partition("/")
        given = {name: self.cleaned_data[name] for name in names}
        return {"benchmark": benchmark, "set": task_set, **given}


class UploadForm(DescriptionForm):
    """Files, whose they are (``team`` unless another is picked), and what is said beside them."""

    team = forms.ModelChoiceField(label="Team", queryset=Team.objects.none(), empty_label=None)

    field_order = ("team", "task_set", "agent", "model")

    def __init__(self, data: Any = None, *, user: User, team: Team) -> None:
        super().__init__(data, initial={"team": team})
        field = self.fields["team"]
        assert isinstance(field, forms.ModelChoiceField)  # noqa: S101 - for the type checker
        field.queryset = teams_of(user)


def description_of(upload: Upload) -> dict[str, Any]:
    """What a form that fills in the rest of an upload's description begins with."""
    known = merge(description_from_data(upload.description), form_description(upload.form))
    both = known.benchmark and known.task_set
    return {
        "task_set": f"{known.benchmark}/{known.task_set}" if both else "",
        "agent": known.agent,
        "model": known.model,
        "cost": known.cost,
        "links": "\n".join(f"{link.url} {link.label}".strip() for link in known.links),
        "notes": known.notes,
        "email": upload.form.get("email", False),
        "webhook": upload.form.get("webhook", ""),
    }


def carried_over(entry: Entry) -> list[tuple[str, str]]:
    """What new files of an entry take over from it where nothing else is said: labels, and what it is."""
    said = {
        "task_set": f"{entry.task_set.benchmark.name} {entry.task_set.name}",
        "agent": entry.agent.name,
        "model": entry.agent.model,
        "cost": "" if entry.cost is None else f"{entry.cost:.2f}",
        "links": ", ".join(link["label"] for link in shown_links(entry)),
        "notes": shown_notes(entry),
    }
    return [(str(DescriptionForm.base_fields[name].label), text) for name, text in said.items() if text]


def missing_of(upload: Upload) -> list[str]:
    """The labels of the fields that an upload's description still lacks, each once."""
    wanted = {"benchmark": "task_set", "set": "task_set"}
    names = [wanted.get(name, name) for name in description_from_data(upload.description).missing]
    return [str(DescriptionForm.base_fields[name].label) for name in dict.fromkeys(names)]
