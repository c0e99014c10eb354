"""API tokens: listed, made, shown once, revoked."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_variables
from django.views.decorators.http import require_POST

from leaderboard.account_forms import TokenForm, add_refusal
from leaderboard.domain.access import Scope
from leaderboard.domain.errors import InputError
from leaderboard.selectors.catalogue import all_task_sets
from leaderboard.services.tokens import create_token, revoke_token

if TYPE_CHECKING:
    from django.contrib.auth.models import User


@never_cache
@login_required
@sensitive_variables("secret")
def tokens(request: HttpRequest) -> HttpResponse:
    """Somebody's tokens. The answer to the form that makes one has its secret, and no other page has."""
    user = cast("User", request.user)
    form, made, secret = TokenForm(request.POST or None, user=user), None, ""
    if request.method == "POST" and form.is_valid():
        scopes = [Scope(scope) for scope in form.cleaned_data["scopes"]]
        try:
            # A reload sends the form again: its name is taken by then, so it makes nothing and shows nothing.
            made, secret = create_token(
                user=user, name=form.cleaned_data["name"], scopes=scopes, expires=form.expires
            )
            form = TokenForm(user=user)
        except InputError as error:
            add_refusal(form, error)
    context = {
        "task_sets": all_task_sets(),
        "form": form,
        "made": made,
        "secret": secret,
        "tokens": user.api_tokens.all(),
        "now": timezone.now(),
    }
    return render(request, "leaderboard/tokens.html", context)


@require_POST
@login_required
def revoke(request: HttpRequest, pk: int) -> HttpResponse:
    """Revoke one of somebody's own tokens."""
    user = cast("User", request.user)
    token = get_object_or_404(user.api_tokens, pk=pk)
    revoke_token(token, user=user)
    messages.success(request, f"The token “{token.name}” is revoked.")
    return redirect("tokens")
