"""Addresses of comparisons."""

from __future__ import annotations

from django.urls import path

from leaderboard.comparing import views

urlpatterns = [
    path("compare/", views.compare, name="compare"),
    path("compare/tasks.csv", views.compare_csv, name="compare-csv"),
    path("b/<slug:benchmark>/<slug:task_set>/grid/", views.grid, name="grid"),
]
