"""Addresses of entries."""

from __future__ import annotations

from django.urls import path

from leaderboard.entries import views

urlpatterns = [
    path("e/<slug:slug>/", views.entry, name="entry"),
    path("e/<slug:slug>/badge.svg", views.badge, name="badge"),
    path("e/<slug:slug>/attempts.zip", views.archive, name="entry-archive"),
    path("e/<slug:slug>/picture.png", views.picture, name="entry-picture"),
    path("feed.atom", views.feed, name="feed"),
    path("b/<slug:benchmark>/<slug:task_set>/feed.atom", views.feed, name="board-feed"),
    path("e/<slug:slug>/versions/", views.versions, name="versions"),
    path("e/<slug:slug>/edit/", views.edit, name="edit-entry"),
    path("e/<slug:slug>/act/", views.act, name="act-on-entry"),
]
