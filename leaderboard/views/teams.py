"""Teams: listed, made, looked after by their owners, joined by invitation."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from leaderboard.account_forms import InvitationForm, TeamForm, add_refusal, refusal
from leaderboard.domain.errors import InputError
from leaderboard.forms import row_number
from leaderboard.models import Invitation, Membership, Team
from leaderboard.permissions import can_look_after_team, check_can_look_after_team, teams_of
from leaderboard.selectors.accounts import my_teams, newest_entries
from leaderboard.selectors.catalogue import all_task_sets
from leaderboard.services import teams as services
from leaderboard.services.invitations import (
    accept_invitation,
    decline_invitation,
    invitations_for,
    invite,
    withdraw_invitation,
)

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@never_cache
@login_required
def teams(request: HttpRequest) -> HttpResponse:
    """Somebody's teams, invitations to them, and a form that makes another."""
    user = cast("User", request.user)
    form = TeamForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            return redirect(services.create_team(name=form.cleaned_data["name"], user=user))
        except InputError as error:
            add_refusal(form, error)
    context = {
        "task_sets": all_task_sets(),
        "memberships": my_teams(user),
        "invitations": invitations_for(user),
        "form": form,
    }
    return render(request, "leaderboard/teams.html", context)


@require_POST
@login_required
def answer(request: HttpRequest, pk: int) -> HttpResponse:
    """Accept or decline an invitation, as ``action`` says."""
    user = cast("User", request.user)
    invitation = get_object_or_404(invitations_for(user), pk=pk)
    try:
        if request.POST.get("action") == "accept":
            return redirect(accept_invitation(invitation, user=user))
        decline_invitation(invitation, user=user)
    except InputError as error:
        messages.error(request, refusal(error))
    return redirect("teams")


@never_cache
@login_required
def team(request: HttpRequest, slug: str) -> HttpResponse:
    """A team: who is in it, what it owns, and for its owners all that looks after it."""
    user = cast("User", request.user)
    shown = get_object_or_404(teams_of(user), slug=slug)
    action = request.POST.get("action")
    rename = TeamForm(request.POST if action == "rename" else None, initial={"name": shown.name})
    invitation = InvitationForm(request.POST if action == "invite" else None)
    if request.method == "POST":
        try:
            if answered := _act(request, shown, action, rename, invitation):
                return answered
        except InputError as error:
            form = {"rename": rename, "invite": invitation}.get(action or "")
            if form is None:
                messages.error(request, refusal(error))
                return redirect(shown)
            add_refusal(form, error)
    context = {
        "task_sets": all_task_sets(),
        "team": shown,
        "memberships": shown.memberships.select_related("user"),
        "invitations": shown.invitations.filter(expires__gt=timezone.now()),
        "entries": newest_entries(shown.entries.all()),
        "owner": can_look_after_team(user, shown),
        "rename": rename,
        "invitation": invitation,
    }
    return render(request, "leaderboard/team.html", context)


def _act(
    request: HttpRequest, shown: Team, action: str | None, rename: TeamForm, invitation: InvitationForm
) -> HttpResponse | None:
    """Do what a form on a team's page asks for; None where the form has to be shown again.

    Raises:
        InputError: it can't be done.
        PermissionDenied: it is for owners.
    """
    user = cast("User", request.user)
    if action == "leave":
        services.leave(shown, user=user)
        return redirect("teams")
    check_can_look_after_team(user, shown)
    match action:
        case "rename" if rename.is_valid():
            services.rename_team(shown, name=rename.cleaned_data["name"], user=user)
        case "invite" if invitation.is_valid():
            link = request.build_absolute_uri(reverse("teams"))
            sent = invite(shown, **invitation.cleaned_data, user=user, link=link)
            messages.success(request, f"{sent.email} is invited.")
        case "rename" | "invite":
            return None
        case "withdraw":
            withdraw_invitation(_invitation(request, shown), user=user)
        case "owner" | "member" as role:
            services.set_role(shown, member=_member(request, shown), role=role, user=user)
        case "remove":
            services.remove_member(shown, member=_member(request, shown), user=user)
        case "delete":
            services.delete_team(shown, user=user)
            return redirect("teams")
        case _:
            messages.error(request, "This is nothing that can be done with a team.")
    return redirect(shown)


def _member(request: HttpRequest, shown: Team) -> User:
    memberships = Membership.objects.filter(team=shown).select_related("user")
    return get_object_or_404(memberships, pk=row_number(request.POST, "member")).user


def _invitation(request: HttpRequest, shown: Team) -> Invitation:
    return get_object_or_404(shown.invitations, pk=row_number(request.POST, "invitation"))
