"""Shows what a service refused at the fields of a form."""

from __future__ import annotations

import re
from collections.abc import Mapping

from django.forms import Form

from leaderboard.domain.errors import InputError

_FIRST_NAME = re.compile(r"(?:\$\.)?(?:form\.)?(\w+)")


def add_refusal(form: Form, refused: InputError, names: Mapping[str, str]) -> None:
    """Add each problem to the field that its place names, or else to the form as a whole.

    ``names`` are the fields of places with another name.
    """
    for problem in refused.problems:
        found = _FIRST_NAME.match(problem.place)
        name = names.get(found[1], found[1]) if found else ""
        if name in form.fields:
            remedy = f" ({problem.remedy})" if problem.remedy else ""
            form.add_error(name, problem.reason + remedy)
        else:
            form.add_error(None, str(problem))
