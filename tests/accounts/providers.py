"""Keys of providers that nobody has."""

from __future__ import annotations

from leaderboard.core.environment import Environment
from leaderboard.core.sign_in_providers import sign_in_providers

VARIABLES = {
    "SUPERBOARD_GITHUB_CLIENT_ID": "github-id",
    "SUPERBOARD_GITHUB_CLIENT_SECRET": "github-secret",
    "SUPERBOARD_OIDC_SERVER": "https://login.example.org/realms/lab",
    "SUPERBOARD_OIDC_CLIENT_ID": "oidc-id",
    "SUPERBOARD_OIDC_CLIENT_SECRET": "oidc-secret",
    "SUPERBOARD_OIDC_NAME": "Example University",
}
PROVIDERS = sign_in_providers(Environment(VARIABLES))
