"""Creating teams, and each user's personal team."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, count

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils.text import slugify

from leaderboard.core.audit import record_event
from leaderboard.core.locks import lock_row
from leaderboard.domain.errors import InputError, Problem
from leaderboard.domain.name_keys import name_key
from leaderboard.models import Membership, Team

Role = Membership.Role


def personal_team(user: User) -> Team:
    """The personal team of ``user``, created on first use and named after them."""
    own = Team.objects.filter(personal_to=user)
    if team := own.first():
        return team
    with transaction.atomic():
        lock_row(user)
        return own.first() or add_team(_free_name(user.get_username()), user, personal_to=user)


def team_error(place: str, reason: str, remedy: str = "") -> InputError:
    """An error of an action on a team; ``place`` is the form's field that has the error, or empty."""
    return InputError(Problem("team", place, reason, remedy))


def add_team(name: str, owner: User, *, personal_to: User | None = None) -> Team:
    with refuse_taken_name(name):
        team = Team.objects.create(name=name, slug=_free_slug(name), personal_to=personal_to)
    Membership.objects.create(team=team, user=owner, role=Role.OWNER)
    record_event("create team", f"team {team.pk}", actor=owner)
    return team


def name_taken_error(taken: str) -> InputError:
    reason = f"there is a team of that name, or of one that looks like it: {taken}"
    return team_error("name", reason, "pick another name")


@contextmanager
def refuse_taken_name(name: str) -> Iterator[None]:
    """Turn a violated constraint into ``name_taken_error``: the name was taken since it was checked."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        raise name_taken_error(name) from error


def _free_name(base: str) -> str:
    numbered = (f"{base[: Team.NAME_LENGTH - 10]} {number}" for number in count(2))
    return next(
        name
        for name in chain([base[: Team.NAME_LENGTH]], numbered)
        if not Team.objects.filter(key=name_key(name)).exists()
    )


def _free_slug(name: str) -> str:
    base = slugify(name)[:100] or "team"
    numbered = (f"{base}-{number}" for number in count(2))
    return next(slug for slug in chain([base], numbered) if not Team.objects.filter(slug=slug).exists())
