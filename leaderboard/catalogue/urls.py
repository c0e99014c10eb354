"""Addresses of what the site says about itself and its benchmarks, and of the documentation."""

from __future__ import annotations

from django.contrib.sitemaps.views import index, sitemap
from django.urls import path
from django.views.decorators.http import require_safe

from leaderboard.catalogue import views
from leaderboard.catalogue.sitemaps import SITEMAPS

MAP = {"sitemaps": SITEMAPS}
urlpatterns = [
    path("about/", views.about, name="about"),
    path(".well-known/security.txt", views.security_contact, name="security-contact"),
    path("robots.txt", views.robots, name="robots"),
    path("favicon.ico", views.favicon, name="favicon"),
    path("sitemap.xml", require_safe(index), MAP | {"sitemap_url_name": "sitemap"}, name="sitemaps"),
    path("sitemap-<slug:section>.xml", require_safe(sitemap), MAP, name="sitemap"),
    path("docs/<slug:name>/", views.guide, name="guide"),
]
