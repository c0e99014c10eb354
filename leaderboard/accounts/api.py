"""Who one is to the API."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ninja import Field, Schema

from leaderboard.core.endpoints.callers import ApiRequest, needs
from leaderboard.core.endpoints.routers import ACCOUNT, reads
from leaderboard.core.permissions import can_operate, teams_of
from leaderboard.domain.access import Scope


class TeamOut(Schema):
    """A team that one is in."""

    slug: str
    name: str
    personal: bool = Field(description="Whether it is one's own, which owns what is sent without a team.")


class MeOut(Schema):
    """Whoever sends the request."""

    username: str
    operator: bool
    teams: list[TeamOut]
    token: str | None = Field(description="The name of the token that was sent; null for a session.")
    scopes: list[str] = Field(description="What the caller may do by this token, or this session.")
    expires: datetime | None


@reads(ACCOUNT, "/me", auth=needs(Scope.READ), response=MeOut)
def me(request: ApiRequest) -> dict[str, Any]:
    """Ask who you are.

    Whose token this is, and what it allows.
    """
    caller = request.caller
    return {
        "username": caller.user.get_username(),
        "operator": can_operate(caller.user),
        "teams": [
            {"slug": team.slug, "name": team.name, "personal": team.personal_to_id == caller.user.pk}
            for team in teams_of(caller.user)
        ],
        "token": caller.token.name if caller.token else None,
        "scopes": [scope for scope in Scope if caller.allows(scope)],
        "expires": caller.token.expires if caller.token else None,
    }
