"""The site's addresses as they are where GitHub and an OpenID Connect server are configured."""

from __future__ import annotations

from django.urls import include, path

from leaderboard.accounts.urls import provider_urls
from leaderboard.urls import urlpatterns as usual
from tests.accounts.providers import PROVIDERS

urlpatterns = [*usual, path("account/", include(provider_urls(PROVIDERS)))]
