"""Addresses under /operate/."""

from __future__ import annotations

from django.urls import path

from leaderboard.operating import views

urlpatterns = [
    path("", views.queue, name="operate"),
    path("benchmarks/", views.benchmarks, name="operate-benchmarks"),
    path("audit/", views.audit, name="audit"),
    path("suspected/", views.suspected, name="suspected"),
    path("suspected/<int:pk>/", views.judge, name="judge-attempt"),
    path("drafts/", views.drafts, name="task-drafts"),
    path("drafts/<int:pk>/", views.draft, name="task-draft"),
    path("re-score/", views.rescore, name="ask-for-re-score"),
    path("admit/", views.admit, name="admit-team"),
    path("merge/", views.merge, name="merge-agents"),
]
