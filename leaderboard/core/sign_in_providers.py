"""External sign-in providers, from environment variables."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from leaderboard.core.environment import Environment

Providers = dict[str, dict[str, Any]]


def sign_in_providers(env: Environment) -> Providers:
    """django-allauth's settings of the configured providers.

    Raises:
        ImproperlyConfigured: only some variables of a provider are set; names a missing one.
    """
    providers: Providers = {}
    if env.is_set("SUPERBOARD_GITHUB_CLIENT_ID"):
        secret = env.required(
            "SUPERBOARD_GITHUB_CLIENT_SECRET",
            because="SUPERBOARD_GITHUB_CLIENT_ID is",
            example="the secret that GitHub shows beside the client ID",
        )
        app = {"client_id": env.text("SUPERBOARD_GITHUB_CLIENT_ID", default=""), "secret": secret}
        providers["github"] = {"APPS": [app], "SCOPE": ["user:email"], "OAUTH_PKCE_ENABLED": True}
    if env.is_set("SUPERBOARD_OIDC_SERVER"):
        providers["openid_connect"] = {"APPS": [_openid_connect(env)], "OAUTH_PKCE_ENABLED": True}
    return providers


def sign_in_origins(providers: Providers) -> list[str]:
    """The origins that sign-in forms redirect to, which the Content-Security-Policy has to allow."""
    targets = ["https://github.com"] if "github" in providers else []
    for app in providers.get("openid_connect", {}).get("APPS", []):
        server = urlsplit(app["settings"]["server_url"])
        targets.append(f"{server.scheme}://{server.netloc}")
    return targets


def _openid_connect(env: Environment) -> dict[str, Any]:
    because = "SUPERBOARD_OIDC_SERVER is"
    (server,) = env.origins("SUPERBOARD_OIDC_SERVER")[:1]
    return {
        "provider_id": "sso",
        "name": env.text("SUPERBOARD_OIDC_NAME", default=urlsplit(server).netloc),
        "client_id": env.required("SUPERBOARD_OIDC_CLIENT_ID", because=because, example="superboard"),
        "secret": env.required(
            "SUPERBOARD_OIDC_CLIENT_SECRET", because=because, example="the secret of that client"
        ),
        "settings": {"server_url": server},
    }
