"""The form that a submitter fills in beside the files, checked before any file is received."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any, Final

from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.text import storable
from leaderboard.intake.description import Description, description_from_data
from leaderboard.intake.member_names import escaped
from leaderboard.uploads.webhooks import webhook_problem

NOTICE_FIELDS: Final = ("email", "webhook")
"""Fields of a form that are about the upload, not about its entry."""

EMPTY: Final[tuple[object, ...]] = (None, "", [])
"""Values of a field that was not filled in."""


def checked_form(form: Mapping[str, Any]) -> dict[str, Any]:
    """A form as it is stored, without empty fields.

    Fields, all optional: those of `entry.schema.json` (``benchmark``, ``set``, ``agent``, ``model``,
    ``model_openness``, ``scaffold_openness``, ``code``, ``links``, ``cost``, ``evaluated``, ``released``,
    ``notes``), ``email`` (whether to send an e-mail when checking ends), ``webhook`` (an address to send a
    POST to). `entry.yaml` in the files fills in what is
    missing here.

    Raises:
        InputError: every invalid field, each with its name as place.
    """
    given = {name: value for name, value in form.items() if value is not False and value not in EMPTY}
    problems: list[Problem] = []
    description = Description()
    try:
        description = form_description(given)
    except InputError as refused:
        problems += refused.problems
    if problem := webhook_problem(given.get("webhook", "")):
        problems.append(problem)
    if problems:
        raise InputError(*problems)
    notices: dict[str, Any] = {"email": True} if given.get("email") else {}
    if "webhook" in given:
        notices["webhook"] = given["webhook"]
    return description.as_data() | notices


def form_description(form: Mapping[str, Any]) -> Description:
    """The description of an entry in a form, without `NOTICE_FIELDS`."""
    return description_from_data({name: value for name, value in form.items() if name not in NOTICE_FIELDS})


def checked_name(name: str) -> str:
    """A file's name as it is stored: the last part of its path, on one line.

    Line ends, other control characters and invisible ones become escapes.

    Raises:
        InputError: it is invalid.
    """
    last = escaped(storable(PurePosixPath(name.replace("\\", "/")).name).strip())
    if not last:
        raise InputError(Problem("upload", "name", "the file has no name", "give it one"))
    if len(last) > 255:
        raise InputError(
            Problem(last[:40], "name", "the name is longer than 255 characters", "rename the file")
        )
    return last
