"""The forms that start an upload and change its description."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.models import User

from leaderboard.catalogue.selectors import all_task_sets
from leaderboard.core.labels import MODEL_OPENNESS, SCAFFOLD_OPENNESS
from leaderboard.core.permissions import teams_of
from leaderboard.entries.editing import NOTES_LENGTH, OPENNESS
from leaderboard.entries.forms import CodeField, DayField, EntryForm, LinksField, OpennessField
from leaderboard.entries.selectors import NAME_LENGTH, shown_code, shown_links, shown_notes
from leaderboard.intake.description import DAYS, description_from_data, merge
from leaderboard.models import Entry, Team, Upload
from leaderboard.uploads.descriptions import form_description
from leaderboard.uploads.webhooks import URL_LENGTH

FIELD_OF_PLACE = {"benchmark": "task_set", "set": "task_set", "name": "files", "size": "files"}
"""Fields of these forms, by the places that problems name, where these differ."""


class DescriptionForm(forms.Form):
    """The description of an entry; every field may be in entry.yaml instead."""

    task_set = forms.ChoiceField(label="Task set", required=False)
    agent = forms.CharField(label="Agent", max_length=NAME_LENGTH, required=False)
    model = forms.CharField(label="Model", max_length=NAME_LENGTH, required=False)
    model_openness = OpennessField(label="Openness of the model", labels=MODEL_OPENNESS)
    scaffold_openness = OpennessField(label="Openness of the scaffold", labels=SCAFFOLD_OPENNESS)
    code = CodeField()
    cost = forms.FloatField(label="Cost in US dollars", min_value=0, required=False)
    evaluated = DayField(label="Attempts made on")
    released = DayField(label="Agent released on")
    links = LinksField(rows=2)
    notes = forms.CharField(
        label="Notes", max_length=NOTES_LENGTH, required=False, widget=forms.Textarea(attrs={"rows": 3})
    )
    email = forms.BooleanField(label="Tell me by e-mail when checking ends", required=False)
    webhook = forms.CharField(
        label="Webhook",
        help_text="An https address that gets a POST when checking ends.",
        max_length=URL_LENGTH,
        required=False,
    )

    def __init__(self, data: Any = None, *, initial: dict[str, Any] | None = None) -> None:
        super().__init__(data, auto_id="upload-%s", label_suffix="", initial=initial)
        sets = [
            (each.key, f"{each.benchmark.name} {each.name}")
            for each in all_task_sets()
            if each.task_count  # type: ignore[attr-defined]
        ]
        choices = [("", "as entry.yaml or the files' names say"), *sets]
        self.fields["task_set"].choices = choices  # type: ignore[attr-defined]  # a choice field

    def description(self) -> dict[str, Any]:
        """The fields as `services.start_upload` takes them."""
        names = ("agent", "model", "cost", "code", "links", "notes", "email", "webhook", *OPENNESS)
        benchmark, _slash, task_set = self.cleaned_data["task_set"].partition("/")
        given = {name: self.cleaned_data[name] for name in names}
        days = {name: day.isoformat() for name in DAYS if (day := self.cleaned_data[name])}
        return {"benchmark": benchmark, "set": task_set, **given, **days}


class UploadForm(DescriptionForm):
    """The team that will own the entry (initially ``team``) and the description; the view reads the files.

    Files for an entry ``of`` a team will be that team's, so that there is none to choose.
    """

    team = forms.ModelChoiceField(
        label="Team", queryset=Team.objects.none(), to_field_name="slug", empty_label=None
    )

    field_order = ("team", "task_set", "agent", "model")

    def __init__(self, data: Any = None, *, user: User, team: Team, of: Entry | None = None) -> None:
        super().__init__(data, initial={"team": team})
        self.fields["files"] = forms.FileField(label="Files", required=False)
        self.fields["team"].queryset = teams_of(user)  # type: ignore[attr-defined]  # a choice field
        if of and of.team:
            del self.fields["team"]

    def visible_fields(self) -> list[forms.BoundField]:
        # The page has the files in a part of its own.
        return [field for field in super().visible_fields() if field.name != "files"]


def initial_description(upload: Upload) -> dict[str, Any]:
    """The initial values of a form that changes an upload's description."""
    known = merge(description_from_data(upload.description), form_description(upload.form))
    both = known.benchmark and known.task_set
    return {
        "task_set": f"{known.benchmark}/{known.task_set}" if both else "",
        "agent": known.agent,
        "model": known.model,
        "model_openness": known.model_openness,
        "scaffold_openness": known.scaffold_openness,
        "code": known.code,
        "cost": known.cost,
        "evaluated": known.evaluated,
        "released": known.released,
        "links": "\n".join(f"{link.url} {link.label}".strip() for link in known.links),
        "notes": known.notes,
        "email": upload.form.get("email", False),
        "webhook": upload.form.get("webhook", ""),
    }


def inherited_values(entry: Entry) -> list[tuple[str, str]]:
    """The values, with their labels, that new files of an entry keep from it unless the form changes them."""
    values = {
        "task_set": f"{entry.task_set.benchmark.name} {entry.task_set.name}",
        "agent": entry.agent.name,
        "agent_url": entry.agent_url,
        "model": entry.agent.model,
        "model_openness": MODEL_OPENNESS.get(entry.model_openness, ""),
        "scaffold_openness": SCAFFOLD_OPENNESS.get(entry.scaffold_openness, ""),
        "code": shown_code(entry),
        "cost": "" if entry.cost is None else f"{entry.cost:.2f}",
        "evaluated": entry.evaluated.isoformat() if entry.evaluated else "",
        "released": entry.released.isoformat() if entry.released else "",
        "links": ", ".join(link["label"] for link in shown_links(entry)),
        "notes": shown_notes(entry),
    }
    labels = {**EntryForm.base_fields, **DescriptionForm.base_fields}
    return [(str(labels[name].label), text) for name, text in values.items() if text]


def missing_labels(upload: Upload) -> list[str]:
    """The labels of the fields that an upload's description lacks, each once."""
    field_names = {"benchmark": "task_set", "set": "task_set"}
    names = [field_names.get(name, name) for name in description_from_data(upload.description).missing]
    return [str(DescriptionForm.base_fields[name].label) for name in dict.fromkeys(names)]
