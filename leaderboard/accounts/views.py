"""Account pages: the user's entries, tokens, teams and invitations."""

from __future__ import annotations

from http import HTTPStatus
from typing import cast

from allauth.core.ratelimit import consume_or_429
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_POST, require_safe

from leaderboard.accounts import forms, invitations
from leaderboard.accounts import teams as services
from leaderboard.accounts.selectors import deletion_plan, my_teams, newest_entries
from leaderboard.accounts.services import delete_account
from leaderboard.catalogue.selectors import all_task_sets
from leaderboard.core.addresses import absolute
from leaderboard.core.numbers import row_number
from leaderboard.core.permissions import SignedInRequest, can_manage_team, check_can_manage_team, teams_of
from leaderboard.core.tokens import create_token, revoke_token
from leaderboard.domain.access import Scope
from leaderboard.domain.errors import InputError
from leaderboard.models import Entry, Membership, Team

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
def account(request: SignedInRequest) -> HttpResponse:
    """The user's teams, entries, drafts and tokens, with links to the settings."""
    context = {
        "task_sets": all_task_sets(),
        "memberships": my_teams(request.user),
        "invitations": invitations.invitations_for(request.user),
        "entries": newest_entries(Entry.objects.filter(team__in=teams_of(request.user))),
        "tokens": request.user.api_tokens.count(),
        "providers": bool(settings.SOCIALACCOUNT_PROVIDERS),
    }
    return render(request, "account/account.html", context)


@never_cache
@login_required
def delete(request: SignedInRequest) -> HttpResponse:
    """Show what deleting the account does, and do it after the user has confirmed with the password."""
    user = request.user
    if request.method == "POST" and (refused := consume_or_429(request, action="reauthenticate", user=user)):
        return cast("HttpResponse", refused)
    form = forms.DeleteAccountForm(request.POST or None, user=user)
    if request.method == "POST" and form.is_valid():
        logout(request)
        delete_account(user)
        messages.success(request, "Your account is deleted.")
        return redirect("sign-in")
    context = {"task_sets": all_task_sets(), "form": form, "plan": deletion_plan(user)}
    return render(request, "account/delete_account.html", context)


@never_cache
@login_required
def teams(request: SignedInRequest) -> HttpResponse:
    """The user's teams and invitations, and a form that adds a team."""
    form = forms.TeamForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        try:
            return redirect(services.create_team(name=form.cleaned_data["name"], user=request.user))
        except InputError as error:
            forms.add_input_error(form, error)
    context = {
        "task_sets": all_task_sets(),
        "memberships": my_teams(request.user),
        "invitations": invitations.invitations_for(request.user),
        "form": form,
    }
    return render(request, "account/teams.html", context)


@require_POST
@login_required
def answer(request: SignedInRequest, pk: int) -> HttpResponse:
    """Accept or decline an invitation, as ``action`` says."""
    invitation = get_object_or_404(invitations.invitations_for(request.user), pk=pk)
    try:
        if request.POST.get("action") == "accept":
            return redirect(invitations.accept_invitation(invitation, user=request.user))
        invitations.decline_invitation(invitation, user=request.user)
    except InputError as error:
        messages.error(request, forms.input_error_text(error))
    return redirect("teams")


@never_cache
@login_required
def team(request: SignedInRequest, slug: str) -> HttpResponse:
    """A team's members and entries, and for its owners the forms that manage it."""
    shown = get_object_or_404(teams_of(request.user), slug=slug)
    action = request.POST.get("action")
    rename = forms.TeamForm(request.POST if action == "rename" else None, initial={"name": shown.name})
    invitation = forms.InvitationForm(request.POST if action == "invite" else None)
    if request.method == "POST":
        try:
            if answered := _act(request, shown, action, rename, invitation):
                return answered
        except InputError as error:
            form = {"rename": rename, "invite": invitation}.get(action or "")
            if form is None:
                messages.error(request, forms.input_error_text(error))
                return redirect(shown)
            forms.add_input_error(form, error)
    context = {
        "task_sets": all_task_sets(),
        "team": shown,
        "memberships": shown.memberships.select_related("user"),
        "invitations": shown.invitations.filter(expires__gt=timezone.now()),
        "entries": newest_entries(shown.entries.all()),
        "owner": can_manage_team(request.user, shown),
        "rename": rename,
        "invitation": invitation,
    }
    return render(request, "account/team.html", context)


def _act(
    request: SignedInRequest,
    shown: Team,
    action: str | None,
    rename: forms.TeamForm,
    invitation: forms.InvitationForm,
) -> HttpResponse | None:
    """Do what a form on a team's page asks for; None if the form is invalid and has to be shown again.

    Raises:
        InputError: the service refused it.
        PermissionDenied: only owners may do it.
    """
    if action == "leave":
        services.remove_member(shown, member=request.user, user=request.user)
        return redirect("teams")
    check_can_manage_team(request.user, shown)
    match action:
        case "rename" if rename.is_valid():
            services.rename_team(shown, name=rename.cleaned_data["name"], user=request.user)
        case "invite" if invitation.is_valid():
            link = absolute(reverse("teams"))
            sent = invitations.invite(shown, **invitation.cleaned_data, user=request.user, link=link)
            messages.success(request, f"{sent.email} is invited.")
        case "rename" | "invite":
            return None
        case "withdraw":
            withdrawn = get_object_or_404(shown.invitations, pk=row_number(request.POST, "invitation"))
            invitations.withdraw_invitation(withdrawn, user=request.user)
        case "owner" | "member" as role:
            services.set_role(shown, member=_member(request, shown), role=role, user=request.user)
        case "remove":
            services.remove_member(shown, member=_member(request, shown), user=request.user)
        case "delete":
            services.delete_team(shown, user=request.user)
            return redirect("teams")
        case _:
            messages.error(request, "A team has no such action.")
    return redirect(shown)


def _member(request: SignedInRequest, shown: Team) -> User:
    memberships = Membership.objects.filter(team=shown).select_related("user")
    return get_object_or_404(memberships, pk=row_number(request.POST, "member")).user


@never_cache
@login_required
@sensitive_variables("secret")
def tokens(request: SignedInRequest) -> HttpResponse:
    """The user's tokens. Only the response that adds a token shows its secret."""
    form, made, secret = forms.TokenForm(request.POST or None, user=request.user), None, ""
    if request.method == "POST" and form.is_valid():
        scopes = [Scope(scope) for scope in form.cleaned_data["scopes"]]
        try:
            # A reload sends the form again: the name is taken by then, so no second token is made.
            made, secret = create_token(
                user=request.user, name=form.cleaned_data["name"], scopes=scopes, expires=form.expires
            )
            form = forms.TokenForm(user=request.user)
        except InputError as error:
            forms.add_input_error(form, error)
    context = {
        "task_sets": all_task_sets(),
        "form": form,
        "made": made,
        "secret": secret,
        "tokens": request.user.api_tokens.all(),
        "now": timezone.now(),
    }
    return render(request, "account/tokens.html", context)


@require_POST
@login_required
def revoke(request: SignedInRequest, pk: int) -> HttpResponse:
    """Revoke one of the user's own tokens."""
    token = get_object_or_404(request.user.api_tokens, pk=pk)
    revoke_token(token, user=request.user)
    messages.success(request, f"The token “{token.name}” is revoked.")
    return redirect("tokens")
