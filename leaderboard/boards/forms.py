"""Validation of a board's query."""

from __future__ import annotations

from datetime import date

from django import forms
from django.http import QueryDict

from leaderboard.boards.history import today
from leaderboard.boards.levels import LevelsQuery
from leaderboard.boards.selectors import RANKED_ONLY, BoardQuery, sort_keys
from leaderboard.boards.switches import COVERAGE_LABELS
from leaderboard.core.labels import EVIDENCE, scorer_labels
from leaderboard.core.numbers import MAX_PAGE
from leaderboard.domain.scores import BOARD
from leaderboard.entries.declared import DECLARED, DeclaredForm
from leaderboard.models import Category
from leaderboard.scoring.contract import Scoring

EVIDENCE_CHOICES = [
    ("", "All"),
    (RANKED_ONLY, "Enough for a rank"),
    *((evidence, label.capitalize()) for evidence, label in EVIDENCE.items()),
]


class BoardForm(DeclaredForm):
    """A board's switches, filters and order.

    All fields are optional; invalid ones are ignored, with an error.
    """

    agent = forms.CharField(label="Agent", required=False, max_length=100)
    model = forms.CharField(label="Model", required=False, max_length=100)
    q = forms.CharField(label="Text", required=False, max_length=100)
    scorer = forms.ChoiceField(label="Scores", required=False)
    coverage = forms.ChoiceField(label="Means over", required=False, choices=[*COVERAGE_LABELS.items()])
    at = forms.DateField(
        label="As it stood on",
        required=False,
        input_formats=["%Y-%m-%d"],
        widget=forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"}),
        error_messages={
            "invalid": "There is no such day to show the board at: write year, month and day, as 2026-11-01."
        },
    )
    evidence = forms.ChoiceField(
        label="Evidence",
        required=False,
        choices=EVIDENCE_CHOICES,
    )
    columns = forms.MultipleChoiceField(label="Columns", required=False)
    x = forms.ChoiceField(label="Across", required=False)
    y = forms.ChoiceField(label="Up", required=False)
    sort = forms.CharField(required=False, max_length=80, widget=forms.HiddenInput)
    page = forms.IntegerField(required=False, min_value=1, max_value=MAX_PAGE, widget=forms.HiddenInput)

    def __init__(self, data: QueryDict, *, scoring: Scoring, categories: list[Category]) -> None:
        super().__init__(data, auto_id="board-%s", label_suffix="")
        self.sort_keys = sort_keys(scoring, categories)
        self.says_today = False
        """Once it is checked: whether its day is not over, so that what it says changes without a write."""
        self.fields["scorer"].choices = list(scorer_labels(scoring).items())  # type: ignore[attr-defined]
        self.fields["columns"].choices = [  # type: ignore[attr-defined]
            (metric.key, metric.label)
            for metric in scoring.metrics
            if metric.key not in scoring.layout.overall
        ]
        for axis in ("x", "y"):
            self.fields[axis].choices = [  # type: ignore[attr-defined]
                (metric.key, metric.label) for metric in scoring.metrics
            ]

    def clean_sort(self) -> str:
        sort: str = self.cleaned_data["sort"]
        if sort and sort.removeprefix("-") not in self.sort_keys:
            raise forms.ValidationError(f"There is no column “{sort}” to sort by.")
        return sort

    def clean_at(self) -> date | None:
        day: date | None = self.cleaned_data["at"]
        if day and day >= today():
            self.says_today = True
        if day and day > today():
            reason = f"{day} has not come yet: the last day to show the board at is {today()}, in UTC."
            raise forms.ValidationError(reason)
        return day

    @property
    def narrows(self) -> bool:
        """Whether it asks for some of the entries only."""
        return bool(self.chosen_declared) or any(field.value() for field in self.filters)

    @property
    def filters(self) -> list[forms.BoundField]:
        """The fields that choose the entries."""
        return [self[name] for name in ("agent", "model", "q", "evidence")]

    @property
    def kept(self) -> list[forms.BoundField]:
        """The valid fields of the query that the filters have no place for."""
        return [
            self[name]
            for name in ("sort", "x", "y", "scorer", "coverage", "at")
            if self.cleaned_data.get(name)
        ]

    @property
    def evidence_label(self) -> str:
        """The label of the chosen evidence."""
        return dict(EVIDENCE_CHOICES)[self.cleaned_data.get("evidence", "")]

    def board_query(self) -> BoardQuery:
        """The valid part of the query, with defaults for the rest."""
        self.is_valid()
        given = {key: value for key, value in self.cleaned_data.items() if value and key not in DECLARED}
        if "q" in given:
            given["text"] = given.pop("q")
        given["columns"] = tuple(given.pop("columns", ()))
        return BoardQuery(**{"scorer": BOARD, **given}, declared=self.declared())


class LevelsForm(forms.Form):
    """Whose scores a benchmark's page shows. Both fields are optional; invalid ones are ignored."""

    scorer = forms.ChoiceField(label="Scores", required=False)
    page = forms.IntegerField(required=False, min_value=1, max_value=MAX_PAGE, widget=forms.HiddenInput)

    def __init__(self, data: QueryDict, *, scoring: Scoring) -> None:
        super().__init__(data, auto_id="levels-%s", label_suffix="")
        self.fields["scorer"].choices = list(scorer_labels(scoring).items())  # type: ignore[attr-defined]

    def levels_query(self) -> LevelsQuery:
        """The valid part of the query, with defaults for the rest."""
        self.is_valid()
        return LevelsQuery(**{key: value for key, value in self.cleaned_data.items() if value})
