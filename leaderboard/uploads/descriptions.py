"""What a submitter says beside the files, checked before any of them arrives."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from leaderboard.domain.errors import InputError, InputErrors, Problem
from leaderboard.domain.text import storable
from leaderboard.intake.description import Description, description_from_data
from leaderboard.uploads.webhooks import webhook_problem

NOTICE_FIELDS: Final = ("email", "webhook")
"""What a form says of the upload itself, beside the description of its entry."""


def checked_form(form: Mapping[str, Any]) -> dict[str, Any]:
    """A form as it is stored: what is empty left out.

    Fields, all optional: those of `entry.schema.json` (``benchmark``, ``set``, ``agent``, ``model``,
    ``links``, ``cost``, ``notes``), ``email`` (whether to tell the sender when checking ends), ``webhook``
    (an address to tell). `entry.yaml` in the files fills what is left open here.

    Raises:
        InputErrors: everything that can't be, each with its field as place.
    """
    given = {name: value for name, value in form.items() if value not in (None, "", [], False)}
    problems: list[Problem] = []
    description = Description()
    try:
        description = form_description(given)
    except InputErrors as refused:
        problems += refused.problems
    if problem := webhook_problem(given.get("webhook", "")):
        problems.append(problem)
    if problems:
        raise InputErrors(tuple(problems))
    notices: dict[str, Any] = {"email": True} if given.get("email") else {}
    if "webhook" in given:
        notices["webhook"] = given["webhook"]
    return description.as_data() | notices


def form_description(form: Mapping[str, Any]) -> Description:
    """The description of an entry in a form, without what it says of notices."""
    return description_from_data({name: value for name, value in form.items() if name not in NOTICE_FIELDS})


def checked_name(name: str) -> str:
    """A file's name as it is stored: the last part of a path, or `InputError`."""
    last = storable(PurePosixPath(name.replace("\\", "/")).name).strip()
    if not last:
        raise InputError(Problem("upload", "name", "the file has no name", "give it one"))
    if len(last) > 255:
        raise InputError(
            Problem(last[:40], "name", "the name is longer than 255 characters", "rename the file")
        )
    return last
