"""Addresses of what the site says about itself and its benchmarks, and of the documentation."""

from __future__ import annotations

from django.urls import path

from leaderboard.catalogue import views

urlpatterns = [
    path("about/", views.about, name="about"),
    path(".well-known/security.txt", views.security_contact, name="security-contact"),
    path("docs/<slug:name>/", views.guide, name="guide"),
]
