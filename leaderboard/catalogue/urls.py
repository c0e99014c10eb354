"""The address of the page about the benchmarks and their figures."""

from __future__ import annotations

from django.urls import path

from leaderboard.catalogue import views

urlpatterns = [path("about/", views.about, name="about")]
