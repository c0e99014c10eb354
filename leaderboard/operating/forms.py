"""What operators write: a drafted task's decision, a benchmark, a file of tasks."""

from __future__ import annotations

from typing import Any

from django import forms

from leaderboard.catalogue.selectors import all_task_sets
from leaderboard.models import TaskDraft
from leaderboard.operating.drafts import LONGEST_QUERY, LONGEST_REASON

MOST_CHARACTERS = 500_000
"""Of a benchmark's file."""
MOST_TASK_BYTES = 50 << 20
"""Of a file of tasks; a larger one can be imported by command."""


class BenchmarkForm(forms.Form):
    """A benchmark as in its file."""

    text = forms.CharField(
        label="Benchmark",
        help_text="YAML or JSON with slug, name, task sets, and a scoring or the metrics of reported scores.",
        max_length=MOST_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 18, "spellcheck": "false", "class": "code"}),
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, auto_id="benchmark-%s", label_suffix="")


class TasksForm(forms.Form):
    """A file of tasks, and the set that they are of."""

    task_set = forms.ChoiceField(label="Task set")
    file = forms.FileField(
        label="File of tasks",
        help_text="Parquet, JSON lines or JSON. Tasks are known by their id; importing again updates them.",
    )

    def __init__(self, data: Any = None, files: Any = None) -> None:
        super().__init__(data, files, auto_id="tasks-%s", label_suffix="")
        choices = [(each.key, f"{each.benchmark.name} {each.name}") for each in all_task_sets()]
        self.fields["task_set"].choices = choices  # type: ignore[attr-defined]

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size > MOST_TASK_BYTES:
            limit = MOST_TASK_BYTES >> 20
            raise forms.ValidationError(
                f"The file has more than {limit} MB: import it with manage.py import_tasks."
            )
        return file


class DraftForm(forms.Form):
    """A draft's query, and the reason of a decision."""

    query = forms.CharField(
        label="Query",
        help_text="What the agent is asked. A model wrote it from a stranger's README: read every sentence.",
        max_length=LONGEST_QUERY,
        widget=forms.Textarea(attrs={"rows": 10}),
    )
    reason = forms.CharField(
        label="Reason of the decision",
        help_text="What you looked at; it is kept in the audit.",
        max_length=LONGEST_REASON,
        required=False,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    version = forms.IntegerField(min_value=1, max_value=2**31 - 1, widget=forms.HiddenInput)

    def __init__(self, data: Any = None, *, draft: TaskDraft) -> None:
        initial = {"query": draft.query, "reason": draft.why, "version": draft.version}
        super().__init__(data, auto_id="draft-%s", label_suffix="", initial=initial)
