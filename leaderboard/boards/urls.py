"""Addresses of boards."""

from __future__ import annotations

from django.urls import path, re_path

from leaderboard.boards import views

urlpatterns = [
    path("", views.board, name="home"),
    path("b/<slug:benchmark>/", views.benchmark, name="benchmark"),
    re_path(
        r"^b/(?P<benchmark>[-\w]+)/data\.(?P<shape>json|csv)$", views.benchmark_data, name="benchmark-data"
    ),
    path("b/<slug:benchmark>/charts.json", views.benchmark_charts, name="benchmark-charts"),
    path("b/<slug:benchmark>/<slug:task_set>/", views.board, name="board"),
    re_path(
        r"^b/(?P<benchmark>[-\w]+)/(?P<task_set>[-\w]+)/data\.(?P<shape>json|csv)$",
        views.board_data,
        name="board-data",
    ),
    path("b/<slug:benchmark>/<slug:task_set>/attempts.zip", views.board_archive, name="board-archive"),
    path("b/<slug:benchmark>/<slug:task_set>/picture.png", views.board_picture, name="board-picture"),
    path("b/<slug:benchmark>/<slug:task_set>/history/", views.board_history, name="board-history"),
    path("b/<slug:benchmark>/<slug:task_set>/charts.json", views.board_charts, name="board-charts"),
]
