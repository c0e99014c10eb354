"""A person's own team, made when it is first asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain, count
from typing import TYPE_CHECKING

from django.db import IntegrityError, transaction
from django.utils.text import slugify

from leaderboard.core.audit import record_event
from leaderboard.core.locks import hold_fast
from leaderboard.domain.errors import InputError, Problem
from leaderboard.models import Membership, Team

if TYPE_CHECKING:
    from django.contrib.auth.models import User


Role = Membership.Role


def personal_team(user: User) -> Team:
    """The team that is ``user``'s own, made when it is first asked for and named after them."""
    own = Team.objects.filter(personal_to=user)
    if team := own.first():
        return team
    with transaction.atomic():
        hold_fast(user)
        return own.first() or add_team(_free_name(user.get_username()), user, personal_to=user)


def refused(place: str, reason: str, remedy: str = "") -> InputError:
    """The error for what can't be done with a team; ``place`` is the field of a form that is at fault."""
    return InputError(Problem("team", place, reason, remedy))


def add_team(name: str, owner: User, *, personal_to: User | None = None) -> Team:
    with refuse_taken_name():
        team = Team.objects.create(name=name, slug=_free_slug(name), personal_to=personal_to)
    Membership.objects.create(team=team, user=owner, role=Role.OWNER)
    record_event("create team", f"team {team.pk}", actor=owner)
    return team


def name_taken() -> InputError:
    return refused("name", "there is a team of that name", "pick another name")


@contextmanager
def refuse_taken_name() -> Iterator[None]:
    """Say it in words where somebody took a name since it was found to be free."""
    try:
        with transaction.atomic():
            yield
    except IntegrityError as error:
        raise name_taken() from error


def _free_name(base: str) -> str:
    numbered = (f"{base[: Team.NAME_LENGTH - 10]} {number}" for number in count(2))
    return next(
        name
        for name in chain([base[: Team.NAME_LENGTH]], numbered)
        if not Team.objects.filter(name__iexact=name).exists()
    )


def _free_slug(name: str) -> str:
    base = slugify(name)[:100] or "team"
    numbered = (f"{base}-{number}" for number in count(2))
    return next(slug for slug in chain([base], numbered) if not Team.objects.filter(slug=slug).exists())
