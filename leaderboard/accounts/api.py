"""The caller's own account in the API."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from ninja import Field, Schema

from leaderboard.core.endpoints.callers import ApiRequest, require_scope
from leaderboard.core.endpoints.routers import ACCOUNT, reads
from leaderboard.core.permissions import can_operate, teams_of
from leaderboard.domain.access import Scope


class TeamOut(Schema):
    """A team of the caller."""

    slug: str
    name: str
    personal: bool = Field(
        description="Whether it is the caller's own team, which owns uploads that name no team."
    )


class MeOut(Schema):
    """The account that sends the request."""

    username: str
    operator: bool
    teams: list[TeamOut]
    token: str | None = Field(description="The name of the token that was sent; null for a session.")
    scopes: list[str] = Field(description="What this token or session allows.")
    expires: datetime | None


@reads(ACCOUNT, "/me", auth=require_scope(Scope.READ), response=MeOut)
def me(request: ApiRequest) -> dict[str, Any]:
    """Read your own account.

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
