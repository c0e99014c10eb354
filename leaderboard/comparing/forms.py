"""Validation of the query of a comparison."""

from __future__ import annotations

from django import forms
from django.http import QueryDict

from leaderboard.comparing.selectors import CompareQuery, Order, Show
from leaderboard.domain.text import storable
from leaderboard.scoring.contract import Scoring

ORDERS = {Order.DIFFICULTY: "Hardest first", Order.NAME: "By name"}
SHOWN = {
    Show.ALL: "All",
    Show.DIFFER: "They differ",
    Show.ONE_SOLVED: "Only one solved",
    Show.ALL_SOLVED: "All solved",
    Show.NONE_SOLVED: "None solved",
}


class CompareForm(forms.Form):
    """What is compared, and which tasks are shown. All fields are optional; invalid ones are ignored.

    The entries are not among them: `entry_slugs` reads them.
    """

    metric = forms.ChoiceField(label="Metric", required=False)
    order = forms.ChoiceField(label="Order of tasks", required=False, choices=list(ORDERS.items()))
    show = forms.ChoiceField(label="Tasks", required=False, choices=list(SHOWN.items()))

    def __init__(self, data: QueryDict, *, scoring: Scoring) -> None:
        # The chosen ones are those that are used, so that no control says another thing than the page.
        defaults = {"metric": scoring.ranked_by, "order": Order.DIFFICULTY, "show": Show.ALL}
        given = {name: data.get(name) or default for name, default in defaults.items()}
        super().__init__(given, auto_id="compare-%s", label_suffix="")
        self.fields["metric"].choices = [  # type: ignore[attr-defined]
            (metric.key, metric.label) for metric in scoring.metrics
        ]

    def query(self) -> CompareQuery:
        """The valid part of the query, with defaults for the rest."""
        self.is_valid()
        return CompareQuery(**{name: value for name, value in self.cleaned_data.items() if value})


def entry_slugs(data: QueryDict) -> list[str]:
    """The slugs of the entries in a query, each once."""
    return list(dict.fromkeys(storable(slug) for slug in data.getlist("e") if slug))
