"""Somebody's own account: what is theirs, and how to be rid of it."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, cast

from allauth.core.ratelimit import consume_or_429
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from leaderboard.account_forms import DeleteAccountForm
from leaderboard.models import Entry
from leaderboard.permissions import teams_of
from leaderboard.selectors.accounts import departure, my_teams, newest_entries
from leaderboard.selectors.catalogue import all_task_sets
from leaderboard.services.accounts import delete_account
from leaderboard.services.invitations import invitations_for

if TYPE_CHECKING:
    from django.contrib.auth.models import User


RATE_SECONDS = 300
"""The longest time, in seconds, over which django-allauth counts attempts: then there is room again."""


def too_many_attempts(request: HttpRequest) -> HttpResponse:
    """Say that something was asked for too often, and when to come back."""
    response = render(request, "429.html", status=HTTPStatus.TOO_MANY_REQUESTS)
    response["Retry-After"] = str(RATE_SECONDS)
    return response


@require_safe
@never_cache
@login_required
def account(request: HttpRequest) -> HttpResponse:
    """Somebody's teams, entries, drafts and tokens, and what can be changed."""
    user = cast("User", request.user)
    context = {
        "task_sets": all_task_sets(),
        "memberships": my_teams(user),
        "invitations": invitations_for(user),
        "entries": newest_entries(Entry.objects.filter(team__in=teams_of(user))),
        "tokens": user.api_tokens.count(),
        "providers": bool(settings.SOCIALACCOUNT_PROVIDERS),
    }
    return render(request, "leaderboard/account.html", context)


@never_cache
@login_required
def delete(request: HttpRequest) -> HttpResponse:
    """Say what deleting the account does, and do it for whoever gives the password."""
    user = cast("User", request.user)
    if request.method == "POST" and (refused := consume_or_429(request, action="reauthenticate", user=user)):
        return cast("HttpResponse", refused)
    form = DeleteAccountForm(request.POST or None, user=user)
    if request.method == "POST" and form.is_valid():
        logout(request)
        delete_account(user)
        messages.success(request, "Your account is deleted.")
        return redirect("sign-in")
    context = {"task_sets": all_task_sets(), "form": form, "plan": departure(user)}
    return render(request, "leaderboard/delete_account.html", context)
