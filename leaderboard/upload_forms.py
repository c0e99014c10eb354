"""The forms that begin an upload and fill in what one lacks."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.models import User
from django.utils.translation import gettext_lazy as _

from leaderboard.models import Team, Upload
from leaderboard.permissions import teams_of
from leaderboard.selectors.catalogue import all_task_sets


class DescriptionForm(forms.Form):
    """What is said of an entry beside its files; all of it may stand in entry.yaml instead."""

    task_set = forms.ChoiceField(label=_("Task set"), required=False)
    agent = forms.CharField(label=_("Agent"), max_length=100, required=False)
    model = forms.CharField(label=_("Model"), max_length=100, required=False)
    cost = forms.FloatField(label=_("Cost of it all, in US dollars"), min_value=0, required=False)
    links = forms.CharField(
        label=_("Links"),
        help_text=_("One a line: the address, a space, and what it is."),
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    notes = forms.CharField(
        label=_("Notes"), max_length=10_000, required=False, widget=forms.Textarea(attrs={"rows": 3})
    )
    email = forms.BooleanField(label=_("Tell me by e-mail when checking ends"), required=False)
    webhook = forms.CharField(label=_("Address to tell when checking ends"), max_length=500, required=False)

    def __init__(self, data: Any = None, *, initial: dict[str, Any] | None = None) -> None:
        super().__init__(data, auto_id="upload-%s", label_suffix="", initial=initial)
        sets = [
            (f"{each.benchmark.slug}/{each.slug}", f"{each.benchmark.name} {each.name}")
            for each in all_task_sets()
        ]
        field = self.fields["task_set"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - for the type checker
        field.choices = [("", _("as entry.yaml or the files' names say")), *sets]

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
    """Files, whose they are, and what is said beside them."""

    team = forms.ModelChoiceField(label=_("For"), queryset=Team.objects.none(), empty_label=None)

    field_order = ("team", "task_set", "agent", "model")

    def __init__(self, data: Any = None, *, user: User) -> None:
        super().__init__(data)
        team = self.fields["team"]
        assert isinstance(team, forms.ModelChoiceField)  # noqa: S101 - for the type checker
        team.queryset = teams_of(user)


def description_of(upload: Upload) -> dict[str, Any]:
    """What a form that fills in the rest of an upload's description begins with."""
    known = {**upload.description, **upload.form}
    agent = known.get("agent", "")
    links = "\n".join(f"{link['url']} {link.get('label', '')}".strip() for link in known.get("links", []))
    both = known.get("benchmark") and known.get("set")
    return {
        **known,
        "agent": agent.get("name", "") if isinstance(agent, dict) else agent,
        "links": links,
        "task_set": f"{known['benchmark']}/{known['set']}" if both else "",
    }
