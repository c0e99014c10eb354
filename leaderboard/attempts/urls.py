"""Addresses of attempts: the viewer and its downloads."""

from __future__ import annotations

from django.urls import path

from leaderboard.attempts import views

urlpatterns = [
    path("a/<int:pk>/", views.attempt, name="attempt"),
    path("a/<int:pk>/find/", views.find, name="find"),
    path("a/<int:pk>/<int:step>/<slug:part>/<int:number>/", views.output, name="output"),
    path("a/<int:pk>/<int:step>/<slug:part>/", views.line, name="line"),
    path("a/<int:pk>/<int:step>/<slug:part>.txt", views.text, name="text"),
    path("a/<int:pk>/<int:step>.md", views.step_markdown, name="step-markdown"),
    path("a/<int:pk>/media/<int:step>/<int:number>/", views.media, name="media"),
    path("a/<int:pk>/download/<slug:kind>/", views.download, name="download"),
    path(
        "a/<int:pk>/download/output/<int:step>/", views.download, {"kind": "output"}, name="download-output"
    ),
]
