"""What operators write about a drafted task."""

from __future__ import annotations

from typing import Any

from django import forms

from leaderboard.models import TaskDraft
from leaderboard.operating.drafts import LONGEST_QUERY, LONGEST_REASON


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
