"""Addresses under /runs/."""

from __future__ import annotations

from django.urls import path

from leaderboard.runs import views

urlpatterns = [
    path("", views.runs, name="runs"),
    path("new/", views.new_run, name="new-run"),
    path("<int:pk>/", views.run, name="run"),
    path("<int:pk>/act/", views.act, name="act-on-run"),
    path("<int:pk>/<int:job>/", views.job, name="job"),
]
