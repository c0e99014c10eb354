"""What operators do with teams in the API."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import Http404
from ninja import Field, Schema

from leaderboard.core.endpoints.callers import ApiRequest, require_scope
from leaderboard.core.endpoints.routers import ACCOUNT, reads
from leaderboard.domain.access import Scope
from leaderboard.models import Team
from leaderboard.operating.admissions import admit_team
from leaderboard.operating.selectors import waiting_teams


class WaitingTeam(Schema):
    """A team whose first upload waits for an operator."""

    slug: str
    name: str
    since: datetime = Field(validation_alias="admission_asked")


class Admitted(Schema):
    """What came of admitting a team."""

    team: str
    queued: int = Field(description="Uploads that waited for it, and are queued to be checked now.")


@reads(ACCOUNT, "/teams/waiting", auth=require_scope(Scope.OPERATE), response=list[WaitingTeam])
def teams_to_admit(request: ApiRequest) -> list[Team]:
    """List the teams that wait to be admitted.

    Where SUPERBOARD_ADMIT_TEAMS is set, a team's first check waits for that. For operators.
    """
    return list(waiting_teams())


@ACCOUNT.post("/teams/{slug:slug}/admit", auth=require_scope(Scope.OPERATE), response=Admitted)
def admit(request: ApiRequest, slug: str) -> dict[str, Any]:
    """Admit a team.

    Its waiting uploads are queued to be checked. For operators; idempotent.
    """
    team = Team.objects.filter(slug=slug).first()
    if team is None:
        raise Http404("There is no such team.")
    return {"team": team.slug, "queued": admit_team(team, user=request.caller.user)}
