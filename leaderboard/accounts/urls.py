"""Addresses under /account/: our pages, and django-allauth's under the URL names that it requires.

allauth's pages for login codes, phones and passkeys, and those of providers without keys, have no address.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from allauth.account import views as allauth
from allauth.socialaccount import views as social
from allauth.socialaccount.providers.github.urls import urlpatterns as github
from allauth.socialaccount.providers.openid_connect.urls import urlpatterns as openid_connect
from django.conf import settings
from django.urls import URLPattern, URLResolver, include, path, re_path

from leaderboard.accounts import views
from leaderboard.catalogue.selectors import all_task_sets
from leaderboard.core.sign_in_providers import Providers

PAGE_CONTEXT = {"task_sets": all_task_sets}
"""Context of every page's header; Django calls the values when it renders the page."""
ACCOUNT_PAGES = (
    ("sign-in/", allauth.LoginView, "sign-in"),
    ("sign-in/", allauth.LoginView, "account_login"),
    ("sign-out/", allauth.LogoutView, "sign-out"),
    ("sign-out/", allauth.LogoutView, "account_logout"),
    ("sign-up/", allauth.SignupView, "account_signup"),
    ("locked/", allauth.AccountInactiveView, "account_inactive"),
    ("again/", allauth.ReauthenticateView, "account_reauthenticate"),
    ("email/", allauth.EmailView, "account_email"),
    ("confirm/", allauth.EmailVerificationSentView, "account_email_verification_sent"),
    ("password/", allauth.PasswordChangeView, "account_change_password"),
    ("password/set/", allauth.PasswordSetView, "account_set_password"),
    ("password/reset/", allauth.PasswordResetView, "account_reset_password"),
    ("password/reset/sent/", allauth.PasswordResetDoneView, "account_reset_password_done"),
    ("password/reset/done/", allauth.PasswordResetFromKeyDoneView, "account_reset_password_from_key_done"),
)
PROVIDER_PAGES = (
    ("sign-in/cancelled/", social.LoginCancelledView, "socialaccount_login_cancelled"),
    ("sign-in/failed/", social.LoginErrorView, "socialaccount_login_error"),
    ("sign-up/with/", social.SignupView, "socialaccount_signup"),
    ("connections/", social.ConnectionsView, "socialaccount_connections"),
)


def allauth_urls(pages: Iterable[tuple[str, Any, str]]) -> list[URLPattern]:
    return [path(route, view.as_view(extra_context=PAGE_CONTEXT), name=name) for route, view, name in pages]


def provider_urls(providers: Providers) -> list[URLPattern | URLResolver]:
    """The addresses for signing in with these providers; empty without a provider."""
    if not providers:
        return []
    patterns: list[URLPattern | URLResolver] = [*allauth_urls(PROVIDER_PAGES)]
    if "github" in providers:
        patterns.append(path("with/", include(github)))
    if "openid_connect" in providers:
        patterns.append(path("with/", include(openid_connect)))
    return patterns


urlpatterns: list[URLPattern | URLResolver] = [
    path("", views.account, name="account"),
    path("delete/", views.delete, name="delete-account"),
    path("tokens/", views.tokens, name="tokens"),
    path("tokens/<int:pk>/revoke/", views.revoke, name="revoke-token"),
    path("teams/", views.teams, name="teams"),
    path("teams/invitations/<int:pk>/", views.answer, name="answer-invitation"),
    path("teams/<slug:slug>/", views.team, name="team"),
    *allauth_urls(ACCOUNT_PAGES),
    re_path(
        r"^confirm/(?P<key>[-:\w]+)/$",
        allauth.ConfirmEmailView.as_view(extra_context=PAGE_CONTEXT),
        name="account_confirm_email",
    ),
    re_path(
        r"^password/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        allauth.PasswordResetFromKeyView.as_view(extra_context=PAGE_CONTEXT),
        name="account_reset_password_from_key",
    ),
    *provider_urls(settings.SOCIALACCOUNT_PROVIDERS),
]
