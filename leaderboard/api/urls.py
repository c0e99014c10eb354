"""Addresses under /api/."""

from __future__ import annotations

from django.urls import path, re_path

from leaderboard.api.reference import not_found, reference
from leaderboard.api.site import api

urlpatterns = [
    path("docs", reference, name="api-reference"),
    path("v1/", api.urls),
    re_path(r"^v1/.*", not_found),
]
