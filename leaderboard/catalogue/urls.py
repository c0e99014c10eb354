"""Addresses of the page about the benchmarks and their figures, and of the documentation."""

from __future__ import annotations

from django.urls import path

from leaderboard.catalogue import views

urlpatterns = [
    path("about/", views.about, name="about"),
    path("docs/<slug:name>/", views.guide, name="guide"),
]
