"""Addresses under /account/: our pages, and django-allauth's under the URL names that it requires.

allauth's pages for login codes, phones and passkeys, and those of providers without keys, have no address.
"""

from __future__ import annotations

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


def provider_urls(providers: Providers) -> list[URLPattern | URLResolver]:
    """The addresses for signing in with these providers; empty without a provider."""
    if not providers:
        return []
    patterns: list[URLPattern | URLResolver] = [
        path(
            "sign-in/cancelled/",
            social.LoginCancelledView.as_view(extra_context=PAGE_CONTEXT),
            name="socialaccount_login_cancelled",
        ),
        path(
            "sign-in/failed/",
            social.LoginErrorView.as_view(extra_context=PAGE_CONTEXT),
            name="socialaccount_login_error",
        ),
        path(
            "sign-up/with/",
            social.SignupView.as_view(extra_context=PAGE_CONTEXT),
            name="socialaccount_signup",
        ),
        path(
            "connections/",
            social.ConnectionsView.as_view(extra_context=PAGE_CONTEXT),
            name="socialaccount_connections",
        ),
    ]
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
    path("sign-in/", allauth.LoginView.as_view(extra_context=PAGE_CONTEXT), name="sign-in"),
    path("sign-in/", allauth.LoginView.as_view(extra_context=PAGE_CONTEXT), name="account_login"),
    path("sign-out/", allauth.LogoutView.as_view(extra_context=PAGE_CONTEXT), name="sign-out"),
    path("sign-out/", allauth.LogoutView.as_view(extra_context=PAGE_CONTEXT), name="account_logout"),
    path("sign-up/", allauth.SignupView.as_view(extra_context=PAGE_CONTEXT), name="account_signup"),
    path("locked/", allauth.AccountInactiveView.as_view(extra_context=PAGE_CONTEXT), name="account_inactive"),
    path(
        "again/",
        allauth.ReauthenticateView.as_view(extra_context=PAGE_CONTEXT),
        name="account_reauthenticate",
    ),
    path("email/", allauth.EmailView.as_view(extra_context=PAGE_CONTEXT), name="account_email"),
    path(
        "confirm/",
        allauth.EmailVerificationSentView.as_view(extra_context=PAGE_CONTEXT),
        name="account_email_verification_sent",
    ),
    re_path(
        r"^confirm/(?P<key>[-:\w]+)/$",
        allauth.ConfirmEmailView.as_view(extra_context=PAGE_CONTEXT),
        name="account_confirm_email",
    ),
    path(
        "password/",
        allauth.PasswordChangeView.as_view(extra_context=PAGE_CONTEXT),
        name="account_change_password",
    ),
    path(
        "password/set/",
        allauth.PasswordSetView.as_view(extra_context=PAGE_CONTEXT),
        name="account_set_password",
    ),
    path(
        "password/reset/",
        allauth.PasswordResetView.as_view(extra_context=PAGE_CONTEXT),
        name="account_reset_password",
    ),
    path(
        "password/reset/sent/",
        allauth.PasswordResetDoneView.as_view(extra_context=PAGE_CONTEXT),
        name="account_reset_password_done",
    ),
    re_path(
        r"^password/reset/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$",
        allauth.PasswordResetFromKeyView.as_view(extra_context=PAGE_CONTEXT),
        name="account_reset_password_from_key",
    ),
    path(
        "password/reset/done/",
        allauth.PasswordResetFromKeyDoneView.as_view(extra_context=PAGE_CONTEXT),
        name="account_reset_password_from_key_done",
    ),
    *provider_urls(settings.SOCIALACCOUNT_PROVIDERS),
]
