"""What addresses and forms say, checked."""

from __future__ import annotations

from django import forms
from django.http import QueryDict

from leaderboard.labels import SCORERS
from leaderboard.selectors.board import BoardQuery
from leaderboard.services.figures import BOARD

MAX_PAGE = 1_000_000
DIGITS = 18
"""Of a number that somebody may send: more bytes, or rows, than there ever are, and none too long to read."""


def whole_number(text: str) -> int | None:
    """What somebody sent as a number from 0 on; None where it is none that can be meant."""
    return int(text) if text.isdecimal() and len(text) <= DIGITS else None


def page_number(data: QueryDict) -> int:
    """The page of a list that an address asks for; the first where it asks for none, or for nonsense."""
    return min(max(whole_number(data.get("page", "")) or 1, 1), MAX_PAGE)


def row_number(data: QueryDict, name: str) -> int:
    """The key of a row that somebody sent; 0, which no row has, where it is none."""
    return whole_number(data.get(name, "")) or 0


class BoardForm(forms.Form):
    """A board's filters and state. Everything is optional; what can't be understood is named and left out."""

    agent = forms.CharField(label="Agent", required=False, max_length=100)
    model = forms.CharField(label="Model", required=False, max_length=100)
    q = forms.CharField(label="Text", required=False, max_length=100)
    scorer = forms.ChoiceField(label="Scores", required=False, choices=list(SCORERS.items()))
    sort = forms.CharField(required=False, max_length=80, widget=forms.HiddenInput)
    page = forms.IntegerField(required=False, min_value=1, max_value=MAX_PAGE, widget=forms.HiddenInput)

    def __init__(self, data: QueryDict, *, sort_keys: set[str]) -> None:
        super().__init__(data, auto_id="board-%s", label_suffix="")
        self.sort_keys = sort_keys

    def clean_sort(self) -> str:
        sort: str = self.cleaned_data["sort"]
        if sort and sort.removeprefix("-") not in self.sort_keys:
            raise forms.ValidationError(f"There is no column “{sort}” to sort by.")
        return sort

    def board_query(self) -> BoardQuery:
        """The query as far as it could be understood; the defaults stand for the rest."""
        self.is_valid()
        said = {key: value for key, value in self.cleaned_data.items() if value}
        if "q" in said:
            said["text"] = said.pop("q")
        return BoardQuery(**{"scorer": BOARD, **said})
