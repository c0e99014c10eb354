"""Addresses of what the site says about itself and its benchmarks, and of the documentation."""

from __future__ import annotations

from django.contrib.sitemaps.views import sitemap
from django.urls import path
from django.views.decorators.http import require_safe

from leaderboard.catalogue import views
from leaderboard.catalogue.sitemaps import SITEMAPS

urlpatterns = [
    path("about/", views.about, name="about"),
    path(".well-known/security.txt", views.security_contact, name="security-contact"),
    path("robots.txt", views.robots, name="robots"),
    path("favicon.ico", views.favicon, name="favicon"),
    path("sitemap.xml", views.sitemaps, name="sitemaps"),
    path("sitemap-<slug:section>.xml", require_safe(sitemap), {"sitemaps": SITEMAPS}, name="sitemap"),
    path("docs/<slug:name>/", views.guide, name="guide"),
]
