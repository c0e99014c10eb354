"""Validation of the queries of a set's lists, and of a task's."""

from __future__ import annotations

from typing import cast

from django import forms
from django.http import QueryDict

from leaderboard.core.numbers import MAX_PAGE
from leaderboard.diagnosis.classes import LABELS
from leaderboard.models import Category
from leaderboard.scoring.contract import Scoring
from leaderboard.tasks.failures import FailuresQuery
from leaderboard.tasks.overview import TaskQuery
from leaderboard.tasks.tasks_list import COLUMNS, SOLVED, TasksQuery


class FailuresForm(forms.Form):
    """Whose failures are counted, and which are listed. Invalid values are ignored, with an error."""

    entry = forms.SlugField(label="Attempts of", required=False, max_length=200)
    category = forms.ChoiceField(required=False)
    finding = forms.ChoiceField(required=False, choices=[("", "Any"), *LABELS.items()])
    task = forms.CharField(required=False, max_length=200)
    landmark = forms.IntegerField(required=False, min_value=1, max_value=1000)
    page = forms.IntegerField(required=False, min_value=1, max_value=MAX_PAGE)

    def __init__(self, data: QueryDict, *, categories: list[Category]) -> None:
        super().__init__(data, auto_id="failures-%s", label_suffix="")
        field = cast("forms.ChoiceField", self.fields["category"])
        field.choices = [("", "Any"), *((each.slug, each.name) for each in categories)]

    def failures_query(self) -> FailuresQuery:
        """The valid part of the query, with defaults for the rest."""
        self.is_valid()
        return FailuresQuery(**{key: value for key, value in self.cleaned_data.items() if value})


class TasksForm(forms.Form):
    """Which of a set's tasks are listed, and their order. Invalid values are ignored, with an error."""

    q = forms.CharField(label="Text", required=False, max_length=100)
    category = forms.ChoiceField(required=False)
    solved = forms.ChoiceField(label="Solved", required=False, choices=[("", "Any"), *SOLVED.items()])
    sort = forms.CharField(required=False, max_length=80, widget=forms.HiddenInput)

    def __init__(self, data: QueryDict, *, scoring: Scoring, categories: list[Category]) -> None:
        super().__init__(data, auto_id="tasks-%s", label_suffix="")
        field = cast("forms.ChoiceField", self.fields["category"])
        field.label = scoring.groups.one.capitalize()
        field.choices = [("", "Any"), *((each.slug, each.name) for each in categories)]
        if not categories:
            del self.fields["category"]
        if scoring.decisive.best is None or scoring.decisive.worst is None:
            # On a scale without ends nothing is solved.
            del self.fields["solved"]

    def clean_sort(self) -> str:
        sort: str = self.cleaned_data["sort"]
        if sort and sort.removeprefix("-") not in COLUMNS:
            raise forms.ValidationError(f"There is no column “{sort}” to sort by.")
        return sort

    @property
    def filters(self) -> list[forms.BoundField]:
        """The fields that choose the tasks."""
        return [self[name] for name in self.fields if name != "sort"]

    def tasks_query(self) -> TasksQuery:
        """The valid part of the query, with defaults for the rest."""
        self.is_valid()
        return TasksQuery(**{key: value for key, value in self.cleaned_data.items() if value})


class TaskForm(forms.Form):
    """Which attempts at a task are listed and compared. Invalid values are ignored, with an error."""

    finding = forms.ChoiceField(required=False, choices=[("", "Any"), *LABELS.items()])
    landmark = forms.IntegerField(required=False, min_value=1, max_value=1000)
    page = forms.IntegerField(required=False, min_value=1, max_value=MAX_PAGE)

    def task_query(self) -> TaskQuery:
        """The valid part of the query, with defaults for the rest."""
        self.is_valid()
        return TaskQuery(**{key: value for key, value in self.cleaned_data.items() if value})
