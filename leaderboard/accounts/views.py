"""Account pages: the user's entries, tokens, teams and invitations."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, cast

from allauth.core.ratelimit import consume_or_429
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_POST, require_safe

from leaderboard.accounts import teams as services
from leaderboard.accounts.forms import (
    DeleteAccountForm,
    InvitationForm,
    TeamForm,
    TokenForm,
    add_input_error,
    input_error_text,
)
from leaderboard.accounts.invitations import (
    accept_invitation,
    decline_invitation,
    invitations_for,
    invite,
    withdraw_invitation,
)
from leaderboard.accounts.selectors import deletion_plan, my_teams, newest_entries
from leaderboard.accounts.services import delete_account
from leaderboard.catalogue.selectors import all_task_sets
from leaderboard.core.numbers import row_number
from leaderboard.core.permissions import can_manage_team, check_can_manage_team, teams_of
from leaderboard.core.tokens import create_token, revoke_token
from leaderboard.domain.access import Scope
from leaderboard.domain.errors import InputError
from leaderboard.models import Entry, Invitation, Membership, Team

if TYPE_CHECKING:
    from django.contrib.auth.models import User


RATE_SECONDS = 300
"""The longest period, in seconds, over which django-allauth counts attempts."""


def too_many_attempts(request: HttpRequest) -> HttpResponse:
    """Answer 429 with the time to wait."""
    response = render(request, "429.html", status=HTTPStatus.TOO_MANY_REQUESTS)
    response["Retry-After"] = str(RATE_SECONDS)
    return response


@require_safe
@never_cache
@login_required
def account(request: HttpRequest) -> HttpResponse:
    """The user's teams, entries, drafts and tokens, with links to the settings."""
    user = cast("User", request.user)
    context = {
        "task_sets": all_task_sets(),
        "memberships": my_teams(user),
        "invitations": invitations_for(user),
        "entries": newest_entries(Entry.objects.filter(team__in=teams_of(user))),
        "tokens": user.api_tokens.count(),
        "providers": bool(settings.SOCIALACCOUNT_PROVIDERS),
    }
    return render(request, "account/account.html", context)


@never_cache
@login_required
def delete(request: HttpRequest) -> HttpResponse:
    """Show what deleting the account does, and do it after the user has confirmed with the password."""
    user = cast("User", request.user)
    if request.method == "POST" and (refused := consume_or_429(request, action="reauthenticate", user=user)):
        return cast("HttpResponse", refused)
    form = DeleteAccountForm(request.POST or None, user=user)
    if request.method == "POST" and form.is_valid():
        logout(request)
        delete_account(user)
        messages.success(request, "Your account is deleted.")
        return redirect("sign-in")
    context = {"task_sets": all_task_sets(), "form": form, "plan": deletion_plan(user)}
    return render(request, "account/delete_account.html", context)


@never_cache
@login_required
def teams(request: HttpRequest) -> HttpResponse:
    """The user's teams and invitations, and a form that adds a team."""
    user = cast("User", request.user)
    form = TeamForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            return redirect(services.create_team(name=form.cleaned_data["name"], user=user))
        except InputError as error:
            add_input_error(form, error)
    context = {
        "task_sets": all_task_sets(),
        "memberships": my_teams(user),
        "invitations": invitations_for(user),
        "form": form,
    }
    return render(request, "account/teams.html", context)


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
        messages.error(request, input_error_text(error))
    return redirect("teams")


@never_cache
@login_required
def team(request: HttpRequest, slug: str) -> HttpResponse:
    """A team's members and entries, and for its owners the forms that manage it."""
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
                messages.error(request, input_error_text(error))
                return redirect(shown)
            add_input_error(form, error)
    context = {
        "task_sets": all_task_sets(),
        "team": shown,
        "memberships": shown.memberships.select_related("user"),
        "invitations": shown.invitations.filter(expires__gt=timezone.now()),
        "entries": newest_entries(shown.entries.all()),
        "owner": can_manage_team(user, shown),
        "rename": rename,
        "invitation": invitation,
    }
    return render(request, "account/team.html", context)


def _act(
    request: HttpRequest, shown: Team, action: str | None, rename: TeamForm, invitation: InvitationForm
) -> HttpResponse | None:
    """Do what a form on a team's page asks for; None if the form is invalid and has to be shown again.

    Raises:
        InputError: the service refused it.
        PermissionDenied: only owners may do it.
    """
    user = cast("User", request.user)
    if action == "leave":
        services.leave(shown, user=user)
        return redirect("teams")
    check_can_manage_team(user, shown)
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
            messages.error(request, "A team has no such action.")
    return redirect(shown)


def _member(request: HttpRequest, shown: Team) -> User:
    memberships = Membership.objects.filter(team=shown).select_related("user")
    return get_object_or_404(memberships, pk=row_number(request.POST, "member")).user


def _invitation(request: HttpRequest, shown: Team) -> Invitation:
    return get_object_or_404(shown.invitations, pk=row_number(request.POST, "invitation"))


@never_cache
@login_required
@sensitive_variables("secret")
def tokens(request: HttpRequest) -> HttpResponse:
    """The user's tokens. Only the response that adds a token shows its secret."""
    user = cast("User", request.user)
    form, made, secret = TokenForm(request.POST or None, user=user), None, ""
    if request.method == "POST" and form.is_valid():
        scopes = [Scope(scope) for scope in form.cleaned_data["scopes"]]
        try:
            # A reload sends the form again: the name is taken by then, so no second token is made.
            made, secret = create_token(
                user=user, name=form.cleaned_data["name"], scopes=scopes, expires=form.expires
            )
            form = TokenForm(user=user)
        except InputError as error:
            add_input_error(form, error)
    context = {
        "task_sets": all_task_sets(),
        "form": form,
        "made": made,
        "secret": secret,
        "tokens": user.api_tokens.all(),
        "now": timezone.now(),
    }
    return render(request, "account/tokens.html", context)


@require_POST
@login_required
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """Revoke one of the user's own tokens."""
    user = cast("User", request.user)
    token = get_object_or_404(user.api_tokens, pk=pk)
    revoke_token(token, user=user)
    messages.success(request, f"The token “{token.name}” is revoked.")
    return redirect("tokens")
