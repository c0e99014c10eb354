"""Addresses under /submit/."""

from __future__ import annotations

from django.urls import path

from leaderboard.uploads import views

urlpatterns = [
    path("", views.submit, name="submit"),
    path("sample-report/", views.sample, name="sample-report"),
    path("<uuid:pk>/", views.upload, name="upload"),
    path("<uuid:pk>/report.json", views.report, name="upload-report"),
    path("<uuid:pk>/act/", views.act, name="act-on-upload"),
]
