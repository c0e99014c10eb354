"""Addresses of pages. Readers share and cite them: a changed one needs a redirect from the old one."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [
    path("", include("leaderboard.boards.urls")),
    path("", include("leaderboard.tasks.urls")),
    path("", include("leaderboard.entries.urls")),
    path("", include("leaderboard.comparing.urls")),
    path("", include("leaderboard.attempts.urls")),
    path("", include("leaderboard.search.urls")),
    path("", include("leaderboard.catalogue.urls")),
    path("submit/", include("leaderboard.uploads.urls")),
    path("account/", include("leaderboard.accounts.urls")),
    path("runs/", include("leaderboard.runs.urls")),
    path("operate/", include("leaderboard.operating.urls")),
    path("api/", include("leaderboard.api.urls")),
]
handler404 = "leaderboard.catalogue.views.not_found"
handler429 = "leaderboard.accounts.views.too_many_attempts"
"""django-allauth looks for this name: the view for too many attempts."""
